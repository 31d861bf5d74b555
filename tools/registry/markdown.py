"""The registry as a manual, with examples.  Private methods are not in it."""

import re

from .model import LIBRARIES

_REPLY = {"none": "An object.", "one": "One object, or null.", "many": "An array of objects."}
_TIME = {
    "seconds": "seconds since 1970, with a fraction",
    "millis": "milliseconds since 1970",
    "iso": "text such as `2025-11-15T09:46:40.250000+00:00`",
    "sql": "text such as `2025-11-15 09:46:40`",
}


_HEAD = """\
Everything the stores can do. A method has one name and one meaning through every door:

| door | how |
| --- | --- |
| command line | `stele call conversation.get_session '{"session_id":"s"}'` |
| C | `stele_call(db, "conversation.get_session", "{\\"session_id\\":\\"s\\"}", &reply)` |
| HTTP | `POST /v1/conversation/get_session` with the arguments as the body |
| MCP | the tool `conversation.get_session`, with `--profile all` |

Of a type, `?` means that it may be null, `[]` that it is a list, and what stands in parentheses is its range or its
choices. A time is sent as seconds since 1970 or as RFC 3339. Examples are calls of the tests; `…` stands for what is
left out, or is different each time.

Written by `tools/registry.py` from `sql/`. Do not edit."""


def manual(registry, examples):
    public = [method for method in registry.methods if not method.private]
    stores = {**dict.fromkeys(LIBRARIES), **{store.name: store for store in registry.stores}}
    sections = [(name, store, [method for method in public if method.store == name])
                for name, store in stores.items()]
    sections = [section for section in sections if section[1] or section[2]]
    out = ["# Methods", _HEAD]
    out += [_contents(name, methods) for name, _, methods in sections]
    shown = {method.name for method in public}
    for name, store, methods in sections:
        out.append(f"## {name}")
        out += _store(store) if store else [LIBRARIES[name]]
        for method in methods:
            out += _method(method, shown, examples.get(method.name))
    return "\n\n".join(out) + "\n"


def _contents(name, methods):
    links = [f"[{method.name.split('.', 1)[1]}]({_anchor(method.name)})" for method in methods]
    return f"**[{name}]({_anchor(name)})**: {' · '.join(links)}"


def _anchor(heading):
    """As GitHub and most others make it from a heading."""
    return "#" + re.sub(r"[^\w-]", "", heading.lower())


def _link(name):
    return f"[{name}]({_anchor(name)})"


def _store(store):
    return [_text(store.doc),
            f"Version {store.version}. File `{store.name}.db`. Durability {store.durability}. "
            f"Times are {_TIME[store.time_form]}."]


def _method(method, shown, example):
    out = [f"### {method.name}", _text(method.doc)]
    if example:
        out.append(f"```text\n{method.name}  {example[0]}\n-> {example[1]}\n```")
    if method.params:
        rows = [(f"`{field.name}`", _type(field, shown), _needed(field), field.doc)
                for field in method.params]
        out.append(_table(("parameter", "type", "needed", "meaning"), rows))
    else:
        out.append("No parameters.")
    out.append(f"Access: {method.access}. Reply: {_REPLY[method.shape]}")
    if method.results:
        rows = [(f"`{field.name}`", _type(field, shown), field.doc) for field in method.results]
        out.append(_table(("result", "type", "meaning"), rows))
    if method.http:
        out.append(f"Over HTTP also: `{' '.join(method.http[1:])}`.")
    if method.queue:
        target = method.queue[1]
        out.append("With a queue the call returns at once; calls are gathered and written by "
                   f"{_link(target) if target in shown else target}.")
    return out


def _type(field, shown):
    secret = ", secret" if field.secret else ""
    if field.record in shown:
        return _link(field.record) + field.written[len(field.record):] + secret
    return f"`{field.written}`{secret}"


def _needed(field):
    if field.default is not None:
        return f"default `{field.default}`"
    return "optional" if field.optional else "yes"


def _table(heads, rows):
    lines = [heads, ["---"] * len(heads)]
    lines += [[*cells[:-1], _text(cells[-1]).replace("\n\n", "<br>")] for cells in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"
                     for line in lines)


def _text(doc):
    return doc.replace("<", "&lt;").replace("*", "\\*")
