"""Prints what this Python has that strategies usually need, as JSON; null for what cannot be imported."""

import importlib
import json
import sys

found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
for name in ("pandas", "numpy", "talib", "freqtrade"):
    try:
        found[name] = str(getattr(importlib.import_module(name), "__version__", "unknown"))
    except Exception:  # one that is broken is as good as none
        found[name] = None
print(json.dumps(found))
