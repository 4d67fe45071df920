"""
Writes candles as freqtrade keeps them, with the longer timeframes, mark prices and funding rates that strategies and its backtest ask for.

Usage: python candles.py FROM TO: folders; FROM has files such as BTC_USDT-5m.csv.gz
"""

import os
import re
import sys

import pandas

source, target = sys.argv[1:3]
os.makedirs(os.path.join(target, "futures"), exist_ok=True)
minutes = {"1m": 1, "5m": 5, "15m": 15, "30m": 30, "1h": 60, "2h": 120, "4h": 240, "8h": 480, "12h": 720, "1d": 1440}
how = {"open": "first", "high": "max", "low": "min", "close": "last", "volume": "sum"}
numbers = list(how)


def write(candles, own, name, is_futures):
    """Candles, and all longer ones made of them."""
    for timeframe, length in minutes.items():
        if length < minutes[own]:
            continue
        groups = candles.set_index("date").resample(f"{length}min")
        longer = groups.agg(how)[groups.size() == length // minutes[own]].reset_index()
        longer.to_feather(os.path.join(target, f"{name}-{timeframe}.feather"), compression="lz4")
        if is_futures:
            longer.to_feather(os.path.join(target, "futures", f"{name}_USDT-{timeframe}-futures.feather"), compression="lz4")


of_base = {}
for name in sorted(os.listdir(source)):
    found = re.fullmatch(r"(\w+)_USDT-(\w+)\.csv\.gz", name)
    if found is None:
        continue
    base, own = found.groups()
    candles = pandas.read_csv(os.path.join(source, name)).rename(columns={"timestamp": "date"})
    candles["date"] = pandas.to_datetime(candles["date"], unit="ms", utc=True)
    candles[numbers] = candles[numbers].astype(float)
    of_base[base] = candles
    write(candles, own, f"{base}_USDT", True)
    marks = candles.set_index("date").resample("1h").agg(how).reset_index()
    marks.to_feather(os.path.join(target, "futures", f"{base}_USDT_USDT-1h-mark.feather"), compression="lz4")
    rates = marks[marks["date"].dt.hour % 8 == 0].reset_index(drop=True)
    rates[numbers] = 0.0
    rates["open"] = ((rates.index % 7) - 2) * 0.00003
    rates.to_feather(os.path.join(target, "futures", f"{base}_USDT_USDT-1h-funding_rate.feather"), compression="lz4")

# A pair of two coins, for strategies that look at one: the one in the other, as their dollars say.
if "ETH" in of_base and "BTC" in of_base:
    ether, bitcoin = (of_base[base].set_index("date") for base in ("ETH", "BTC"))
    both = pandas.DataFrame({name: ether[name] / bitcoin[name] for name in ("open", "close")}).dropna()
    both["high"], both["low"], both["volume"] = both.max(axis=1), both.min(axis=1), ether["volume"]
    write(both[numbers].reset_index(), "5m", "ETH_BTC", False)
