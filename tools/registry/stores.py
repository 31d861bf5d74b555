"""The directories to the whole registry."""

from pathlib import Path

from . import documents, forget, held, methods, partitions, retention, schema, shared, statements
from .fields import NAME
from .model import LIBRARIES, STORE_ORDER, Registry
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
    template = shared.Template(found.pop(shared.DIRECTORY, None), sources, problems)
    registry = Registry([], [])
    for name in sorted(found, key=_rank):
        _load_store(registry, found[name], template, sources, problems)
    return registry


def _rank(name):
    known = STORE_ORDER.index(name) if name in STORE_ORDER else len(STORE_ORDER)
    return known, name


def _load_store(registry, directory, template, sources, problems):
    files = sources.files(directory, "*.sql")
    if not files:
        return
    if not NAME.fullmatch(directory.name):
        problems.add(Place(str(directory), 1), "",
                     "the name of a store is small letters, digits and _")
        return
    store = None
    if directory.name not in LIBRARIES:
        store = schema.read(directory, sources, problems)
        documents.read(store, directory / documents.FILE, sources, problems)
        held.read(store, directory / held.FILE, sources, problems)
        retention.read(store, directory / retention.FILE, sources, problems)
        partitions.apply(store, problems)
        template.add_features(store, registry.shared)
        forget.read(store, directory / forget.FILE, sources, problems)
        registry.stores.append(store)
    for path in sorted(files, key=lambda path: (path.name != "methods.sql", path.name)):
        if path.name not in (documents.FILE, forget.FILE, held.FILE, retention.FILE) and not path.name.startswith("schema"):
            _add(registry, store, methods.read(sources.text(Path(path)), str(path), directory.name, problems), problems)
    if store and store.sources:
        _add(registry, store, documents.methods(store), problems)
        _add(registry, store, retention.methods(store), problems)
        _add(registry, store, partitions.methods(store), problems)
        common = template.methods(store, registry.shared)
        held.add_needs(store, common)
        _add(registry, store, common, problems)
        _add(registry, store, forget.texts(store, str(directory / forget.FILE), problems), problems)


def _add(registry, store, found, problems):
    for method in found:
        if not method.broken and not method.native and store:
            statements.build(method, store, problems)
        registry.methods.append(method)
