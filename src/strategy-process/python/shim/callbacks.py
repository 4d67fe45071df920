"""Callbacks: the product's questions put to the methods of a strategy, and their answers in the product's words."""

import math

from shim.trades import time_of

# The product's callback, and the methods that answer it: the first that the author has written counts.
METHODS = {
    "loopStart": ["bot_loop_start"],
    "leverage": ["leverage"],
    "stake": ["custom_stake_amount"],
    "entryPrice": ["custom_entry_price"],
    "exitPrice": ["custom_exit_price"],
    "roi": ["custom_roi"],
    "adjustPosition": ["adjust_trade_position"],
    "adjustOrderPrice": ["adjust_order_price", "adjust_entry_price", "adjust_exit_price"],
    "customStop": ["custom_stoploss"],
    "customExit": ["custom_exit", "custom_sell"],
    "confirmEntry": ["confirm_trade_entry"],
    "confirmExit": ["confirm_trade_exit"],
    "isTimedOut": ["check_entry_timeout", "check_exit_timeout", "check_buy_timeout", "check_sell_timeout"],
    "orderFilled": ["order_filled"],
}


def written_by_author(cls, name):
    """Whether the class, or one above it, has this method of its own: what the reference's base class has does nothing."""
    for each in cls.__mro__:
        if name in vars(each):
            return each.__module__.split(".")[0] != "freqtrade" and each is not object
    return False


def callbacks_of(strategy):
    """The product's callbacks that the author has written."""
    found = [name for name, methods in METHODS.items() if any(written_by_author(type(strategy), method) for method in methods)]
    if not getattr(strategy, "use_custom_stoploss", False) and "customStop" in found:
        found.remove("customStop")
    if not getattr(strategy, "position_adjustment_enable", False) and "adjustPosition" in found:
        found.remove("adjustPosition")
    return found


class Callbacks:
    """Puts questions to a strategy."""

    def __init__(self, strategy, config):
        self._strategy = strategy
        self._order_type = getattr(strategy, "order_types", None) or {}
        self._in_force = getattr(strategy, "order_time_in_force", None) or {}
        self._config = config

    def answer(self, name, question, trade):
        """The answer, ready for JSON. Fails: with what the strategy throws, TypeError for a number that is none"""
        return getattr(self, f"_{name}")(question, trade)

    def _method(self, *names):
        """The first of the methods that the class has; the reference's own pass on to older names."""
        return next((getattr(self._strategy, name) for name in names if hasattr(self._strategy, name)), None)

    def _loopStart(self, question, trade):
        self._strategy.bot_loop_start(current_time=time_of(question))

    def _leverage(self, question, trade):
        answer = self._strategy.leverage(
            pair=question["symbol"],
            current_time=time_of(question["time"]),
            current_rate=question["price"],
            proposed_leverage=float(question["proposedLeverage"]),
            max_leverage=question["maxLeverage"],
            entry_tag=question["tag"],
            side=question["direction"],
        )
        return _number(answer)

    def _stake(self, question, trade):
        answer = self._strategy.custom_stake_amount(
            pair=question["symbol"],
            current_time=time_of(question["time"]),
            current_rate=question["price"],
            proposed_stake=question["proposedStake"],
            min_stake=question["minStake"],
            max_stake=question["maxStake"],
            leverage=question["leverage"],
            entry_tag=question["tag"],
            side=question["direction"],
        )
        return _number(answer) if answer else 0

    def _entryPrice(self, question, trade):
        answer = self._strategy.custom_entry_price(
            pair=question["symbol"],
            trade=trade,
            current_time=time_of(question["time"]),
            proposed_rate=question["proposedPrice"],
            entry_tag=question["tag"],
            side=question["direction"],
        )
        return _number_or_none(answer)

    def _exitPrice(self, question, trade):
        answer = self._strategy.custom_exit_price(
            pair=trade.pair,
            trade=trade,
            current_time=time_of(question["time"]),
            proposed_rate=question["proposedPrice"],
            current_profit=question["profitRatio"],
            exit_tag=question["reason"],
        )
        return _number_or_none(answer)

    def _roi(self, question, trade):
        answer = self._strategy.custom_roi(
            pair=trade.pair,
            trade=trade,
            current_time=time_of(question["time"]),
            trade_duration=question["minutes"],
            entry_tag=trade.enter_tag,
            side=trade.trade_direction,
        )
        return _number_or_none(answer)

    def _adjustPosition(self, question, trade):
        rate, profit = question["price"], question["profitRatio"]
        answer = self._strategy.adjust_trade_position(
            trade=trade,
            current_time=time_of(question["time"]),
            current_rate=rate,
            current_profit=profit,
            min_stake=question["minStake"],
            max_stake=question["maxStake"],
            current_entry_rate=rate,
            current_exit_rate=rate,
            current_entry_profit=profit,
            current_exit_profit=profit,
        )
        if isinstance(answer, tuple):
            stake, tag = (*answer, None, None)[:2]
            return {"stake": _number_or_none(stake), "tag": str(tag)[:255] if tag else None}
        return _number_or_none(answer)

    def _adjustOrderPrice(self, question, trade):
        order = trade.select_order_by_order_id(question["order"]["id"])
        words = {
            "trade": trade,
            "order": order,
            "pair": trade.pair,
            "current_time": time_of(question["time"]),
            "proposed_rate": question["proposedPrice"],
            "current_order_rate": order.ft_price,
            "entry_tag": trade.enter_tag,
            "side": trade.trade_direction,
        }
        is_entry = question["order"]["purpose"] == "entry"
        whole = self._method("adjust_order_price")
        if whole is not None:
            return _number_or_none(whole(**words, is_entry=is_entry))
        half = self._method("adjust_entry_price" if is_entry else "adjust_exit_price")
        return order.ft_price if half is None else _number_or_none(half(**words))

    def _customStop(self, question, trade):
        answer = self._strategy.custom_stoploss(
            pair=trade.pair,
            trade=trade,
            current_time=time_of(question["time"]),
            current_rate=question["price"],
            current_profit=question["profitRatio"],
            after_fill=question["afterFill"],
        )
        return _number_or_none(answer)

    def _customExit(self, question, trade):
        answer = self._method("custom_exit", "custom_sell")(
            pair=trade.pair,
            trade=trade,
            current_time=time_of(question["time"]),
            current_rate=question["price"],
            current_profit=question["profitRatio"],
        )
        if not answer:
            return None
        return answer[:255] if isinstance(answer, str) else "custom_exit"

    def _confirmEntry(self, question, trade):
        answer = self._strategy.confirm_trade_entry(
            pair=question["symbol"],
            order_type=self._order_type.get("entry", "limit"),
            amount=question["amount"],
            rate=question["price"],
            time_in_force=self._in_force.get("entry", "GTC"),
            current_time=time_of(question["time"]),
            entry_tag=question["tag"],
            side=question["direction"],
        )
        return bool(answer)

    def _confirmExit(self, question, trade):
        answer = self._strategy.confirm_trade_exit(
            pair=trade.pair,
            trade=trade,
            order_type=self._order_type.get("exit", "limit"),
            amount=question["amount"],
            rate=question["price"],
            time_in_force=self._in_force.get("exit", "GTC"),
            sell_reason=question["reason"],
            exit_reason=question["reason"],
            current_time=time_of(question["time"]),
        )
        return bool(answer)

    def _isTimedOut(self, question, trade):
        is_entry = question["order"]["purpose"] == "entry"
        method = self._method("check_entry_timeout", "check_buy_timeout") if is_entry else self._method("check_exit_timeout", "check_sell_timeout")
        if method is None:
            return False
        order = trade.select_order_by_order_id(question["order"]["id"])
        return bool(method(pair=trade.pair, trade=trade, order=order, current_time=time_of(question["time"])))

    def _orderFilled(self, question, trade):
        order = trade.select_order_by_order_id(question["order"]["id"])
        self._strategy.order_filled(pair=trade.pair, trade=trade, order=order, current_time=time_of(question["time"]))


def _number(answer):
    number = float(answer)
    if not math.isfinite(number):
        raise ValueError(f"it returns {number} and must return a number")
    return number


def _number_or_none(answer):
    if answer is None:
        return None
    number = float(answer)
    return number if math.isfinite(number) else None
