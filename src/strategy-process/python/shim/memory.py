"""What a strategy keeps from one call to the next: in itself, in its class, or in its file."""

import hashlib
import inspect
import pickle

# What the product has put there.
_given = {"dp", "wallets", "config", "lock_pair", "unlock_pair", "unlock_reason", "is_pair_locked"}


class Memory:
    """Remembers how everything was when the strategy was made."""

    def __init__(self, strategy, module):
        self._strategy = strategy
        self._module = module
        self._before = self._marks()

    def changed(self):
        """The names of what is other than it was, or is new."""
        now = self._marks()
        return sorted(name for name in {*self._before, *now} if self._before.get(name) != now.get(name))

    def _marks(self):
        places = [("", vars(self._module))]
        # The reference's own class keeps nothing that a strategy decides by.
        places += [("self.", vars(cls)) for cls in reversed(type(self._strategy).__mro__) if cls.__module__.split(".")[0] != "freqtrade" and cls is not object]
        places.append(("self.", vars(self._strategy)))
        return {before + name: _mark(value) for before, names in places for name, value in list(names.items()) if _is_kept(name, value)}


def _is_kept(name, value):
    if name.startswith(("__", "_ft_")) or name in _given:
        return False
    return not (callable(value) or inspect.ismodule(value) or inspect.isdatadescriptor(value) or isinstance(value, (staticmethod, classmethod)))


def _mark(value):
    """The same for what is the same; of what cannot be written down only whether it is the same thing."""
    try:
        return hashlib.sha256(pickle.dumps(value)).digest()
    except Exception:
        return id(value)
