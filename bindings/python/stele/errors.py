"""What can go wrong: one class per status of the library, all of them StatusError."""

from ._abi import STATUSES

# Words of two, and what else an error is to programs that know nothing of Stele.
_NAMES = {"NOTFOUND": "NotFound", "READONLY": "ReadOnly", "NOMEM": "NoMemory"}
_ALSO = {"INVALID": ValueError, "NOTFOUND": LookupError, "BUSY": TimeoutError, "NOMEM": MemoryError}


class StatusError(Exception):
    """A call that failed.

    code     the word of its status, such as INVALID
    method   the method, or "" when none was involved
    field    the parameter at fault, or ""
    message  what happened, in one line
    hint     what to do about it, or ""
    """
    code = ""

    def __init__(self, message, method="", field="", hint=""):
        super().__init__(f"{message} ({hint})" if hint else message)
        self.message, self.method, self.field, self.hint = message, method, field, hint


def _make(number, code, meaning):
    name = _NAMES.get(code, code.capitalize()) + "Error"
    bases = (StatusError, _ALSO[code]) if code in _ALSO else (StatusError,)
    return type(name, bases, {"__doc__": meaning, "__module__": __name__, "code": code, "status": number})


BY_STATUS = [_make(number, code, meaning) for number, (code, meaning, _) in enumerate(STATUSES)]
_RAISED = [kind for kind in BY_STATUS if kind.code not in ("OK", "ROW", "DONE")]
globals().update((kind.__name__, kind) for kind in _RAISED)
__all__ = ["StatusError", *(kind.__name__ for kind in _RAISED)]


def from_failure(failure):
    """The error that a stele_failure tells."""
    texts = [text.decode("utf-8", "replace") for text in (failure.message, failure.method, failure.field, failure.hint)]
    return BY_STATUS[failure.status](*texts)
