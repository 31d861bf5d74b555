"""A workload that shows a difference, made as short as it can be: calls are left out, then arguments, then values become simpler.

`differs(calls)` tells at which call a workload differs, or None.  What is kept always differs at its last call.
"""

import datetime

TRIES = 300  # plays, at most


class Shrinker:
    def __init__(self, differs, tries=TRIES):
        self.differs, self.left = differs, tries

    def shrink(self, calls):
        calls = self._try(calls) or calls
        before = None
        while before != calls and self.left > 0:
            before = calls
            calls = self._fewer_calls(calls)
            calls = self._fewer_arguments(calls)
            calls = self._simpler_values(calls)
        return calls

    def _try(self, calls):
        """The calls up to where they differ, or None."""
        if self.left <= 0:
            return None
        self.left -= 1
        found = self.differs(calls)
        return None if found is None else calls[:found + 1]

    def _fewer_calls(self, calls):
        """Halves, quarters, ... then single calls."""
        size = max(1, len(calls) // 2)
        while size >= 1:
            start = 0
            while start < len(calls) - 1:
                rest = calls[min(start + size, len(calls) - 1):]
                shorter = self._try(calls[:start] + rest)
                if not shorter and size == 1:  # it may have given a row a number, which the others after it then get
                    shorter = self._try(calls[:start] + [(method, lowered(args)) for method, args in rest])
                if shorter:
                    calls = shorter
                else:
                    start += size
            size //= 2
        return calls

    def _replace(self, calls, number, args):
        return self._try(calls[:number] + [(calls[number][0], args)] + calls[number + 1:])

    def _fewer_arguments(self, calls):
        number = len(calls) - 1
        while number >= 0:
            for name in list(calls[number][1]):
                if number >= len(calls) or name not in calls[number][1]:
                    continue
                calls = self._replace(calls, number, {key: value for key, value in calls[number][1].items() if key != name}) or calls
            number = min(number, len(calls)) - 1
        return calls

    def _simpler_values(self, calls):
        number = len(calls) - 1
        while number >= 0:
            for name in list(calls[number][1]):
                if number < len(calls):
                    calls = self._simpler_value(calls, number, name)
            number = min(number, len(calls)) - 1
        return calls

    def _simpler_value(self, calls, number, name):
        for value in simpler(calls[number][1][name]):
            found = self._replace(calls, number, {**calls[number][1], name: value})
            if found and len(found) == len(calls):
                return found
            calls = found or calls
            if number >= len(calls):
                break
        return calls


def lowered(args):
    """The arguments with every number one less."""
    return {name: value - 1 if type(value) is int and value > 1 else value for name, value in args.items()}


def simpler(value):
    """Values of the same kind that say less, the simplest first."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [each for each in (0, 1) if abs(each) < abs(value)]
    if isinstance(value, float):
        return [each for each in (0, 1, float(int(value))) if each != value and abs(each) <= abs(value)]
    if isinstance(value, str):
        return _simpler_text(value)
    if isinstance(value, list):
        return [value[:at] + value[at + 1:] for at in range(len(value))]
    return [{key: each for key, each in value.items() if key != left_out} for left_out in value]


def _simpler_text(text):
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return [each for each in ("", "a", text[:len(text) // 2]) if len(each) < len(text)]
    plain = moment.astimezone(datetime.timezone.utc).replace(microsecond=0).isoformat() if moment.tzinfo else text
    return [plain] if len(plain) < len(text) or plain.endswith("+00:00") and not text.endswith("+00:00") else []
