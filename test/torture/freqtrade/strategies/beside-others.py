"""Looks at its other trades and at the wallet before it decides."""

from datetime import timedelta

from freqtrade.persistence import Trade
from freqtrade.strategy import IStrategy


class BesideOthers(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "5m"
    startup_candle_count = 20
    stoploss = -0.02
    minimal_roi = {"0": 0.015}

    def populate_indicators(self, dataframe, metadata):
        dataframe["mean"] = dataframe["close"].rolling(20).mean()
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] < dataframe["mean"] * 0.997, "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] > dataframe["mean"] * 1.004, "exit_long"] = 1
        return dataframe

    def custom_stake_amount(self, pair, current_time, current_rate, proposed_stake, min_stake, max_stake, leverage, entry_tag, side, **kwargs):
        closed = Trade.get_trades_proxy(pair=pair, is_open=False)
        share = 0.2 if len(closed) > 0 and closed[-1].close_profit < 0 else 0.3
        total = self.wallets.get_total_stake_amount()
        return min(total * share, self.wallets.get_available_stake_amount(), self.wallets.get_free("USDT"))

    def confirm_trade_entry(self, pair, order_type, amount, rate, time_in_force, current_time, entry_tag, side, **kwargs):
        lately = Trade.get_trades_proxy(is_open=False, close_date=current_time - timedelta(hours=3))
        lost = sum(1 for trade in lately if trade.close_profit < 0)
        return lost < 2 and Trade.get_open_trade_count() < 2 and Trade.get_total_closed_profit() > -300

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
        others = [each for each in Trade.get_open_trades() if each.pair != pair]
        if others and others[0].calc_profit_ratio(others[0].open_rate * 1.001) > current_profit > 0.002:
            return "beside"
        return None
