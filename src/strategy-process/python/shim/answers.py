"""The questions about the strategy of a file, and their answers."""

import copy
import gc
import json
import logging
import os
import sys
import warnings

import numpy
import pandas

from shim import columns, loading, trial
from shim.callbacks import Callbacks
from shim.held import HeldCandles
from shim.memory import Memory
from shim.parameters import give_values
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
        self._memory = None
        self._has_begun = False

    def to(self, question, body):
        """The answer to a question, and the columns behind it. Fails: Unsupported, Wanted, and with whatever the strategy throws"""
        kind = question["kind"]
        if kind == "versions":
            return _versions(), b""
        if kind == "classes":
            return {"classes": loading.classes_of(question["source"]["folder"], question["source"]["file"])}, b""
        if kind == "load":
            return self._load(question), b""
        if kind == "series":
            self._provider.put_series(question["symbol"], question["timeframe"], question["series"], columns.frame_of(body))
            return {}, b""
        if kind == "parameters":
            give_values(self._strategy, question["values"])
            return {}, b""
        if kind == "settings":
            loading.give_settings(self._strategy, question["words"])
            return {}, b""
        if kind == "begin":
            self._custom_data.clear()
            self._account.begin()
            self._has_begun = False
            self._provider.put_gathered()
            return {}, b""
        if kind == "memory":
            return {"changed": self._memory.changed()}, b""
        if kind in ("columns", "row", "try"):
            rows, others = self._held.take(question["candles"], body)  # before anything can fail: what is sent next follows what was sent now
            self._require(question["exportName"])
            for name, series in others.items():
                self._provider.put_series(*json.loads(name), columns.frame_of_rows(series))
            if kind == "try":
                return trial.tried(lambda beginning: self._analysed(question["symbol"], beginning, False), rows), b""
            frame = self._analysed(question["symbol"], rows, question.get("keep", True))
            if question.get("gather", False):
                self._provider.gather(question["symbol"], frame)
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
        self._strategy = loading.made(cls, os.path.join(folder, file), config, question.get("pairs", []), question.get("markets", {}), wallets, question.get("parameters", {}))
        described = loading.described(self._strategy, self._name)
        mode = self._strategy.config["trading_mode"]
        self._facts = {
            "strategy": self._name,
            "trading_mode": mode,
            "exchange": (config.get("exchange") or {}).get("name", ""),
            "timeframe_minutes": length_of(self._strategy.timeframe) // 60_000,
        }
        self._callbacks = Callbacks(self._strategy, self._strategy.config)
        self._memory = Memory(self._strategy, module) if question.get("watched", False) else None
        gc.collect()
        gc.freeze()  # what is loaded stays: no search for garbage goes over it again
        return {"files": loading.texts_of(folder, file), "strategies": [described], "versions": _versions()}

    def _require(self, name):
        if name != self._name:
            raise Unsupported(f"There is no strategy {name} in this file.")

    def _analysed(self, pair, rows, keep):
        """The frame of candles with what the strategy makes of it; what is to be kept is what callbacks see from then on."""
        strategy = self._strategy
        candles = columns.frame_of_rows(rows)
        if keep and self._provider.is_running:
            self._provider.put_own(pair, candles)
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
            # The reference moves on what is known only after it, in a backtest: the candle before is the newest then.
            before = 0 if provider.is_running else length_of(self._strategy.timeframe)
            provider.now = asked - before if self._has_begun or provider.is_running else None
            self._has_begun = True
            trade = None
        else:
            provider.now = asked["time"]
            trade = self._trade(asked.get("trade"))
        try:
            answer = {"value": self._callbacks.answer(name, asked, trade)}
        except Exception as error:
            # The product takes what the reference takes then, and counts it.
            answer = {"value": None, "failed": sentence_of(error)}
        if provider.is_running and trade is not None and trade.custom_data != (asked["trade"].get("customData") or {}):
            answer["customData"] = _as_json(trade.custom_data)
        return answer

    def _trade(self, trade):
        """A view of a trade. The custom data of a run is kept here, that of a running bot comes and goes with the trade."""
        if trade is None:
            return None
        kept = copy.deepcopy(trade.get("customData") or {}) if self._provider.is_running else self._custom_data.setdefault(trade["id"], {})
        return TradeView(trade, kept, self._facts)


def _versions():
    """What this Python has, as far as strategies usually need it; null where it lacks."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3]), "pandas": pandas.__version__, "numpy": numpy.__version__}
    for name, module in (("talib", "talib"), ("freqtrade", "freqtrade")):
        loaded = sys.modules.get(module)
        found[name] = None if loaded is None else str(getattr(loaded, "__version__", "unknown"))
    return found


def _as_json(data):
    """Custom data as it can be stored: what JSON has no word for is kept as its text."""
    return json.loads(json.dumps(data, default=str))
