"""What a strategy is tried for before it is used: whether it says the same twice, whether it looks ahead, what it costs."""

import os
import time

import numpy

from shim import columns
from shim.wanted import Unsupported

_names = ["enterLong", "exitLong", "enterShort", "exitShort"]
_tries = 12
_few = 1000  # on fewer candles a strategy may fail


def tried(analyse, rows):
    """What was found of a strategy on candles; `analyse` makes a frame of the first of them. Fails: with what the strategy throws"""
    count = rows.shape[1]
    begun = time.perf_counter()
    whole = _flags_of(analyse(rows))
    compute_ms = (time.perf_counter() - begun) * 1000
    again = _flags_of(analyse(rows))
    differs = next((name for name, first, second in zip(_names, whole, again) if not numpy.array_equal(first, second)), None)
    found = {"computeMs": compute_ms, "memoryMb": _memory_mb(), "differs": differs, "ahead": None, "unsearched": None}
    for row in _rows_to_try(whole, count):
        try:
            known = _flags_of(analyse(rows[:, : row + 1]))
        except Unsupported:
            raise
        except Exception as error:
            if row + 1 >= _few:
                found["unsearched"] = f"{type(error).__name__}: {error}"[:500]
            continue
        for name, part, all_rows in zip(_names, known, whole):
            wrong = numpy.flatnonzero(part != all_rows[: row + 1])
            if len(wrong) > 0:
                candle = int(wrong[0])
                values = {"known": int(part[candle]), "later": int(all_rows[candle])}
                found["ahead"] = {"candle": candle, "candleTime": float(rows[0, candle]), "column": name, **values, "prefixLength": row + 1}
                return found
    return found


def _flags_of(frame):
    head, body = columns.signals_of(frame, False)
    return numpy.frombuffer(body[: 4 * head["rows"]], dtype="uint8").reshape(4, -1)


def _rows_to_try(flags, count):
    """Rows with signals, evenly spread, and some without: who looks ahead shows it where it signals."""
    flagged = numpy.flatnonzero(flags.any(axis=0))
    share = min(len(flagged), _tries - 2)
    chosen = {int(flagged[i * len(flagged) // share]) for i in range(share)}
    chosen.update((i + 1) * count // (_tries - share) - 1 for i in range(_tries - share))
    return sorted(row for row in chosen if row >= 0)


def _memory_mb():
    """What this process has of its own, in MB: what it shares with its parent is that one's."""
    try:
        with open(f"/proc/{os.getpid()}/smaps_rollup", encoding="ascii") as lines:
            return sum(int(line.split()[1]) for line in lines if line.startswith(("Private_Clean", "Private_Dirty"))) / 1024
    except (OSError, ValueError):
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
