"""Candles as frames, and signals as columns."""

import numpy
import pandas

_names = ["open", "high", "low", "close", "volume"]
_flags = ["enter_long", "exit_long", "enter_short", "exit_short"]
_most_tags = 65535
_most_values = 6  # that are kept with a decision


def frame_of(body):
    """The frame of candles that came as bytes: six columns of float64."""
    return frame_of_rows(numpy.frombuffer(body, dtype="<f8").reshape(6, -1))


def frame_of_rows(columns):
    """The frame of candles in six arrays."""
    date = pandas.to_datetime(columns[0].astype("int64"), unit="ms", utc=True)
    return pandas.DataFrame({"date": date, **dict(zip(_names, columns[1:]))})  # with copies: what came cannot be written to


def check(before, after, what):
    """Refuses a frame that is not the candles it was made of. Fails: ValueError"""
    if not isinstance(after, pandas.DataFrame):
        raise ValueError(f"{what} returns {type(after).__name__} and must return the frame")
    if len(after) != len(before):
        raise ValueError(f"{what} returns {len(after)} rows for {len(before)} candles")
    for name in ("date", "close"):
        if name not in after.columns:
            raise ValueError(f"{what} returns a frame without the column {name}")
    if len(after) > 0 and (after["date"].iloc[-1] != before["date"].iloc[-1] or after["close"].iloc[-1] != before["close"].iloc[-1]):
        raise ValueError(f"{what} changes the candles")


def signals_of(frame, with_indicators):
    """The signals of an analysed frame: what the JSON says of them, and the columns."""
    flags = [_flag(frame, name) for name in _flags]
    tags, entered, left = _tags(frame, flags[0] | flags[2], flags[1] | flags[3])
    indicators = _indicators(frame) if with_indicators else {}
    head = {
        "rows": len(frame),
        "tags": tags,
        "enterTag": 0 if entered is None else 2,
        "exitTag": 0 if left is None else 2,
        "hasConfidence": False,
        "indicators": list(indicators),
    }
    columns = [*flags, *(column for column in (entered, left) if column is not None), *indicators.values()]
    return head, b"".join(column.tobytes() for column in columns)


def row_of(frame):
    """The newest row, as a bot decides on it."""
    head, body = signals_of(frame.iloc[-1:], False)
    flags = [bool(body[i]) for i in range(4)]
    tags = numpy.frombuffer(body[4:], dtype="<u2")
    entered = head["tags"][tags[0] - 1] if head["enterTag"] else None
    left = head["tags"][tags[-1] - 1] if head["exitTag"] else None
    values = _values_of(frame.iloc[-1:])
    return {
        **({"values": values} if values else {}),
        "enterLong": flags[0],
        "exitLong": flags[1],
        "enterShort": flags[2],
        "exitShort": flags[3],
        "enterTag": entered,
        "exitTag": left,
        "confidence": None,
    }


def _values_of(row):
    """The first indicators of a row, with six digits: for the record of its decision."""
    found = {}
    for name, column in list(_indicators(row).items())[:_most_values]:
        value = float(column[-1])
        if numpy.isfinite(value):
            found[name] = float(f"{value:.6g}")
    return found


def _flag(frame, name):
    if name not in frame.columns:
        return numpy.zeros(len(frame), dtype="uint8")
    return (frame[name] == 1).fillna(False).to_numpy(dtype="uint8")


def _tags(frame, entering, leaving):
    """
    The texts of tags, and the columns of their numbers; None for a column without any.

    They are numbered as they come, row by row, so that more rows change no number of before. An empty text is the tag of an entry, as callbacks
    are shown it, and none of an exit.
    """
    numbers = {}
    columns = []
    for position, flagged in zip(_positions_of_tags(frame), (entering, leaving)):
        has_any = position is not None and flagged.any()
        columns.append((frame.iloc[:, position].to_numpy(dtype=object), flagged, numpy.zeros(len(frame), dtype="<u2")) if has_any else None)
    for row in numpy.flatnonzero(entering | leaving):
        for at, column in enumerate(columns):
            if column is None or not column[1][row]:
                continue
            value = column[0][row]
            if value is None or value is pandas.NA or value != value or (value == "" and at == 1):
                continue
            column[2][row] = numbers.setdefault(str(value)[:255], len(numbers) + 1)
    if len(numbers) > _most_tags:
        raise ValueError(f"it has more than {_most_tags} different tags")
    entered, left = (None if column is None or not column[2].any() else column[2] for column in columns)
    return list(numbers), entered, left


def _positions_of_tags(frame):
    """
    Where the tags of entries and exits stand; None for what is not there.

    The buy_tag of an older file becomes a second enter_tag. The reference takes the first two columns of tags then, whatever their names.
    """
    found = [at for name in ("enter_tag", "exit_tag") for at in (list(numpy.flatnonzero(frame.columns == name)) or [None])]
    return found[:2]


def _indicators(frame):
    found = {}
    for name in frame.columns:
        if name in _flags or name in ("date", *_names) or not isinstance(name, str):
            continue
        column = frame[name]
        if isinstance(column, pandas.Series) and pandas.api.types.is_numeric_dtype(column.dtype):
            found[name] = column.to_numpy(dtype="<f8", na_value=float("nan"))
    return found
