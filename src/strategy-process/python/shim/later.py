"""Large libraries that most strategies never use, though what they import imports them: they are loaded when something of them is used first."""

import importlib.machinery
import importlib.util
import sys

# freqtrade imports it with every strategy, for the figures after a backtest of its own: a third of the time that its import takes.
_seldom_used = {"scipy.stats"}


class _Finder:
    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if name in _seldom_used else None
        if spec is None or spec.loader is None:
            return None
        spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec


def begin():
    """From here on those libraries are loaded when they are first used."""
    sys.meta_path.insert(0, _Finder())


def load(name):
    """Loads a module, one that would wait too. Fails: with what happens while it is loaded"""
    importlib.import_module(name).__doc__  # noqa: B018 -- looking at anything of it loads it


def file_of(module):
    """Where a module comes from, without loading it; None where it does not say."""
    try:
        return object.__getattribute__(module, "__dict__").get("__file__")
    except AttributeError:  # what stands for a module need not be one
        return getattr(module, "__file__", None)
