"""The directories to the whole registry."""

from pathlib import Path

from . import methods, schema, statements
from .fields import NAME
from .model import LIBRARY, STORE_ORDER, Registry
from .problems import Place


def load(roots, sources, problems):
    """Read every store directory of every root."""
    found = {}
    for root in roots:
        if not root.is_dir():
            problems.add(Place(str(root), 1), "", "no such directory")
            continue
        for directory in sources.directories(root):
            if directory.name in found:
                problems.add(Place(str(directory), 1), directory.name,
                             f"this store is in {found[directory.name]} already")
            else:
                found[directory.name] = directory
    registry = Registry([], [])
    for name in sorted(found, key=_rank):
        _load_store(registry, found[name], sources, problems)
    return registry


def _rank(name):
    known = STORE_ORDER.index(name) if name in STORE_ORDER else len(STORE_ORDER)
    return known, name


def _load_store(registry, directory, sources, problems):
    files = sources.files(directory, "*.sql")
    if not files:
        return
    if not NAME.fullmatch(directory.name):
        problems.add(Place(str(directory), 1), "",
                     "the name of a store is small letters, digits and _")
        return
    store = None
    if directory.name != LIBRARY:
        store = schema.read(directory, sources, problems)
        registry.stores.append(store)
    for path in sorted(files, key=lambda path: (path.name != "methods.sql", path.name)):
        if not path.name.startswith("schema"):
            _load_methods(registry, store, path, directory.name, sources, problems)


def _load_methods(registry, store, path, name, sources, problems):
    for method in methods.read(sources.text(Path(path)), str(path), name, problems):
        if not method.broken and not method.native and store:
            statements.build(method, store, problems)
        registry.methods.append(method)
