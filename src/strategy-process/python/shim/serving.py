"""Answers the questions that come in on descriptor 3; each answer goes out on 4."""

import os

from shim import wire
from shim.places import sentence_of
from shim.wanted import Unsupported, Wanted


def _answer(answers, question, body):
    """The message for a question, with the columns behind it. Never fails: whatever a strategy does becomes a sentence."""
    try:
        answer, columns = answers.to(question, body)
        return {"id": question["id"], "answer": answer}, columns
    except Wanted as wanted:
        return {"id": question["id"], "wanted": wanted.what}, b""
    except wire.OutOfStep:
        os._exit(1)
    except Unsupported as unsupported:
        return {"id": question["id"], "fault": str(unsupported)}, b""
    except BaseException as error:  # SystemExit too
        return {"id": question["id"], "fault": sentence_of(error)}, b""


def serve():
    """Answers until nobody asks any more; then the process ends, with what a strategy has left running."""
    try:
        from shim.answers import Answers  # pandas and numpy come with it
    except ImportError as error:
        first = wire.read(3)
        if first is not None:
            wire.write(4, {"id": first[0]["id"], "fault": f"This Python has no {error.name}: `flotilla python set-up` makes one that has all; `flotilla python check` says what lacks."})
        os._exit(0)
    answers = Answers()
    while True:
        message = wire.read(3)
        if message is None:
            os._exit(0)
        answered, columns = _answer(answers, *message)
        try:
            wire.write(4, answered, columns)
        except ValueError:  # JSON knows no nan, and nothing was sent
            wire.write(4, {"id": answered["id"], "fault": "The strategy gave an answer that nobody can read."})
