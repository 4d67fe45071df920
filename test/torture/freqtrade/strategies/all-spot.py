"""Touches what a strategy for spot can do: informative candles, parameters with their file, further entries, partial exits, every callback."""

from datetime import timedelta

import pandas as pd
from freqtrade.persistence import Trade
from freqtrade.strategy import DecimalParameter, IntParameter, IStrategy, informative, merge_informative_pair, stoploss_from_open


class AllSpot(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "5m"
    can_short = False
    startup_candle_count = 60
    stoploss = -0.04
    minimal_roi = {"0": 0.05, "120": 0.02, "600": 0.006}
    trailing_stop = False
    use_custom_stoploss = True
    use_exit_signal = True
    exit_profit_only = False
    position_adjustment_enable = True
    max_entry_position_adjustment = 2
    order_types = {"entry": "limit", "exit": "limit", "stoploss": "market", "stoploss_on_exchange": False}
    unfilledtimeout = {"entry": 15, "exit": 15, "unit": "minutes"}
    protections = [
        {"method": "CooldownPeriod", "stop_duration_candles": 2},
        {"method": "StoplossGuard", "lookback_period_candles": 96, "trade_limit": 3, "stop_duration_candles": 24, "only_per_pair": True},
    ]

    fall = DecimalParameter(0.001, 0.02, default=0.004, decimals=3, space="buy")
    length = IntParameter(10, 60, default=48, space="buy")
    rise = DecimalParameter(0.001, 0.02, default=0.006, decimals=3, space="sell")

    def informative_pairs(self):
        return [("BTC/USDT", "15m")]

    @informative("1h")
    def populate_indicators_1h(self, dataframe, metadata):
        dataframe["slow"] = dataframe["close"].ewm(span=12).mean()
        return dataframe

    @informative("1h", "BTC/{stake}")
    def populate_indicators_btc(self, dataframe, metadata):
        dataframe["change"] = dataframe["close"].pct_change(3)
        return dataframe

    def populate_indicators(self, dataframe, metadata):
        dataframe["mean"] = dataframe["close"].rolling(int(self.length.value)).mean()
        dataframe["range"] = (dataframe["high"] - dataframe["low"]).rolling(14).mean()
        quarter = self.dp.get_pair_dataframe("BTC/USDT", "15m")
        quarter["mood"] = quarter["close"] / quarter["close"].shift(8) - 1
        return merge_informative_pair(dataframe, quarter, self.timeframe, "15m", ffill=True)

    def populate_entry_trend(self, dataframe, metadata):
        weak = dataframe["close"] < dataframe["mean"] * (1 - self.fall.value)
        calm = weak & (dataframe["close_1h"] > dataframe["slow_1h"] * 0.97) & (dataframe["btc_usdt_change_1h"] > -0.03)
        dataframe.loc[calm, ["enter_long", "enter_tag"]] = (1, "calm")
        dataframe.loc[calm & (dataframe["mood_15m"] < -0.002), "enter_tag"] = "mood"
        dataframe.loc[weak & (dataframe["volume"] > dataframe["volume"].rolling(50).mean() * 3), ["enter_long", "enter_tag"]] = (1, "loud")
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        high = dataframe["close"] > dataframe["mean"] * (1 + self.rise.value)
        dataframe.loc[high, ["exit_long", "exit_tag"]] = (1, "high")
        dataframe.loc[high & (dataframe["close"] < dataframe["open"]), "exit_tag"] = ""
        return dataframe

    def bot_start(self, **kwargs):
        self.loops = 0

    def bot_loop_start(self, current_time, **kwargs):
        self.loops += 1

    def custom_stake_amount(self, pair, current_time, current_rate, proposed_stake, min_stake, max_stake, leverage, entry_tag, side, **kwargs):
        return min(proposed_stake * (0.5 if entry_tag == "loud" else 0.4), max_stake)

    def custom_entry_price(self, pair, trade, current_time, proposed_rate, entry_tag, side, **kwargs):
        if trade is not None:
            return proposed_rate
        frame, _ = self.dp.get_analyzed_dataframe(pair, self.timeframe)
        return proposed_rate - frame["range"].iloc[-1] * 0.1 if len(frame) > 0 else proposed_rate

    def custom_exit_price(self, pair, trade, current_time, proposed_rate, current_profit, exit_tag, **kwargs):
        return proposed_rate * 1.0005 if exit_tag == "high" else proposed_rate

    def confirm_trade_entry(self, pair, order_type, amount, rate, time_in_force, current_time, entry_tag, side, **kwargs):
        return not (current_time.hour == 3 and order_type == "limit" and time_in_force == "GTC")

    def confirm_trade_exit(self, pair, trade, order_type, amount, rate, time_in_force, exit_reason, current_time, **kwargs):
        return not (exit_reason == "high" and trade.calc_profit_ratio(rate) < -0.004)

    def custom_stoploss(self, pair, trade, current_time, current_rate, current_profit, after_fill, **kwargs):
        if after_fill:
            return stoploss_from_open(-0.035, current_profit, is_short=trade.is_short, leverage=trade.leverage)
        if current_profit > 0.012:
            return stoploss_from_open(0.004, current_profit, is_short=trade.is_short, leverage=trade.leverage)
        return None

    def custom_exit(self, pair, trade, current_time, current_rate, current_profit, **kwargs):
        hourly = self.dp.get_pair_dataframe(pair, "1h")
        if len(hourly) > 5 and hourly["close"].iloc[-1] < hourly["close"].iloc[-5] * 0.97 and current_profit > 0:
            return "hours"
        if current_time - trade.open_date_utc > timedelta(hours=20):
            return True
        seen = trade.get_custom_data("seen", 0)
        trade.set_custom_data("seen", seen + 1)
        return "seen_enough" if seen > 150 and current_profit > 0.001 else None

    def adjust_trade_position(self, trade, current_time, current_rate, current_profit, min_stake, max_stake, current_entry_rate, current_exit_rate, current_entry_profit, current_exit_profit, **kwargs):
        if trade.has_open_orders:
            return None
        entries = trade.nr_of_successful_entries
        if current_profit < -0.012 * entries and entries < 3:
            return trade.stake_amount * 0.5, f"more_{entries}"
        if current_profit > 0.015 and trade.nr_of_successful_exits == 0:
            return -(trade.stake_amount / 3), "part"
        return None

    def check_entry_timeout(self, pair, trade, order, current_time, **kwargs):
        return order.filled == 0 and current_time - order.order_date_utc >= timedelta(minutes=10)

    def check_exit_timeout(self, pair, trade, order, current_time, **kwargs):
        return False

    def adjust_entry_price(self, trade, order, pair, current_time, proposed_rate, current_order_rate, entry_tag, side, **kwargs):
        return current_order_rate

    def order_filled(self, pair, trade, order, current_time, **kwargs):
        trade.set_custom_data("fills", trade.get_custom_data("fills", 0) + 1)
