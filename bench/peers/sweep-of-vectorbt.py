"""
Sweeps two averages that cross with vectorbt, and prints what that took and how many trades there were.

Usage: python sweep-of-vectorbt.py CANDLES.csv FAST_FROM FAST_TO FAST_STEP SLOW_FROM SLOW_TO SLOW_STEP
"""

import itertools
import json
import sys
import time

import pandas
import vectorbt

file, *numbers = sys.argv[1:]
fast_from, fast_to, fast_step, slow_from, slow_to, slow_step = map(int, numbers)
close = pandas.read_csv(file)["close"]
pairs = list(itertools.product(range(fast_from, fast_to + 1, fast_step), range(slow_from, slow_to + 1, slow_step)))
together = 50  # columns: more at once take more memory, and are no faster


def sweep(some):
    fast = vectorbt.MA.run(close, window=[each for each, _ in some], ewm=True)
    slow = vectorbt.MA.run(close, window=[each for _, each in some], ewm=True)
    entries, exits = fast.ma_crossed_above(slow), fast.ma_crossed_below(slow)
    portfolio = vectorbt.Portfolio.from_signals(close, entries, exits, init_cash=1000, size=100, size_type="value", fees=0.001, freq="5min")
    return int(portfolio.trades.count().sum()), float(portfolio.total_profit().max())


sweep(pairs[:2])  # what is compiled is compiled now
begun = time.perf_counter()
found = [sweep(pairs[at : at + together]) for at in range(0, len(pairs), together)]
print(json.dumps({"seconds": time.perf_counter() - begun, "epochs": len(pairs), "trades": sum(trades for trades, _ in found) / len(pairs)}))
