"""The candles that have been sent so far, series by series: `src/strategy-process/wire/sent-candles.ts` is the other end."""

import numpy

from shim.wire import OutOfStep


class HeldCandles:
    """Keeps candles as arrays of six rows."""

    def __init__(self):
        self._held = {}

    def take(self, heads, body):
        """The own candles of a question, and the others by their names; each an array of six rows. Fails: OutOfStep"""
        columns = numpy.frombuffer(body, dtype="<f8")
        at = 0
        given = []
        for head in (heads["own"], *heads["others"].values()):
            size = 6 * head["added"]
            if at + size > len(columns):
                raise OutOfStep()
            given.append(self._joined(head, columns[at : at + size].reshape(6, -1)))
            at += size
        if at != len(columns):
            raise OutOfStep()
        for series in heads["forgotten"]:
            if self._held.pop(series, None) is None:
                raise OutOfStep()
        return given[0], dict(zip(heads["others"], given[1:]))

    def _joined(self, head, added):
        series, dropped, kept = head["series"], head["dropped"], head["kept"]
        before = None if series is None else self._held.get(series)
        if dropped + kept > (0 if before is None else before.shape[1]):
            raise OutOfStep()
        candles = added if before is None or kept == 0 else numpy.concatenate([before[:, dropped : dropped + kept], added], axis=1)
        if series is not None:
            self._held[series] = candles
        return candles
