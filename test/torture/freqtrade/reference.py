"""
Runs freqtrade's own backtest of one strategy, without a network, and prints its trades a line of JSON each.

Usage: python reference.py SETUP.json, an object of config, strategy (a file), class, datadir, timerange (or null), markets (pair to tick and step), out
"""

import json
import logging
import os
import sys
from pathlib import Path

setup = json.loads(Path(sys.argv[1]).read_text())
logging.disable(logging.WARNING)

from freqtrade.enums import CandleType, RunMode  # noqa: E402
from freqtrade.exchange.exchange import Exchange  # noqa: E402
from freqtrade.optimize.backtesting import Backtesting  # noqa: E402
from freqtrade.resolvers import ExchangeResolver  # noqa: E402

is_futures = setup["config"].get("trading_mode") == "futures"


def market(pair, facts):
    base, quote = pair.split(":")[0].split("/")
    return {
        "id": pair.replace("/", ""),
        "symbol": pair,
        "base": base,
        "quote": quote,
        "settle": quote if is_futures else None,
        "active": True,
        "spot": not is_futures,
        "swap": is_futures,
        "linear": True if is_futures else None,
        "contract": is_futures,
        "contractSize": 1 if is_futures else None,
        "taker": 0.001,
        "maker": 0.001,
        "type": "swap" if is_futures else "spot",
        "precision": {"amount": facts["step"], "price": facts["tick"]},
        "limits": {key: {"min": None, "max": None} for key in ("amount", "price", "cost", "leverage")},
        "info": {},
    }


markets = {pair: market(pair, facts) for pair, facts in setup["markets"].items()}
Exchange.reload_markets = lambda self, *_, **__: setattr(self, "_markets", markets)
Exchange._load_async_markets = lambda self, *_, **__: markets
Exchange.validate_config = lambda self, *_: None
Exchange.additional_exchange_init = lambda self: None
tiers = [{"minNotional": 0, "maxNotional": 1e12, "maintenanceMarginRate": 0.01, "maxLeverage": 50, "maintAmt": 0}]

config = {
    "dry_run": True,
    "runmode": RunMode.BACKTEST,
    "original_config": {},
    "datadir": Path(setup["datadir"]),
    "user_data_dir": Path(setup["out"]).parent,
    "exportdirectory": Path(setup["out"]).parent,
    "exportfilename": Path(setup["out"]).parent,
    "export": "none",
    "dataformat_ohlcv": "feather",
    "dataformat_trades": "feather",
    "pairlists": [{"method": "StaticPairList"}],
    "entry_pricing": {"price_side": "same", "use_order_book": False},
    "exit_pricing": {"price_side": "same", "use_order_book": False},
    "trading_mode": "spot",
    "margin_mode": "",
    "candle_type_def": CandleType.FUTURES if is_futures else CandleType.SPOT,
    "strategy": setup["class"],
    "strategy_path": str(Path(setup["strategy"]).parent),
    "stake_currency": "USDT",
    "fiat_display_currency": "USD",
    "unfilledtimeout": {"unit": "minutes", "entry": 10, "exit": 10},
    "timerange": setup["timerange"],
    "backtest_cache": "none",
    "verbosity": 0,
    **setup["config"],
}
config.pop("markets", None)
if config.get("max_open_trades") == -1:
    config["max_open_trades"] = float("inf")

exchange = ExchangeResolver.load_exchange(config, validate=False, load_leverage_tiers=False)
exchange._markets = markets
exchange._leverage_tiers = {pair: tiers for pair in markets} if is_futures else {}
type(exchange).precisionMode = property(lambda self: 4)
type(exchange).precision_mode_price = property(lambda self: 4)

backtesting = Backtesting(config, exchange)
data, timerange = backtesting.load_bt_data()
backtesting.backtest_one_strategy(backtesting.strategylist[0], data, timerange)
name = backtesting.strategylist[0].get_strategy_name()
results = backtesting.all_bt_content[name]
trades = results["results"]


def ms(time):
    return int(time.timestamp() * 1000)


with open(setup["out"], "w", newline="") as file:
    for _, trade in trades.iterrows():
        side = "short" if trade["is_short"] else "long"
        fields = [trade["pair"], side, ms(trade["open_date"]), ms(trade["close_date"]), trade["open_rate"], trade["close_rate"], trade["amount"], trade["exit_reason"], trade["profit_abs"]]
        file.write(json.dumps(fields) + "\n")
print(json.dumps({"trades": len(trades), "balance": results["final_balance"]}))
sys.stdout.flush()
os._exit(0)
