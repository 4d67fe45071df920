"""Trades and orders as strategies of the reference know them: read-only views of what the product has sent."""

from datetime import datetime, timezone
from decimal import Decimal


def time_of(ms):
    """A time in ms as a datetime in UTC; None for none."""
    return None if ms is None else datetime.fromtimestamp(ms / 1000, tz=timezone.utc)


def _exact(number):
    return Decimal(str(number))


class OrderView:
    """An order of a trade."""

    def __init__(self, order, trade):
        self._order = order
        self.trade = trade
        self.id = self.order_id = order["id"]
        self.ft_pair = self.symbol = trade.pair
        self.ft_trade_id = trade.id
        self.side = order["side"]
        self.ft_order_side = "stoploss" if order["type"] == "stop" else order["side"]
        self.order_type = "stoploss" if order["type"] == "stop" else order["type"]
        self.ft_is_open = order["state"] not in ("filled", "cancelled", "expired", "refused")
        self.status = "open" if self.ft_is_open else "closed" if order["filled"] > 0 else "canceled"
        self.ft_order_tag = order["tag"]
        self.amount = self.ft_amount = self.safe_amount = order["amount"]
        self.price = self.ft_price = self.safe_placement_price = order["price"]
        self.stop_price = order["price"] if order["type"] == "stop" else None
        self.average = order["fillPrice"]
        self.safe_price = self.average or self.price
        self.filled = self.safe_filled = order["filled"]
        self.remaining = self.safe_remaining = order["amount"] - order["filled"]
        self.cost = self.safe_cost = order["filled"] * self.safe_price
        self.ft_fee_base = order["baseFee"] or None
        self.safe_fee_base = order["baseFee"]
        self.safe_amount_after_fee = order["filled"] - order["baseFee"]
        self.funding_fee = order["fundingFee"]
        self.order_date = self.order_date_utc = time_of(order["createdTime"])
        self.order_filled_date = self.order_filled_utc = time_of(order["filledTime"])

    @property
    def stake_amount(self):
        return float(_exact(self.safe_amount) * _exact(self.safe_price) / _exact(self.trade.leverage))

    @property
    def stake_amount_filled(self):
        return float(_exact(self.safe_filled) * _exact(self.safe_price) / _exact(self.trade.leverage))


class TradeView:
    """A trade. What a strategy changes of it is forgotten with the answer; only its custom data is kept."""

    def __init__(self, trade, custom_data, facts):
        self._trade = trade
        self.custom_data = custom_data
        self._orders = None
        self.id = trade["id"]
        self.pair = trade["symbol"]
        self.is_short = trade["direction"] == "short"
        self.trade_direction = trade["direction"]
        self.entry_side, self.exit_side = ("sell", "buy") if self.is_short else ("buy", "sell")
        self.is_open = trade["isOpen"]
        self.leverage = trade["leverage"]
        self.enter_tag = self.buy_tag = trade["enterTag"]
        self.exit_reason = self.sell_reason = trade["exitReason"]
        self.amount = trade["amount"]
        self.amount_requested = trade["orders"][0]["amount"] if trade["orders"] else trade["amount"]
        self.stake_amount = trade["stake"]
        self.max_stake_amount = trade["stakeMax"]
        self.open_rate = trade["openRate"]
        self.open_rate_requested = trade["orders"][0]["price"] if trade["orders"] else trade["openRate"]
        self.open_trade_value = trade["openValue"]
        self.close_rate = self.close_rate_requested = trade["closeRate"]
        self.safe_close_rate = trade["closeRate"] or 0.0
        self.open_date = self.open_date_utc = time_of(trade["openTime"])
        self.close_date = self.close_date_utc = time_of(trade["closeTime"])
        self.close_profit = trade["profitRatio"]
        self.close_profit_abs = trade["profit"]
        self.realized_profit = trade["realizedProfit"]
        self.fee_open = trade["feeOpen"]
        self.fee_close = trade["feeClose"]
        self.funding_fees = trade["fundingFees"]
        self.funding_fee_running = trade["fundingRunning"]
        self.stop_loss = trade["stop"] or None
        self.stop_loss_pct = trade["stopRatio"]
        self.initial_stop_loss = trade["initialStop"] or None
        self.initial_stop_loss_pct = trade["initialStopRatio"]
        self.is_stop_loss_trailing = trade["isStopTrailing"]
        self.liquidation_price = trade["liquidationPrice"]
        self.max_rate = trade["maxRate"]
        self.min_rate = trade["minRate"]
        self.contract_size = trade["contractSize"]
        self.amount_precision = trade["amountStep"]
        self.price_precision = trade["priceTick"]
        self.trading_mode = facts["trading_mode"]
        self.exchange = facts["exchange"]
        self.strategy = facts["strategy"]
        self.timeframe = facts["timeframe_minutes"]
        base, rest = self.pair.split("/")
        self.base_currency = self.safe_base_currency = base
        self.stake_currency = self.safe_quote_currency = self.quote_currency = rest.split(":")[0]

    @property
    def orders(self):
        if self._orders is None:
            self._orders = [OrderView(order, self) for order in self._trade["orders"]]
        return self._orders

    @property
    def open_orders(self):
        return [order for order in self.orders if order.ft_is_open and order.ft_order_side != "stoploss"]

    @property
    def open_orders_ids(self):
        return [order.order_id for order in self.open_orders]

    @property
    def has_open_orders(self):
        return len(self.open_orders) > 0

    @property
    def has_open_position(self):
        return self.amount > 0

    @property
    def sl_orders(self):
        return [order for order in self.orders if order.ft_order_side == "stoploss"]

    @property
    def open_sl_orders(self):
        return [order for order in self.sl_orders if order.ft_is_open]

    @property
    def has_open_sl_orders(self):
        return len(self.open_sl_orders) > 0

    @property
    def has_no_leverage(self):
        return self.leverage == 1.0 and not self.is_short

    @property
    def stoploss_or_liquidation(self):
        if self.liquidation_price:
            return min(self.stop_loss, self.liquidation_price) if self.is_short else max(self.stop_loss, self.liquidation_price)
        return self.stop_loss

    @property
    def nr_of_successful_entries(self):
        return len(self.select_filled_orders(self.entry_side))

    @property
    def nr_of_successful_exits(self):
        return len(self.select_filled_orders(self.exit_side))

    @property
    def nr_of_successful_buys(self):
        return len(self.select_filled_orders("buy"))

    @property
    def nr_of_successful_sells(self):
        return len(self.select_filled_orders("sell"))

    @property
    def date_last_filled_utc(self):
        times = [order.order_filled_utc for order in self.select_filled_orders() if order.order_filled_utc]
        return max([self.open_date_utc, *times])

    @property
    def date_entry_fill_utc(self):
        times = [order.order_filled_utc for order in self.select_filled_orders(self.entry_side) if order.order_filled_utc]
        return min(times) if times else None

    def select_order(self, order_side=None, is_open=None, only_filled=False):
        for order in reversed(self.orders):
            if order_side and order.ft_order_side != order_side:
                continue
            if is_open is not None and order.ft_is_open != is_open:
                continue
            if is_open is False and only_filled and not order.filled:
                continue
            return order
        return None

    def select_order_by_order_id(self, order_id):
        return next((order for order in self.orders if order.order_id == order_id), None)

    def select_filled_orders(self, order_side=None):
        return [order for order in self.orders if order_side in (None, order.ft_order_side) and not order.ft_is_open and order.filled]

    def select_filled_or_open_orders(self):
        return [order for order in self.orders if order.ft_is_open or order.filled > 0]

    def calc_close_trade_value(self, rate, amount=None):
        if rate is None and not self.close_rate:
            return 0.0
        value = _exact(amount or self.amount) * _exact(rate)
        fees = value * _exact(self.fee_close or 0.0)
        closed = float(value + fees) if self.is_short else float(value - fees)
        if self._trade["marketType"] != "futures":
            return closed
        funding = self.funding_fees or 0.0
        return closed - funding if self.is_short else closed + funding

    def calc_profit(self, rate, amount=None, open_rate=None):
        opened = self.open_trade_value if amount is None or open_rate is None else self._value_at_entry(amount, open_rate)
        closed = self.calc_close_trade_value(rate, amount)
        return round(opened - closed if self.is_short else closed - opened, 8)

    def calc_profit_ratio(self, rate, amount=None, open_rate=None):
        closed = self.calc_close_trade_value(rate, amount)
        if amount is None and open_rate is None:
            opened = self.open_trade_value
        else:
            opened = self._value_at_entry(amount or self.amount, open_rate or self.open_rate)
        if opened == 0.0:
            return 0.0
        ratio = (1 - closed / opened) if self.is_short else (closed / opened - 1)
        return round(ratio * self.leverage, 8)

    def calculate_profit(self, rate, amount=None, open_rate=None):
        opened = self.open_trade_value if amount is None or open_rate is None else self._value_at_entry(amount, open_rate)
        closed = self.calc_close_trade_value(rate, amount)
        profit = opened - closed if self.is_short else closed - opened
        total = profit + self.realized_profit
        fee = (1 - self.fee_open) if self.is_short else (1 + self.fee_open)
        paid = (self.max_stake_amount or 0.0) * fee
        return ProfitView(
            round(profit, 8),
            self.calc_profit_ratio(rate) if amount is None or open_rate is None else self.calc_profit_ratio(rate, amount, open_rate),
            round(total, 8),
            round(total / paid, 8) if paid else 0.0,
        )

    def get_custom_data(self, key, default=None):
        return self.custom_data.get(key, default)

    def set_custom_data(self, key, value):
        self.custom_data[key] = value

    def delete_custom_data(self, key=None):
        if key is None:
            self.custom_data.clear()
        else:
            self.custom_data.pop(key, None)

    def _value_at_entry(self, amount, rate):
        value = _exact(amount) * _exact(rate)
        fees = value * _exact(self.fee_open)
        return float(value - fees if self.is_short else value + fees)


class ProfitView:
    """What a trade has made at a price."""

    def __init__(self, profit_abs, profit_ratio, total_profit, total_profit_ratio):
        self.profit_abs = profit_abs
        self.profit_ratio = profit_ratio
        self.total_profit = total_profit
        self.total_profit_ratio = total_profit_ratio
