"""The program of a Python strategy's process: reads questions from descriptor 3, and writes each answer to 4.

It speaks the messages of `src/strategy-process/wire`. It imports no trading library itself: it only touches what a strategy's file has imported.
"""

import os
import sys

sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # so that a strategy's own modules are never mistaken for these

from shim import later, walls  # noqa: E402

walls.build(int(os.environ.get("MEMORY_MB", "0")))

from shim.serving import serve  # noqa: E402

later.begin()
serve()
