"""The registry's methods as Python: the module stele/_stores.py, one class per store."""

import json
import textwrap

from registry.model import LIBRARIES


def class_name(store):
    return "".join(word.capitalize() for word in store.split("_"))


def public(registry):
    """(store, its documentation, its methods) of all that a caller can see; the library's own first."""
    docs = {**LIBRARIES, **{store.name: store.doc for store in registry.stores}}
    for name, doc in docs.items():
        yield name, doc, [method for method in registry.methods if method.store == name and not method.private]


def short(method):
    return method.name.partition(".")[2]


def module(registry):
    out = ['"""Written by tools/binding.py from sql/.  Do not edit."""\n', "from ._store import Store, declare\n"]
    attributes = []
    for name, doc, methods in public(registry):
        out += [f"\nclass {class_name(name)}(Store):", _text(doc, 4), f"    _name = {name!r}"]
        out += [f"    {short(method)} = declare({method.name!r}, {method.shape!r}, {_params(method)}, {_blobs(method)},\n"
                f"        {_doc(method)})" for method in methods]
        out.append("")
        attributes.append((name, class_name(name)))
    for base in ("Stores", "AsyncStores"):
        out += [f"\nclass {base}:", '    """The stores of a database, as its attributes.  _stores.pyi says which."""\n']
    out += ["", f"STORES = {{{', '.join(f'{name!r}: {kind}' for name, kind in attributes)}}}"]
    return "\n".join(out) + "\n"


def _text(doc, indent):
    return textwrap.indent(repr(doc), " " * indent)


def _params(method):
    """((name, needed or not, default), ...); the default is what the documentation shows."""
    shown = [f"({each.name!r}, {each.default is None and not each.optional!r}, {_default(each)!r})" for each in method.params]
    return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"


def _default(param):
    if param.default is None or param.default in ("now", "new"):
        return None
    return json.loads(param.default)


def _blobs(method):
    return tuple(each.name for each in method.results if each.type == "blob")


def _doc(method):
    lines = [method.doc]
    for title, fields in (("Arguments", method.params), ("Answers", method.results)):
        if fields:
            lines += ["", f"{title}:"] + [f"    {each.name} ({_kind(each)}): {each.doc}" for each in fields]
    lines += ["", {"none": "A dict of counts.", "one": "One dict, or None.", "many": "A list of dicts."}[method.shape]]
    return repr("\n".join(lines))


def _kind(each):
    extra = f", default {each.default}" if each.default is not None else ", optional" if each.optional else ""
    return each.written + extra
