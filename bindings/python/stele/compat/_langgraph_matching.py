"""What operations of a store choose by: filters on values, patterns of namespaces, and paths to texts."""

import operator
import re

_COMPARISONS = {"$eq": operator.eq, "$ne": operator.ne, "$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt,
                "$lte": operator.le}


def fits(value, wanted):
    """Is a value as a filter wants it?  Objects need only have what is named; {"$gt": 4} and the like compare."""
    if isinstance(wanted, dict) and any(name.startswith("$") for name in wanted):
        return all(_compare(value, name, operand) for name, operand in wanted.items())
    if isinstance(wanted, dict):
        return isinstance(value, dict) and all(fits(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, (list, tuple)):
        return isinstance(value, list) and len(value) == len(wanted) and all(map(fits, value, wanted))
    return value == wanted


def _compare(value, name, operand):
    if name not in _COMPARISONS:
        raise ValueError(f"a filter has no operator {name}: there are {', '.join(_COMPARISONS)}")
    if name in ("$eq", "$ne"):
        return _COMPARISONS[name](value, operand)
    try:
        return _COMPARISONS[name](float(value), float(operand))
    except (TypeError, ValueError):  # no numbers: texts have an order too, such as that of dates
        return isinstance(value, str) and isinstance(operand, str) and _COMPARISONS[name](value, operand)


def matches(namespace, condition):
    """Does a namespace begin (or end) with a path, of which "*" is any label?"""
    path, labels = list(condition.path), list(namespace)
    if condition.match_type == "suffix":
        path, labels = path[::-1], labels[::-1]
    elif condition.match_type != "prefix":
        raise ValueError(f"a namespace is matched by its prefix or suffix, not {condition.match_type}")
    return len(labels) >= len(path) and all(want in ("*", label) for want, label in zip(path, labels))


def texts(value, paths=None):
    """What of a value is searched: all texts and numbers in it, or those at paths like "a.b", "list[0].c", "list[*]"."""
    found = [value] if paths is None else [each for path in paths for each in _at(value, path)]
    return "\n".join(text for each in found for text in _leaves(each))


def _at(value, path):
    steps = re.findall(r"[^.\[\]]+|\[[^\]]*\]", path)
    found = [value]
    for step in [] if path == "$" else steps:
        found = [inner for each in found for inner in _into(each, step)]
    return found


def _into(value, step):
    if not step.startswith("["):
        return [value[step]] if isinstance(value, dict) and step in value else []
    if not isinstance(value, list):
        return []
    if step == "[*]":
        return value
    number = int(step[1:-1])
    return value[number:][:1] if -len(value) <= number < len(value) else []


def _leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for each in value for text in _leaves(each)]
    return [str(value)] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else []
