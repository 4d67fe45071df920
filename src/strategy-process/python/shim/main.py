"""The program of a Python strategy's process: reads questions from descriptor 3, and writes each answer to 4.

It speaks the messages of `src/strategy-process/wire`. It imports no trading library itself: it only touches what a strategy's file has imported.
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # so that a strategy's own modules are never mistaken for these

from shim import walls  # noqa: E402

walls.build(int(os.environ.get("MEMORY_MB", "0")))

from shim import wire  # noqa: E402
from shim.places import sentence_of  # noqa: E402
from shim.wanted import Unsupported, Wanted  # noqa: E402


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


def main():
    try:
        from shim.answers import Answers  # pandas and numpy come with it
    except ImportError as error:
        first = wire.read(3)
        if first is not None:
            wire.write(4, {"id": first[0]["id"], "fault": f"This Python has no {error.name}: `flotilla python check` says what lacks."})
        os._exit(0)
    answers = Answers()
    while True:
        message = wire.read(3)
        if message is None:
            os._exit(0)  # nobody asks any more; what a strategy has left running ends too
        answered, columns = _answer(answers, *message)
        wire.write(4, answered, columns)


main()
