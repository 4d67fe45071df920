"""Messages: length of the JSON and of the body (two uint32, little-endian), the JSON as UTF-8, the body."""

import json
import os
import struct


class OutOfStep(BaseException):
    """The two ends do not agree any more on what was sent: this one ends, and the next process begins with nothing."""


def read(descriptor):
    """The next message as (json, body); None when the other side is gone."""
    head = _exactly(descriptor, 8)
    if head is None:
        return None
    lengths = struct.unpack("<II", head)
    parts = [_exactly(descriptor, length) for length in lengths]
    if None in parts:
        return None
    return json.loads(parts[0]), parts[1]


def write(descriptor, message, body=b""):
    """Sends a message."""
    text = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
    rest = memoryview(struct.pack("<II", len(text), len(body)) + text + body)
    while len(rest) > 0:
        rest = rest[os.write(descriptor, rest) :]


def _exactly(descriptor, length):
    piece = os.read(descriptor, length) if length > 0 else b""
    if len(piece) == length:
        return piece
    pieces = [piece]
    missing = length - len(piece)
    while missing > 0:
        piece = os.read(descriptor, missing)
        if not piece:
            return None
        pieces.append(piece)
        missing -= len(piece)
    return b"".join(pieces)
