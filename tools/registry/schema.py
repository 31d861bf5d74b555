"""schema.sql, schema.postgres.sql and migrate/ to a store."""

import itertools
import re

from . import tables
from .methods import INDENT, directive
from .model import TIME_FORMS, Feature, Refusal, Renamed, Step, Store
from .problems import Place, did_you_mean
from .tokens import tokenize

_COLUMN = re.compile(r"(\w+)\.(\w+)")
_MARK_TABLE = re.compile(r"table\s+(\w+)\s*\(\s*(\w+)\s*\)")
_STEP_FILE = re.compile(r"(\d{4})_([a-z0-9_]+?)(\.postgres)?\.sql")
_ONCE = ("store", "version", "mark", "time", "durability")
_WORDS = _ONCE + ("pragma", "renamed", "refuse", "accept", "reconcile", "complete", "quarantine")
_MANY = re.compile(r"([1-9][0-9]*) ([a-z_][a-z0-9_]*)")
_FEATURE_FILE = re.compile(r"([a-z0-9_]+?)(\.postgres)?\.sql")
_MAKES_TABLE = re.compile(r"^CREATE TABLE (?:IF NOT EXISTS )?(\w+)", re.MULTILINE)
_PROBE = re.compile(r"(?:index\s+(\w+)|(\w+)(?:\.(\w+))?)")


def read(directory, sources, problems):
    """The store of a directory."""
    path = directory / "schema.sql"
    store = Store(directory.name, Place(str(path), 1))
    _Header(store, problems).read(sources.text(path))
    path = directory / "schema.postgres.sql"
    store.schema["postgres"] = sources.text(path).strip("\n") + "\n"
    tables.split_seeds(store, "sqlite", store.place, problems)
    tables.split_seeds(store, "postgres", Place(str(path), 1), problems)
    tables.read(store, problems, str(path))
    _read_steps(store, directory / "migrate", sources, problems)
    read_features(store, directory / "features", sources, problems)
    if store.quarantine and store.feature_index("quarantine") < 0:
        problems.add(store.place, store.name, "@quarantine: there is no features/quarantine.sql, which makes the table")
    return store


# ---- The header ---------------------------------------------------------------------------


def _split(text):
    """The number of header lines, and the lines.  The header is the comments that open the file,
    up to the end of the last paragraph that has an @word."""
    lines = text.split("\n")
    top = next((i for i, line in enumerate(lines) if line.strip() and not line.startswith("--")),
               len(lines))
    words = [i for i in range(top) if directive(lines[i])[0] is not None]
    end = words[-1] + 1 if words else 0
    while end < top and lines[end].strip():
        end += 1
    return end, lines


class _Header:
    def __init__(self, store, problems):
        self.store, self.problems = store, problems
        self.path = store.place.path
        self.seen = {}  # word -> line

    def complain(self, line, text):
        self.problems.add(Place(self.path, line), self.store.name, text)

    def read(self, text):
        end, lines = _split(text)
        goes_on = None  # what an indented line adds to
        for number, line in enumerate(lines[:end], start=1):
            word, rest = directive(line)
            comment = line[2:].strip()
            if word is not None:
                goes_on = self.word(number, word, rest)
            elif not comment:
                continue
            elif goes_on == "store":
                self.store.doc = f"{self.store.doc} {comment}".strip()
            elif goes_on == "refuse" and line[2:].startswith(" " * INDENT):
                self.store.refusals[-1].advice += " " + comment
            elif self.seen:
                self.complain(number, "a comment among the @words: "
                                      "the store's documentation follows @store")
        self.finish()
        while end < len(lines) and not lines[end].strip():
            end += 1
        self.store.place = Place(self.path, end + 1)
        self.store.schema["sqlite"] = "\n".join(lines[end:]).rstrip() + "\n"
        for token in tokenize("\n".join(lines[end:]), line=end + 1):
            if token.kind == "open":
                self.complain(token.line, "this quotation or comment has no end")
            elif directive(token.text)[0] in _WORDS:
                self.complain(token.line, f"@{directive(token.text)[0]} belongs at the top")

    def word(self, number, word, rest):
        """Take one word; return it if following lines may go on with it."""
        if word not in _WORDS:
            self.complain(number, f"unknown word @{word}{did_you_mean(word, _WORDS)}")
            return None
        if word in _ONCE and word in self.seen:
            self.complain(number, f"a second @{word}")
        self.seen[word] = number
        if word != "refuse":
            rest = re.split(r"\s--\s", rest)[0].strip()
        wrong = getattr(self, "on_" + word)(rest)
        if wrong:
            self.complain(number, wrong)
        return None if wrong and word != "store" else word

    def finish(self):
        for word in _ONCE:
            if word not in self.seen:
                self.complain(1, f"no @{word} at the top of the schema")
        if "store" in self.seen and not self.store.doc:
            self.complain(self.seen["store"], "no documentation: say below @store what it holds")

    def on_store(self, rest):
        if rest != self.store.name:
            return f"@store {rest} in the directory {self.store.name}"
        return None

    def on_version(self, rest):
        if not re.fullmatch(r"[1-9]\d{0,8}", rest):
            return "@version needs a number from 1"
        self.store.version = int(rest)
        return None

    def on_mark(self, rest):
        table = _MARK_TABLE.fullmatch(rest)
        if table:
            self.store.mark = "table"
            self.store.mark_table, self.store.mark_column = table.groups()
        elif rest in ("shape", "user_version"):
            self.store.mark = rest
        else:
            return "@mark is shape, user_version or table name(column)"
        return None

    def on_time(self, rest):
        self.store.time_form = rest
        return None if rest in TIME_FORMS else "@time is seconds, millis, iso or sql"

    def on_durability(self, rest):
        self.store.durability = rest
        return None if rest in ("normal", "full") else "@durability is normal or full"

    def on_accept(self, rest):
        match = re.fullmatch(r"(\d+)\.\.(\d+)", rest)
        if not match or int(match[1]) != self.store.version + 1 or int(match[2]) < int(match[1]):
            return "@accept needs the versions that follow @version, such as 12..16"
        self.store.accepts = int(match[2])
        return None

    def on_reconcile(self, rest):
        self.store.reconcile = True
        return "@reconcile stands alone" if rest else None

    def on_complete(self, rest):
        self.store.reconcile = self.store.complete = True
        return "@complete stands alone" if rest else None

    def on_quarantine(self, rest):
        self.store.quarantine = True
        return "@quarantine stands alone" if rest else None

    def on_pragma(self, rest):
        self.store.pragmas.append(rest)
        return None if re.fullmatch(r"\w+\s*=\s*\S.*", rest) else "@pragma needs name = value"

    def on_renamed(self, rest):
        words = rest.split()
        column = _COLUMN.fullmatch(words[0]) if words else None
        if not column or len(words) != 3 or words[1] != "also":
            return "@renamed needs table.column also other_name"
        self.store.renamed.append(Renamed(*column.groups(), words[2]))
        if len(self.store.renamed) > 32:
            return "more than 32 @renamed: a file's names are kept in as many bits"
        return None

    def on_refuse(self, rest):
        name, _, advice = rest.partition(" ")
        column = _COLUMN.fullmatch(name)
        if not column or not advice.strip():
            return "@refuse needs table.column and the advice to give"
        self.store.refusals.append(Refusal(*column.groups(), advice.strip()))
        return None


# ---- Migrations ---------------------------------------------------------------------------


def _read_steps(store, directory, sources, problems):
    if not directory.is_dir():
        return
    steps = {}
    for path in sources.files(directory, "*.sql"):
        def complain(text, path=path):
            problems.add(Place(str(path), 1), store.name, text)
        match = _STEP_FILE.fullmatch(path.name)
        if not match:
            complain("a step is named 0002_why.sql or 0002_why.postgres.sql")
            continue
        version, why = int(match[1]), match[2].replace("_", " ")
        engine = "postgres" if match[3] else "sqlite"
        step = steps.setdefault(version, Step(version, why, {}))
        if version < 2:
            complain("the first step leads to version 2")
        elif version > store.version:
            complain(f"a step to version {version}, but the schema has @version {store.version}")
        elif step.why != why:
            complain(f"two steps lead to version {version}")
        step.parts[engine] = _parts(sources.text(path), complain)
    store.steps = [steps[version] for version in sorted(steps)]
    if store.reconcile:  # a version that only added columns needs no step
        return
    for version in range(min(steps, default=store.version), store.version):
        if version + 1 not in steps:
            problems.add(Place(str(directory), 1), store.name, f"no step to version {version + 1}")


def _parts(text, complain):
    """The parts of a step: [(table, column, SQL)], with None where nothing is to be looked for."""
    first, *rest = re.split(r"^-- @probe\b[ \t]*(.*)$", text, flags=re.MULTILINE)
    parts = [(None, None, first)]
    for wanted, sql in zip(rest[::2], rest[1::2]):
        probe = _PROBE.fullmatch(wanted.strip()) if wanted.strip() else None
        if wanted.strip() and not probe:
            complain("a part of a step begins with -- @probe table, table.column or index name, or with a bare -- @probe")
        parts.append((probe and (probe[1] or probe[2]), probe and probe[3], sql))
    return [(table, column, sql.strip("\n") + "\n") for table, column, sql in parts if sql.strip()]


# ---- Features -----------------------------------------------------------------------------


def _replaced(text):
    """The tables that the second line of a feature names, if it is -- @replaces."""
    word, rest = directive(text.split("\n", 2)[1]) if "\n" in text else (None, "")
    return tuple(name.strip() for name in rest.split(",")) if word == "replaces" else ()


def _directives(text):
    """Those among the first comments of a feature: [(word, rest)]."""
    return [directive(line) for line in itertools.takewhile(lambda line: line.startswith("--"), text.split("\n"))]


def _is_derived(text):
    return any(word == "derived" for word, _ in _directives(text))


def _many(text, complain):
    """(rows, table), if the feature says -- @many ROWS TABLE."""
    for word, rest in _directives(text):
        said = _MANY.fullmatch(rest) if word == "many" else None
        if said:
            return int(said[1]), said[2]
        if word == "many":
            complain("@many has a number of rows and a table, e.g. -- @many 300 sessions")
    return ()


def derived(store):
    """What a store's derived features make: [(table, column or None)]."""
    found = []
    for feature in store.features:
        if not feature.derived:
            continue
        if feature.column:
            found.append((feature.table, feature.column))
        tables = {name for sql in feature.sql.values() for name in _MAKES_TABLE.findall(sql or "")}
        found += [(table, None) for table in sorted(tables)]
    return found


def read_features(store, directory, sources, problems):
    if not directory.is_dir():
        return
    found = {}
    for path in sources.files(directory, "*.sql"):
        match = _FEATURE_FILE.fullmatch(path.name)
        text = sources.text(path)
        word, rest = directive(text.split("\n", 1)[0])
        probe = _PROBE.fullmatch(rest or "") if word == "probe" else None
        if not match or not probe:
            problems.add(Place(str(path), 1), store.name, "a feature is NAME.sql, and its first line "
                         "is -- @probe table, table.column or index name")
            continue
        table, column = probe[1] or probe[2], probe[3]
        feature = found.setdefault(match[1], Feature(match[1], table, column, {}, {}))
        if (feature.table, feature.column) != (table, column):
            problems.add(Place(str(path), 1), store.name, "both engines have the same @probe")
        engine = "postgres" if match[2] else "sqlite"
        feature.replaces = feature.replaces or _replaced(text)
        feature.derived = feature.derived or _is_derived(text)
        feature.many = feature.many or _many(text, lambda words: problems.add(Place(str(path), 1), store.name, words))
        make, *undo = re.split(r"^-- @undo\s*$", text, maxsplit=1, flags=re.MULTILINE)
        feature.sql[engine] = make.strip("\n") + "\n"
        if undo:
            feature.undo[engine] = undo[0].strip("\n") + "\n"
    for feature in found.values():
        feature.sql.setdefault("postgres", feature.sql.get("sqlite"))
    store.features = [found[name] for name in sorted(found)]
