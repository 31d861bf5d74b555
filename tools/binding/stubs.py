"""The methods for editors and type checkers: stele/_stores.pyi."""

from registry.model import LIBRARIES

from .stores import class_name, public, short

_TAKEN = {"text": "str", "int": "int", "real": "float", "bool": "bool", "json": "Any", "jsontext": "Any", "content": "Any",
          "time": "float | str | datetime", "uuid": "str", "date": "str", "duration": "float | str", "query": "str",
          "cron": "str", "timezone": "str", "vector": "Sequence[float]", "blob": "bytes", "record": "Mapping[str, Any]"}
_GIVEN = {**_TAKEN, "jsontext": "str", "duration": "float", "vector": "list[float]", "record": "dict[str, Any]"}
_TIME = {"seconds": "float", "millis": "int", "iso": "str", "sql": "str"}

_HEAD = '''"""Written by tools/binding.py from sql/.  Do not edit."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from ._store import Rows, Store
from .aio import AsyncRows
'''
# How the four ways of calling a method differ: (suffix of the class, `def`, reply by shape).
_WAYS = (
    ("", "def", {"none": "{row}", "one": "{row}{none}", "many": "list[{row}]"}),
    ("Rows", "def", {shape: "Rows[{row}]" for shape in ("none", "one", "many")}),
    ("Async", "async def", {"none": "{row}", "one": "{row}{none}", "many": "list[{row}]"}),
    ("AsyncRows", "def", {shape: "AsyncRows[{row}]" for shape in ("none", "one", "many")}),
)


def module(registry):
    out = [_HEAD]
    times = {store.name: _TIME[store.time_form] for store in registry.stores}
    for name, doc, methods in public(registry):
        rows = {method.name: _row_name(method) for method in methods}
        out += [_row(method, times.get(name, "float")) for method in methods]
        for suffix, word, replies in _WAYS:
            out.append(f"class {class_name(name)}{suffix}(Store):")
            if suffix in ("", "Async"):
                out.append(f'    {doc!r}\n    rows: {class_name(name)}{suffix}Rows')
            out += [_method(method, word, replies[method.shape], rows[method.name]) for method in methods]
            out.append("")
    for suffix, base in (("", "Stores"), ("Async", "AsyncStores")):
        names = [*LIBRARIES, *times]
        out += [f"class {base}:", *(f"    {name}: {class_name(name)}{suffix}" for name in names), ""]
    return "\n".join(out)


def _row_name(method):
    return class_name(method.store) + class_name(short(method)) + "Row"


def _row(method, time):
    """Some results have names that no class can have as attributes, so that the other form is used."""
    members = ", ".join(f"{each.name!r}: {_given(each, time)}" for each in method.results)
    return f"{_row_name(method)} = TypedDict({_row_name(method)!r}, {{{members}}})"


def _given(each, time):
    kind = time if each.type == "time" else _GIVEN[each.type]
    kind = f"list[{kind}]" if each.list else kind
    return f"{kind} | None" if each.nullable and kind != "Any" else kind


def _taken(each):
    kind = f"Sequence[{_TAKEN[each.type]}]" if each.list else _TAKEN[each.type]
    return f"{kind} | None" if each.nullable and kind != "Any" else kind


def _method(method, word, reply, row):
    needed = [f"{each.name}: {_taken(each)}" for each in method.params if each.default is None and not each.optional]
    others = [f"{each.name}: {_taken(each)} = ..." for each in method.params if each.default is not None or each.optional]
    params = ", ".join(["self", *needed, *(["*"] if others else []), *others])
    answer = reply.format(row=row, none=" | None")
    return f'    {word} {short(method)}({params}) -> {answer}:\n        {method.doc!r}'
