"""Reads candles of longer timeframes without announcing them, as many older files do, and trails a stop."""

from freqtrade.strategy import IStrategy, merge_informative_pair


class Unannounced(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "15m"
    stoploss = -0.03
    minimal_roi = {}
    trailing_stop = True

    def populate_indicators(self, dataframe, metadata):
        hourly = self.dp.get_pair_dataframe(metadata["pair"], "1h")
        hourly["top"] = hourly["high"].rolling(12).max()
        dataframe = merge_informative_pair(dataframe, hourly, self.timeframe, "1h", ffill=True)
        daily = self.dp.get_pair_dataframe(metadata["pair"], "4h")
        daily["bottom"] = daily["low"].rolling(6).min()
        return merge_informative_pair(dataframe, daily, self.timeframe, "4h", ffill=True)

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[(dataframe["close"] >= dataframe["top_1h"]) & (dataframe["close"] > dataframe["bottom_4h"] * 1.01), "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        return dataframe
