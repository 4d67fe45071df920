"""The questions about the strategy of a file, and their answers."""

import gc
import logging
import os
import sys
import warnings

import numpy
import pandas

from shim import columns, loading
from shim.callbacks import Callbacks
from shim.held import HeldCandles
from shim.places import sentence_of
from shim.provider import length_of
from shim.trades import TradeView
from shim.wallets import Account, Wallets
from shim.wanted import Unsupported


class Answers:
    """Answers one question after the other. What a strategy keeps in `self` it keeps until the process ends."""

    def __init__(self):
        logging.disable(logging.CRITICAL)  # nobody would read it
        warnings.simplefilter("ignore")
        self._strategy = None
        self._name = None
        self._callbacks = None
        self._custom_data = {}  # of trades, by their number
        self._facts = {}
        self._account = Account()
        self._held = HeldCandles()
        self._has_begun = False

    def to(self, question, body):
        """The answer to a question, and the columns behind it. Fails: Unsupported, Wanted, and with whatever the strategy throws"""
        kind = question["kind"]
        if kind == "versions":
            return _versions(), b""
        if kind == "load":
            return self._load(question), b""
        if kind == "series":
            self._provider.put_series(question["symbol"], question["timeframe"], question["series"], columns.frame_of(body))
            return {}, b""
        if kind == "begin":
            self._custom_data.clear()
            self._account.begin()
            self._has_begun = False
            return {}, b""
        if kind in ("columns", "row"):
            rows = self._held.take(question["candles"], body)  # before anything can fail: what is sent next follows what was sent now
            self._require(question["exportName"])
            frame = self._analysed(question, rows)
            return columns.signals_of(frame, question.get("indicators", True)) if kind == "columns" else (columns.row_of(frame), b"")
        if kind == "callback":
            self._require(question["exportName"])
            return self._callback(question), b""
        raise Unsupported(f"There is no question {kind}.")

    @property
    def _provider(self):
        if self._strategy is None:
            raise Unsupported("No strategy is loaded.")
        return self._strategy.dp

    def _load(self, question):
        folder, file = question["source"]["folder"], question["source"]["file"]
        config = question.get("config", {})
        module, tree = loading.module_of(folder, file)
        cls = loading.class_of(module, tree, file, question.get("exportName"))
        self._name = cls.__name__
        self._account.replace_trade_class()
        wallets = Wallets(self._account, config.get("stake_currency"), config.get("trading_mode") == "futures")
        self._strategy = loading.made(cls, os.path.join(folder, file), config, question.get("pairs", []), question.get("markets", {}), wallets)
        described = loading.described(self._strategy, self._name)
        mode = self._strategy.config["trading_mode"]
        self._facts = {
            "strategy": self._name,
            "trading_mode": mode,
            "exchange": (config.get("exchange") or {}).get("name", ""),
            "timeframe_minutes": length_of(self._strategy.timeframe) // 60_000,
        }
        self._callbacks = Callbacks(self._strategy, self._strategy.config)
        gc.collect()
        gc.freeze()  # what is loaded stays: no search for garbage goes over it again
        return {"files": loading.texts_of(folder), "strategies": [described], "versions": _versions()}

    def _require(self, name):
        if name != self._name:
            raise Unsupported(f"There is no strategy {name} in this file.")

    def _analysed(self, question, rows):
        strategy, pair = self._strategy, question["symbol"]
        keep = question.get("keep", True)
        candles = columns.frame_of_rows(rows)
        # What is computed to be compared must not see candles of other series that come later.
        newest = None if keep or len(candles) == 0 else int(candles["date"].iloc[-1].timestamp() * 1000)
        self._provider.now = None
        self._provider.until = None if newest is None else newest + length_of(strategy.timeframe)
        metadata = {"pair": pair}
        advise = getattr(strategy, "advise_indicators", None) or strategy.populate_indicators
        frame = advise(candles.copy(), metadata)
        columns.check(candles, frame, "populate_indicators")
        frame = frame.copy()
        for own, outer, tag in (("populate_entry_trend", "advise_entry", "enter_tag"), ("populate_exit_trend", "advise_exit", "exit_tag")):
            method = getattr(strategy, outer, None)
            if method is None:
                frame.loc[:, tag] = ""
                method = getattr(strategy, own, None)
            if method is not None:
                frame = method(frame, metadata)
                columns.check(candles, frame, own)
        self._provider.until = None
        if keep:
            self._provider.put_analysed(pair, frame)
        return frame

    def _callback(self, question):
        name, asked = question["callback"], question["question"]
        if "account" in question:
            self._account.take(question["account"], self._trade)
        provider = self._provider
        if name == "loopStart":
            # The reference moves on what is known only after it: the candle before is the newest then.
            provider.now = asked - length_of(self._strategy.timeframe) if self._has_begun else None
            self._has_begun = True
            trade = None
        else:
            provider.now = asked["time"]
            trade = self._trade(asked.get("trade"))
        try:
            return {"value": self._callbacks.answer(name, asked, trade)}
        except Exception as error:
            # The product takes what the reference takes then, and counts it.
            return {"value": None, "failed": sentence_of(error)}

    def _trade(self, trade):
        if trade is None:
            return None
        return TradeView(trade, self._custom_data.setdefault(trade["id"], {}), self._facts)


def _versions():
    """What this Python has, as far as strategies usually need it; null where it lacks."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3]), "pandas": pandas.__version__, "numpy": numpy.__version__}
    for name, module in (("talib", "talib"), ("freqtrade", "freqtrade")):
        loaded = sys.modules.get(module)
        found[name] = None if loaded is None else str(getattr(loaded, "__version__", "unknown"))
    return found
