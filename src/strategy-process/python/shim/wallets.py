"""The account of a run: its trades and its money, as far as a strategy asks for them."""

import sys

from shim.wanted import Wanted


class Account:
    """What the product has said of the account; asking for what it has not said makes it begin again with it."""

    def __init__(self):
        self.begin()

    def begin(self):
        """A run begins."""
        self._news = None
        self._open = []
        self._closed = []

    def take(self, news, view_of):
        """Takes in what is new; `view_of` makes a view of a trade."""
        self._news = news
        self._open = [view_of(trade) for trade in news["open"]]
        self._closed.extend(view_of(trade) for trade in news["closed"])

    @property
    def money(self):
        return self._said()["wallet"]

    @property
    def starting_balance(self):
        return self._said()["startingBalance"]

    def trades(self, pair=None, is_open=None, open_date=None, close_date=None):
        """The trades that are meant, as the reference chooses them."""
        self._said()
        found = self._closed + self._open if is_open is None else self._open if is_open else self._closed
        return [
            trade
            for trade in found
            if (not pair or trade.pair == pair)
            and (not open_date or trade.open_date > open_date)
            and (not close_date or (trade.close_date and trade.close_date > close_date))
        ]

    def _said(self):
        if self._news is None:
            raise Wanted("account")
        return self._news

    def replace_trade_class(self):
        """Lets the class of trades that a file has imported answer from here: it would look into a database."""
        persistence = sys.modules.get("freqtrade.persistence")
        for name in ("Trade", "LocalTrade"):
            cls = getattr(persistence, name, None)
            if cls is None:
                continue
            cls.use_db = False
            cls.get_trades_proxy = staticmethod(lambda *, pair=None, is_open=None, open_date=None, close_date=None: self.trades(pair, is_open, open_date, close_date))
            cls.get_open_trades = staticmethod(lambda: self.trades(is_open=True))
            cls.get_open_trade_count = staticmethod(lambda: len(self.trades(is_open=True)))
            cls.get_total_closed_profit = staticmethod(lambda: sum(trade.close_profit_abs for trade in self.trades(is_open=False)))
            cls.total_open_trades_stakes = staticmethod(lambda: sum(trade.stake_amount for trade in self.trades(is_open=True)))


class Wallets:
    """What a strategy calls `wallets`."""

    def __init__(self, account, stake_currency, is_futures):
        self._account = account
        self._stake_currency = stake_currency
        self._is_futures = is_futures

    def get_free(self, currency):
        return self._account.money["free"] if currency == self._stake_currency else self._held(currency) - self._leaving(currency)

    def get_used(self, currency):
        if currency != self._stake_currency:
            return self._leaving(currency)
        if self._is_futures:
            return self._account.money["tied"]
        waiting = [order for trade in self._account.trades(is_open=True) for order in trade.open_orders if order.ft_order_side == trade.entry_side]
        return sum(order.stake_amount for order in waiting)

    def get_total(self, currency):
        return self.get_free(currency) + self.get_used(currency)

    def get_owned(self, pair, base_currency):
        return sum(trade.amount for trade in self._account.trades(pair, is_open=True))

    def get_total_stake_amount(self):
        return self._account.money["total"]

    def get_available_stake_amount(self):
        return self._account.money["available"]

    def get_starting_balance(self):
        return self._account.starting_balance

    def _held(self, currency):
        trades = [] if self._is_futures else self._account.trades(is_open=True)
        return sum(trade.amount for trade in trades if trade.base_currency == currency)

    def _leaving(self, currency):
        trades = [] if self._is_futures else self._account.trades(is_open=True)
        return sum(order.amount for trade in trades if trade.base_currency == currency for order in trade.open_orders if order.ft_order_side == trade.exit_side)
