"""Touches what a strategy for futures can do: both directions, leverage by side and price, a trailing stop, orders at other prices."""

from freqtrade.strategy import IStrategy, informative


class AllFutures(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "5m"
    can_short = True
    startup_candle_count = 40
    stoploss = -0.06
    minimal_roi = {"0": 0.06, "240": 0.02}
    trailing_stop = True
    trailing_stop_positive = 0.012
    trailing_stop_positive_offset = 0.02
    trailing_only_offset_is_reached = True
    use_custom_stoploss = False
    ignore_roi_if_entry_signal = True

    @informative("1h", "ETH/USDT:USDT", "{base}_{column}_{timeframe}")
    def populate_indicators_eth(self, dataframe, metadata):
        dataframe["turn"] = dataframe["close"].diff().rolling(3).mean()
        return dataframe

    def populate_indicators(self, dataframe, metadata):
        close = dataframe["close"]
        up = close.diff().clip(lower=0).ewm(alpha=1 / 14, adjust=False).mean()
        down = -close.diff().clip(upper=0).ewm(alpha=1 / 14, adjust=False).mean()
        dataframe["strength"] = 100 - 100 / (1 + up / down)
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[(dataframe["strength"] < 28) & (dataframe["eth_turn_1h"] > 0), ["enter_long", "enter_tag"]] = (1, "weak")
        dataframe.loc[(dataframe["strength"] > 74) & (dataframe["eth_turn_1h"] < 0), ["enter_short", "enter_tag"]] = (1, "strong")
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["strength"] > 66, "exit_long"] = 1
        dataframe.loc[dataframe["strength"] < 34, "exit_short"] = 1
        return dataframe

    def leverage(self, pair, current_time, current_rate, proposed_leverage, max_leverage, entry_tag, side, **kwargs):
        if entry_tag == "strong" and int(current_rate * 100) % 2 == 0:
            return 2.0
        return min(5.0 if side == "long" else 3.0, max_leverage)

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
        frame, _ = self.dp.get_analyzed_dataframe(pair, self.timeframe)
        last = frame.iloc[-1]
        if trade.is_short and last["strength"] < 40 and current_profit > 0.01:
            return "short_done"
        return None

    def adjust_order_price(self, trade, order, pair, current_time, proposed_rate, current_order_rate, entry_tag, side, is_entry, **kwargs):
        return current_order_rate

    def custom_entry_price(self, pair, trade, current_time, proposed_rate, entry_tag, side, **kwargs):
        return proposed_rate * (0.9992 if side == "long" else 1.0008)
