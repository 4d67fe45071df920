"""Finds the strategy in a file, makes it, and says what it is."""

import ast
import importlib.util
import inspect
import os
import sys

from shim import later, places
from shim.callbacks import callbacks_of, written_by_author
from shim.parameters import give_values, parameters_of
from shim.provider import Provider, RunMode, length_of
from shim.wanted import Unsupported

# What the configuration has the say in, and the class where that is silent.
_settings = [
    "minimal_roi",
    "timeframe",
    "stoploss",
    "trailing_stop",
    "trailing_stop_positive",
    "trailing_stop_positive_offset",
    "trailing_only_offset_is_reached",
    "use_custom_stoploss",
    "order_types",
    "order_time_in_force",
    "stake_currency",
    "stake_amount",
    "startup_candle_count",
    "unfilledtimeout",
    "use_exit_signal",
    "exit_profit_only",
    "exit_profit_offset",
    "ignore_roi_if_entry_signal",
    "ignore_buying_expired_candle_after",
    "position_adjustment_enable",
    "max_entry_position_adjustment",
    "max_open_trades",
]

# Settings by the names they had in older versions.
_older = {
    "sell_profit_only": "exit_profit_only",
    "sell_profit_offset": "exit_profit_offset",
    "use_sell_signal": "use_exit_signal",
    "ignore_roi_if_buy_signal": "ignore_roi_if_entry_signal",
}

# Words within settings that had other names in older versions.
_older_words = {
    "order_types": {
        "buy": "entry",
        "sell": "exit",
        "forcebuy": "force_entry",
        "forceentry": "force_entry",
        "forcesell": "force_exit",
        "forceexit": "force_exit",
        "emergencysell": "emergency_exit",
        "emergencyexit": "emergency_exit",
    },
    "order_time_in_force": {"buy": "entry", "sell": "exit"},
    "unfilledtimeout": {"buy": "entry", "sell": "exit"},
}

# Settings the product takes from here; what it has no use for in a backtest stays behind.
_carried = [name for name in _settings if name not in ("use_custom_stoploss", "order_time_in_force", "stake_currency")]


def module_of(folder, file):
    """The module of a strategy's file. Fails: with what happens while it is loaded"""
    places.set_folder(folder)
    path = os.path.join(folder, file)
    with open(path, encoding="utf-8") as source:
        tree = ast.parse(source.read(), file)
    name = os.path.splitext(os.path.basename(file))[0]
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module, tree


def texts_of(folder, file):
    """Every file of the folder that has been loaded, by its path below it, with its text; and that of the parameters, which the reference reads."""
    root = os.path.join(os.path.realpath(folder), "")
    found = {}
    # Those it has imported came after it. The others are not looked at: that alone writes to their memory, and a copy shares it no more.
    for name in reversed(sys.modules):
        path = later.file_of(sys.modules[name])
        real = os.path.realpath(path) if path else ""
        if real.startswith(root) and real.endswith(".py") and os.path.isfile(real):
            with open(real, encoding="utf-8") as source:
                found[os.path.relpath(real, root)] = source.read()
        if name == os.path.splitext(os.path.basename(file))[0]:
            break
    parameters = os.path.splitext(file)[0] + ".json"
    if os.path.isfile(os.path.join(root, parameters)):
        with open(os.path.join(root, parameters), encoding="utf-8") as source:
            found[parameters] = source.read()
    return found


def classes_of(folder, file):
    """The strategies of a file, each with whether it goes short and names a timeframe. Fails: Unsupported, and with what happens while it is loaded"""
    module, tree = module_of(folder, file)
    found = [name for name, each in vars(module).items() if name in _lines_of(tree) and _is_strategy(each)]
    if not found:
        class_of(module, tree, file, None)
    classes = [(name, class_of(module, tree, file, name)) for name in found]
    return [
        {"name": name, "canShort": bool(getattr(cls, "can_short", False)), "hasTimeframe": getattr(cls, "timeframe", None) is not None}
        for name, cls in classes
    ]


def _lines_of(tree):
    lines = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            lines.setdefault(node.name, []).append(node.lineno)
    return lines


def class_of(module, tree, file, wanted):
    """The class that is meant: the one that is named, else that of the file's name, else the only one. Fails: ValueError"""
    lines = _lines_of(tree)
    found = [name for name, each in vars(module).items() if name in lines and _is_strategy(each)]
    stem = os.path.splitext(os.path.basename(file))[0]
    if wanted is None:
        name = stem if stem in found else found[0] if len(found) == 1 else None
        if name is None and not found:
            raise Unsupported(f"{file} has no strategy: a class with populate_indicators and populate_entry_trend.")
        if name is None:
            raise Unsupported(f"{file} has several strategies; choose one: {', '.join(f'{file}#{each}' for each in found)}.")
    else:
        name = wanted
        if name not in found:
            others = f"it has {', '.join(found)}" if found else "it has no strategy at all"
            raise Unsupported(f"{file} has no strategy {name}; {others}.")
    if len(lines[name]) > 1:
        raise Unsupported(f"{file} defines {name} twice, in the lines {' and '.join(str(line) for line in lines[name])}.")
    return getattr(module, name)


def _is_strategy(value):
    return (
        inspect.isclass(value)
        and callable(getattr(value, "populate_indicators", None))
        and any(callable(getattr(value, name, None)) for name in ("populate_entry_trend", "populate_buy_trend"))
    )


def made(cls, path, config, pairs, markets, wallets, parameters):
    """The strategy of a class under a configuration, started, with all that it is promised. Fails: Unsupported, and with what it throws"""
    config = _configuration(config, cls.__name__)
    cls.__file__ = path  # the file of its parameters lies beside it
    _refuse_unsupported(cls, config)
    strategy = cls() if cls.__init__ is object.__init__ else cls(config)
    if not hasattr(strategy, "config"):
        strategy.config = config
    for apply in ("ft_set_special_params_from_file", "ft_load_params_from_file"):
        if hasattr(strategy, apply):
            getattr(strategy, apply)()
            break
    give_values(strategy, parameters)
    for old, new in _older.items():
        if hasattr(strategy, old):
            setattr(strategy, new, getattr(strategy, old))
    for name in _settings:
        _settle(strategy, config, name)
    _use_newer_words(strategy, config)
    if getattr(strategy, "max_open_trades", None) is not None and not isinstance(getattr(type(strategy), "max_open_trades", None), property):
        strategy.max_open_trades = _most_open(strategy.max_open_trades)
    if getattr(strategy, "minimal_roi", None) is not None and not isinstance(getattr(type(strategy), "minimal_roi", None), property):
        strategy.minimal_roi = _table_of(strategy.minimal_roi)
    if getattr(strategy, "stoploss", None) is not None and not isinstance(getattr(type(strategy), "stoploss", None), property):
        strategy.stoploss = float(strategy.stoploss)
    if getattr(strategy, "can_short", False) and _mode_of(config) == "spot":
        raise Unsupported(f"{cls.__name__} goes short (can_short), which spot does not allow: use futures, or set can_short to False.")
    strategy.dp = Provider(config, pairs, markets, config["runmode"])
    strategy.wallets = wallets
    for name in ("lock_pair", "unlock_pair", "unlock_reason"):
        setattr(strategy, name, _refusing(f"{cls.__name__} locks pairs itself ({name}), which is not offered: use protections."))
    strategy.is_pair_locked = lambda *_, **__: False
    start = getattr(strategy, "ft_bot_start", None) or getattr(strategy, "bot_start", None)
    if start is not None:
        start()
    return strategy


def give_settings(strategy, words):
    """Gives settings these values in the class, as the reference does for each epoch, and in its configuration, where a bot that has them finds them."""
    for name, value in words.items():
        value = _most_open(value) if name == "max_open_trades" else value
        strategy.config[name] = value
        if not isinstance(getattr(type(strategy), name, None), property):
            setattr(strategy, name, _table_of(value) if name == "minimal_roi" else value)


def described(strategy, name):
    """What a strategy says of itself, in the words of the wire."""
    if getattr(strategy, "timeframe", None) is None:
        raise Unsupported(f"{name} names no timeframe: give --timeframe.")
    if getattr(strategy, "stoploss", None) is None:
        raise Unsupported(f"{name} names no stoploss, and neither does the configuration.")
    return {
        "exportName": name,
        "name": name,
        "title": name,
        "description": (inspect.getdoc(type(strategy)) or "").strip()[:2000] if type(strategy).__doc__ else "",
        "losesWhen": "",
        "kind": "trend",  # a class says nothing of it
        "parameters": parameters_of(strategy),
        "series": [],
        "defaults": _defaults(strategy),
        "canShort": bool(getattr(strategy, "can_short", False)),
        "startupCandles": int(getattr(strategy, "startup_candle_count", 0) or 0),
        "callbacks": callbacks_of(strategy),
        "stopAfterFill": _asks_after_fill(strategy),
        "words": {key: _plain(getattr(strategy, key)) for key in _carried if getattr(strategy, key, None) is not None},
        "protections": _plain(list(getattr(strategy, "protections", None) or [])),
        "announced": _series_of(strategy),
    }


def _most_open(number):
    """A number of open trades as a class reads it: -1, no limit, is infinite."""
    return float("inf") if number < 0 else number


def _table_of(minimal_roi):
    return dict(sorted((int(minutes), ratio) for minutes, ratio in minimal_roi.items()))


def _defaults(strategy):
    """The settings as every strategy suggests them; the product's own words have them all."""
    return {
        "timeframe": strategy.timeframe,
        "stoploss": _plain(strategy.stoploss),
        "minimalRoi": _plain(getattr(strategy, "minimal_roi", None) or {}),
        "trailingStop": bool(getattr(strategy, "trailing_stop", False)),
        "trailingStopPositive": _plain(getattr(strategy, "trailing_stop_positive", None)),
        "trailingStopPositiveOffset": _plain(getattr(strategy, "trailing_stop_positive_offset", None) or 0),
        "trailingOnlyOffsetIsReached": bool(getattr(strategy, "trailing_only_offset_is_reached", False)),
    }


def _configuration(config, name):
    """The configuration as a strategy finds it in `self.config`: words of the reference where the file has imported it."""
    enums = sys.modules.get("freqtrade.enums")
    mode = config.get("trading_mode") or "spot"
    words = {**config, "strategy": name, "trading_mode": mode, "candle_type_def": "futures" if mode == "futures" else "spot"}
    words.setdefault("runmode", "backtest")
    words["runmode"] = RunMode(words["runmode"])
    if words.get("max_open_trades") is not None:
        words["max_open_trades"] = _most_open(words["max_open_trades"])
    for key, enum in (("candle_type_def", "CandleType"), ("trading_mode", "TradingMode"), ("margin_mode", "MarginMode"), ("runmode", "RunMode")):
        if enums is not None and hasattr(enums, enum) and key in words:
            words[key] = getattr(enums, enum)(str(words[key]))
    return words


def _settle(strategy, config, name):
    """The configuration's value over the class's; what only the class says is part of the configuration from then on."""
    if name in config and config[name] is not None and not isinstance(getattr(type(strategy), name, None), property):
        setattr(strategy, name, config[name])
    elif getattr(strategy, name, None) is not None:
        config[name] = getattr(strategy, name)


def _use_newer_words(strategy, config):
    """Settings in the words of today. The reference reads older ones on spot only. Fails: Unsupported"""
    for name, words in _older_words.items():
        said = getattr(strategy, name, None)
        older = [word for word in words if isinstance(said, dict) and word in said]
        if not older:
            continue
        if _mode_of(config) != "spot":
            raise Unsupported(f'{type(strategy).__name__} has "{older[0]}" in {name}, an older word that only spot allows: write "{words[older[0]]}".')
        config[name] = {words.get(word, word): value for word, value in said.items()}
        setattr(strategy, name, config[name])


def _mode_of(config):
    return str(getattr(config["trading_mode"], "value", config["trading_mode"]))


def _refuse_unsupported(cls, config):
    name = cls.__name__
    if (config.get("freqai") or {}).get("enabled") is True:
        raise Unsupported('FreqAI ("freqai" in the configuration) is not offered.')
    if any(callable(getattr(cls, each, None)) and written_by_author(cls, each) for each in ("set_freqai_targets", "populate_any_indicators")):
        raise Unsupported(f"{name} is a strategy for FreqAI, which is not offered.")
    if len(inspect.getfullargspec(cls.populate_indicators).args) == 2:
        raise Unsupported(f"{name} has populate_indicators without metadata: an interface of before 2019, which is not offered.")
    if written_by_author(cls, "adjust_order_price") and (written_by_author(cls, "adjust_entry_price") or written_by_author(cls, "adjust_exit_price")):
        raise Unsupported(f"{name} has adjust_order_price, and with it adjust_entry_price and adjust_exit_price count for nothing: choose one.")
    if (config.get("exchange") or {}).get("use_public_trades") is True:
        raise Unsupported('Public trades ("use_public_trades" in the configuration) are not offered.')


def _asks_after_fill(strategy):
    method = getattr(strategy, "custom_stoploss", None)
    return method is not None and written_by_author(type(strategy), "custom_stoploss") and "after_fill" in inspect.getfullargspec(method).args


def _series_of(strategy):
    """The series that are announced: pair, timeframe and kind of candles."""
    gather = getattr(strategy, "gather_informative_pairs", None) or getattr(strategy, "informative_pairs", None)
    found = []
    for pair, timeframe, *kind in gather() if gather is not None else []:
        text = str(getattr(kind[0], "value", kind[0])) if kind else ""
        length_of(timeframe)
        each = {"symbol": pair, "timeframe": timeframe, "kind": text or str(getattr(strategy.config["candle_type_def"], "value", strategy.config["candle_type_def"]))}
        if each not in found:
            found.append(each)
    return sorted(found, key=lambda each: (each["symbol"], each["timeframe"], each["kind"]))


def _refusing(sentence):
    def refuse(*_, **__):
        raise Unsupported(sentence)

    return refuse


def _plain(value):
    """A value as JSON has it; an infinite number of trades is -1."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, (bool, str)) or value is None:
        return value
    number = float(value)
    if number != number:
        raise Unsupported("A setting of the class is nan, which is not a number.")
    if number in (float("inf"), float("-inf")):
        return -1
    return int(number) if number.is_integer() else number
