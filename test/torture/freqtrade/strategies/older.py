"""Written for an older interface: buy and sell in place of entry and exit."""

from freqtrade.strategy.interface import IStrategy


class Older(IStrategy):
    INTERFACE_VERSION = 2
    timeframe = "1h"
    minimal_roi = {"40": 0.0, "30": 0.01, "20": 0.02, "0": 0.04}
    stoploss = -0.10
    use_sell_signal = True
    sell_profit_only = True

    def populate_indicators(self, dataframe, metadata):
        dataframe["fast"] = dataframe["close"].rolling(5).mean()
        dataframe["slow"] = dataframe["close"].rolling(20).mean()
        return dataframe

    def populate_buy_trend(self, dataframe, metadata):
        dataframe.loc[(dataframe["fast"] < dataframe["slow"]) & (dataframe["close"] > dataframe["open"]), ["buy", "buy_tag"]] = (1, "weak")
        return dataframe

    def populate_sell_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["fast"] > dataframe["slow"], "sell"] = 1
        dataframe.loc[dataframe["close"] < dataframe["slow"] * 0.99, "sell"] = 1  # some of them where it buys
        return dataframe
