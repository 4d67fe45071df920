"""What a strategy calls `dp`: candles of its own and of other series, as far as they are known at the moment."""

import datetime

import pandas

from shim.wanted import Unsupported, Wanted

_minute = 60_000
_lengths = {"m": _minute, "h": 60 * _minute, "d": 1440 * _minute, "w": 7 * 1440 * _minute}
_first_monday = 4 * 1440 * _minute
_most_rows = 1000  # of analysed candles, in a callback
_epoch = datetime.datetime.fromtimestamp(0, tz=datetime.timezone.utc)


def length_of(timeframe):
    """The length of a timeframe such as 5m, in ms."""
    return int(timeframe[:-1]) * _lengths[timeframe[-1]]


def opening_before(timeframe, time):
    """The newest opening time of a candle at or before a time, both in ms."""
    length = length_of(timeframe)
    first = _first_monday if timeframe.endswith("w") else 0
    return (time - first) // length * length + first


def _time_of(ms):
    return pandas.Timestamp(ms, unit="ms", tz="UTC")


def _count_before(frame, ms):
    """How many candles of a frame opened before a time in ms: they are in the sequence of their times, so nothing is compared with all of them."""
    return int(frame["date"].searchsorted(_time_of(ms), side="left"))


class RunMode(str):
    """How the strategy is run; compares as text, and has its text as its value."""

    @property
    def value(self):
        return str(self)


class Provider:
    """Candles, as the reference offers them to strategies."""

    def __init__(self, config, pairs, markets, runmode):
        self._config = config
        self._pairs = pairs
        self._markets = markets
        self._candle_type = str(getattr(config["candle_type_def"], "value", config["candle_type_def"]))
        self._series = {}
        self._analysed = {}
        self._gathered = {}
        self.now = None  # what is known at this time, in ms; None while columns are computed
        self.until = None  # while columns are computed: only candles that have closed by this time are shown; None shows all
        self.runmode = runmode

    @property
    def is_running(self):
        """Whether this is a running bot rather than a backtest."""
        return self.runmode in ("dry_run", "live")

    def put_series(self, pair, timeframe, candle_type, frame):
        """Takes the candles of a series."""
        self._series[(pair, timeframe, candle_type)] = frame

    def put_own(self, pair, frame):
        """Takes the candles of a traded pair."""
        self.put_series(pair, self._config["timeframe"], self._candle_type, frame)

    def put_analysed(self, pair, frame):
        """Takes the analysed candles of a pair."""
        self._analysed[pair] = frame

    def gather(self, pair, frame):
        """Takes the newest row of the analysed candles of a pair, behind those of before; of the first window all rows."""
        rows = self._gathered.setdefault(pair, [])
        rows.append(frame if not rows else frame.iloc[-1:])

    def put_gathered(self):
        """What was gathered is what callbacks see from then on: each row as it was when it was the newest."""
        for pair, rows in self._gathered.items():
            self.put_analysed(pair, pandas.concat(rows, ignore_index=True))
        self._gathered = {}

    def current_whitelist(self):
        return list(self._pairs)

    def historic_ohlcv(self, pair, timeframe, candle_type=""):
        return self._opened_before(pair, str(timeframe), candle_type, [])

    def get_pair_dataframe(self, pair, timeframe=None, candle_type=""):
        frame = str(timeframe or self._config["timeframe"])
        known = self.until if self.now is None else self.now
        return self._opened_before(pair, frame, candle_type, [] if known is None else [opening_before(frame, known)])

    def _opened_before(self, pair, timeframe, candle_type, times):
        """Candles of a series that opened before all of these times, in ms; of those that may be shown at all."""
        kind = str(getattr(candle_type, "value", candle_type)) or self._candle_type
        known = self._series.get((pair, timeframe, kind))
        if known is None:
            raise Wanted({"symbol": pair, "timeframe": timeframe, "kind": kind})
        limits = times if self.until is None else [*times, self.until - length_of(timeframe) + 1]
        return known.copy() if not limits else known.iloc[: _count_before(known, min(limits))].copy()

    def ohlcv(self, pair, timeframe=None, copy=True, candle_type=""):
        if not self.is_running:
            return pandas.DataFrame()  # as in every backtest
        return self.historic_ohlcv(pair, timeframe or self._config["timeframe"], candle_type)

    def get_analyzed_dataframe(self, pair, timeframe):
        analysed = self._analysed.get(pair)
        if analysed is None or timeframe != self._config["timeframe"] or self.now is None:
            return pandas.DataFrame(), _epoch
        until = opening_before(timeframe, self.now)
        end = _count_before(analysed, until)
        return analysed.iloc[max(0, end - _most_rows) : end], _time_of(until).to_pydatetime()

    def market(self, pair):
        return self._markets.get(pair)

    @property
    def available_pairs(self):
        return [(pair, self._config["timeframe"], self._candle_type) for pair in self._pairs]

    def get_producer_pairs(self, producer_name="default"):
        return []

    def get_producer_df(self, pair, timeframe=None, candle_type=None, producer_name="default"):
        return pandas.DataFrame(), _epoch

    def send_msg(self, message, *, always_send=False):
        return None  # only running bots send messages

    def refresh(self, pairlist, helping_pairs=None):
        return None

    def orderbook(self, pair, maximum):
        raise self._lacking("order book", pair, "orderbook")

    def ticker(self, pair):
        raise self._lacking("ticker", pair, "ticker")

    def funding_rate(self, pair):
        raise self._lacking("newest funding rate", pair, "funding_rate")

    def trades(self, pair, timeframe=None, copy=True, candle_type="", timerange=None):
        raise Unsupported(f"It reads the public trades of {pair} (dp.trades), which are not offered.")

    def _lacking(self, what, pair, method):
        who = "which bots are not given" if self.is_running else "and a backtest has none"
        return Unsupported(f"It reads the {what} of {pair} (dp.{method}), {who}.")
