"""The statuses as exceptions: the module stele/_errors.py."""

# Words of two, and what else an error is to programs that know nothing of Stele.
_NAMES = {"NOTFOUND": "NotFound", "READONLY": "ReadOnly", "NOMEM": "NoMemory"}
_ALSO = {"INVALID": "ValueError", "NOTFOUND": "LookupError", "BUSY": "TimeoutError", "NOMEM": "MemoryError"}
_NO_ERRORS = ("OK", "ROW", "DONE")


def module(header):
    out = ['"""Written by tools/binding.py from include/stele.h.  Do not edit."""\n', "from ._status import StatusError\n"]
    made = {}
    for number, (code, meaning, _) in enumerate(header.statuses):
        if code in _NO_ERRORS:
            continue
        made[number] = name = _NAMES.get(code, code.capitalize()) + "Error"
        bases = f"StatusError, {_ALSO[code]}" if code in _ALSO else "StatusError"
        text = meaning[0].upper() + meaning[1:]
        out += [f"\nclass {name}({bases}):", f"    {text + '.'!r}", f"    code = {code!r}\n"]
    out += ["", f"BY_STATUS = {{{', '.join(f'{number}: {name}' for number, name in made.items())}}}",
            f"__all__ = {['StatusError', *made.values()]!r}"]
    return "\n".join(out) + "\n"
