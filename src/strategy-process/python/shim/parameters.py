"""The parameters of a class that are to be searched: attributes as the reference declares them, seen as numbers in steps."""

import inspect
import math


def parameters_of(strategy):
    """Each parameter by its name, as every strategy describes its own. A choice among words is the number of its place."""
    found = {}
    for name in dir(type(strategy)):
        # A property would be run here, before the strategy is ready for it.
        if name.startswith("__") or isinstance(inspect.getattr_static(type(strategy), name), property):
            continue
        parameter = getattr(strategy, name, None)
        described = _described(name, parameter)
        if described is not None:
            found[name] = described
    return found


def give_values(strategy, values):
    """Gives parameters these values; what they do not name keeps its own."""
    for name, number in values.items():
        parameter = getattr(strategy, name, None)
        choices = _choices(parameter)
        if choices is not None:
            parameter.value = choices[min(max(round(number), 0), len(choices) - 1)]
        elif _is_number(parameter):
            parameter.value = int(round(number)) if _decimals(parameter) == 0 else round(float(number), _decimals(parameter))


def _is_parameter(value):
    return all(hasattr(value, each) for each in ("value", "optimize", "space", "get_space")) and not isinstance(value, type)


def _is_number(value):
    return _is_parameter(value) and hasattr(value, "low") and hasattr(value, "high")


def _choices(value):
    """What a parameter chooses among; None for a number."""
    if not _is_parameter(value) or _is_number(value):
        return None
    choices = getattr(value, "opt_range", None)
    return list(choices) if isinstance(choices, (list, tuple)) and len(choices) > 0 else None


def _decimals(parameter):
    """How many decimals its values have: none for whole numbers, eight where the class does not say."""
    if isinstance(parameter.value, int) and isinstance(parameter.low, int) and not hasattr(parameter, "decimals"):
        return 0
    return int(getattr(parameter, "decimals", 8))


def _described(name, parameter):
    choices = _choices(parameter)
    if choices is not None:
        at = choices.index(parameter.value) if parameter.value in choices else 0
        words = ", ".join(f"{i} {choice}" for i, choice in enumerate(choices))
        return _row(at, 0, max(1, len(choices) - 1), 1, f"One of: {words}."[:300], parameter)
    if not _is_number(parameter):
        return None
    value, low, high = float(parameter.value), float(parameter.low), float(parameter.high)
    if not all(math.isfinite(each) for each in (value, low, high)):
        return None
    decimals = _decimals(parameter)
    step = 10.0**-decimals if decimals < 8 else (high - low) / 1000 or 1.0
    low, high = min(low, value), max(high, value)
    return _row(value, low, high if high > low else low + step, step, f"{name} of the class, declared from {parameter.low} to {parameter.high}.", parameter)


def _row(default, low, high, step, meaning, parameter):
    space = str(getattr(parameter.space, "value", parameter.space) or "")
    return {"default": default, "min": low, "max": high, "step": step, "meaning": meaning, **({"space": space} if space in ("buy", "sell") else {})}
