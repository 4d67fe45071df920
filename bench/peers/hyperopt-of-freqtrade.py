"""
Runs freqtrade's own hyperopt of one strategy in this process, without a network, and prints what its epochs took.

Usage: python hyperopt-of-freqtrade.py SETUP.json, an object of strategy (a file), class, datadir, home, epochs, pair
"""

import json
import logging
import multiprocessing
import os
import sys
import time
from pathlib import Path

setup = json.loads(Path(sys.argv[1]).read_text())
logging.disable(logging.WARNING)

from freqtrade.enums import CandleType, RunMode  # noqa: E402
from freqtrade.exchange.exchange import Exchange  # noqa: E402
from freqtrade.optimize.hyperopt.hyperopt import Hyperopt  # noqa: E402
from freqtrade.optimize.hyperopt.hyperopt_optimizer import HyperOptimizer  # noqa: E402

base, quote = setup["pair"].split("/")
market = {
    "id": base + quote, "symbol": setup["pair"], "base": base, "quote": quote, "settle": None, "active": True, "spot": True, "swap": False,
    "linear": None, "contract": False, "contractSize": 1, "taker": 0.001, "maker": 0.001, "type": "spot", "precision": {"amount": 0.00001, "price": 0.01},
    "limits": {key: {"min": None, "max": None} for key in ("amount", "price", "cost", "leverage")}, "info": {},
}  # fmt: skip
markets = {setup["pair"]: market}
Exchange.reload_markets = lambda self, *_, **__: setattr(self, "_markets", markets)
Exchange._load_async_markets = lambda self, *_, **__: markets
Exchange.validate_config = lambda self, *_: None
Exchange.additional_exchange_init = lambda self: None

home = Path(setup["home"])
config = {
    "dry_run": True,
    "runmode": RunMode.HYPEROPT,
    "original_config": {},
    "datadir": Path(setup["datadir"]),
    "user_data_dir": home,
    "exportfilename": home,
    "export": "none",
    "dataformat_ohlcv": "feather",
    "dataformat_trades": "feather",
    "pairlists": [{"method": "StaticPairList"}],
    "entry_pricing": {"price_side": "same", "use_order_book": False},
    "exit_pricing": {"price_side": "same", "use_order_book": False},
    "trading_mode": "spot",
    "margin_mode": "",
    "candle_type_def": CandleType.SPOT,
    "strategy": setup["class"],
    "strategy_path": str(Path(setup["strategy"]).parent),
    "stake_currency": "USDT",
    "stake_amount": 100,
    "max_open_trades": 1,
    "dry_run_wallet": 1000,
    "fee": 0.001,
    "fiat_display_currency": "USD",
    "unfilledtimeout": {"unit": "minutes", "entry": 10, "exit": 10},
    "exchange": {"name": "binance", "pair_whitelist": [setup["pair"]]},
    "timerange": None,
    "verbosity": 0,
    "epochs": setup["epochs"],
    "spaces": setup["spaces"],
    "hyperopt_loss": "SharpeHyperOptLossDaily",
    "hyperopt_jobs": 1,
    "hyperopt_random_state": 1,
    "hyperopt_min_trades": 1,
    "print_all": False,
    "print_colorized": False,
    "disableparamexport": True,
    "analyze_per_epoch": setup["again"],
}

times = []
trades = []
generate = HyperOptimizer.generate_optimizer


def timed(self, *words, **names):
    begun = time.perf_counter()
    found = generate(self, *words, **names)
    times.append(time.perf_counter() - begun)
    trades.append(found["results_metrics"]["total_trades"])
    return found


HyperOptimizer.generate_optimizer = timed
(home / "hyperopt_results").mkdir(parents=True, exist_ok=True)
devnull = open(os.devnull, "w")
said, sys.stdout = sys.stdout, devnull
begun = time.perf_counter()
Hyperopt(config).start()
whole = time.perf_counter() - begun
sys.stdout = said
print(json.dumps({"seconds": sum(times), "whole": whole, "epochs": len(times), "trades": sum(trades) / max(1, len(trades))}))
sys.stdout.flush()
for child in multiprocessing.active_children():  # one of them keeps its log, and whoever waits for our output would wait for it
    child.kill()
os._exit(0)
