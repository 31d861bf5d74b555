"""sql/shared/: methods and features that every store with sources has."""

import re

from . import methods, schema
from .documents import FEATURE
from .held import FEATURE as HOLDS
from .problems import Place

DIRECTORY = "shared"
_METHOD = re.compile(r"^(--\s*@method\s+)\*\.", re.MULTILINE)


class Template:
    """The files of sql/shared/, read again for each store."""

    def __init__(self, directory, sources, problems):
        self.directory, self.sources, self.problems = directory, sources, problems
        self.files = [(path, sources.text(path)) for path in sources.files(directory, "*.sql")] if directory else []

    def add_features(self, store, shared):
        """Give a store with sources the features."""
        if not self.directory or not store.sources:
            return
        own, store.features = store.features, []
        schema.read_features(store, self.directory / "features", self.sources, self.problems)
        shared.features = [FEATURE, HOLDS, *(feature.name for feature in store.features)]
        store.features = sorted(own + store.features, key=_order)

    def methods(self, store, shared):
        """The methods of the files that are for this store, under its name."""
        found = []
        for path, text in self.files:
            text, only = _stores(text)
            if only not in (None, FEATURE):
                self.problems.add(Place(str(path), 1), "", f"@stores {only}: it is {FEATURE}, or the line is not there")
            if only and store.feature_index(FEATURE) < 0:
                continue
            named = _METHOD.sub(rf"\g<1>{store.name}.", text)
            for method in methods.read(named, str(path), store.name, self.problems):
                shared.methods.setdefault(method.name.partition(".")[2], method)
                if not method.private:
                    self.problems.add(method.place, method.name, "what stores share is private")
                found.append(method)
        return found


def _order(feature):
    """What has triggers on tables that others make comes after these."""
    return feature.name.partition("_")[0] in (FEATURE, HOLDS), feature.name


def _stores(text):
    """The text without a first line that says of which stores it is; and which these are, or None: of all with sources."""
    word, rest = methods.directive(text.split("\n", 1)[0])
    return ("\n" + text.partition("\n")[2], rest) if word == "stores" else (text, None)
