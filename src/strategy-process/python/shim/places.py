"""Errors of a strategy's file as sentences."""

import os
import traceback

_folder = None  # of the strategy's files


def set_folder(folder):
    """Says where the strategy's files lie, so that errors can name the line."""
    global _folder
    _folder = os.path.join(os.path.realpath(folder), "")


def sentence_of(error):
    """What went wrong, and at which line of the strategy's files."""
    return f"{_text(error)}{place_of(error)}."


def place_of(error):
    """The line of the strategy's files that an error came from, as the end of a sentence; nothing when they had no part in it."""
    if isinstance(error, SyntaxError) and error.filename is not None:
        return f" ({os.path.basename(error.filename)}, line {error.lineno})"
    if _folder is None:
        return ""
    inside = [frame for frame in traceback.extract_tb(error.__traceback__) if os.path.realpath(frame.filename).startswith(_folder)]
    return f" ({os.path.basename(inside[-1].filename)}, line {inside[-1].lineno})" if inside else ""


def _text(error):
    if isinstance(error, SystemExit):
        return "It ends the program (sys.exit), which a strategy may not"
    if isinstance(error, ModuleNotFoundError):
        return f"It imports {error.name}, which this Python does not have"
    if isinstance(error, MemoryError):
        return "It used more memory than it may"
    if isinstance(error, RecursionError):
        return "It calls itself without end"
    text = (error.msg if isinstance(error, SyntaxError) else str(error)).strip().split("\n")[0].rstrip(".")
    return f"{type(error).__name__}: {text}"[:1000] if text else type(error).__name__
