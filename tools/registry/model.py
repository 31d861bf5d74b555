"""What the registry holds.  The names are those of src/engine/registry.h."""

from dataclasses import dataclass, field
from math import inf

from .problems import Place

ENGINES = ("sqlite", "postgres")
SHAPES = ("none", "one", "many")
ACCESS = ("read", "write", "admin")
TYPES = ("text", "int", "real", "bool", "json", "jsontext", "content", "time", "date", "uuid", "duration",
         "query", "vector", "blob", "cron", "timezone")
TIME_FORMS = ("seconds", "millis", "iso", "sql")
STORE_ORDER = ("stele", "recall", "conversation", "capture", "telemetry", "assistant", "planner")
LIBRARY = "stele"
# Not stores: they have methods, but no database of their own.
LIBRARIES = {
    LIBRARY: "The library itself: its stores, not what is in them.",
    "recall": "One search over all stores, and what happened around a find.",
}


@dataclass
class Field:
    """A parameter or a result."""
    name: str
    place: Place
    written: str = ""      # the type as written
    type: str = None       # one of TYPES, "record", or None when it was not understood
    record: str = None     # for a record: the method's name
    nullable: bool = False
    optional: bool = False
    list: bool = False
    secret: bool = False   # its value is told to nobody but the caller
    default: str = None    # JSON text, or now, new
    choices: list = None
    min: float = -inf
    max: float = inf
    changed: int = 0       # a result: counts the rows of that statement; -1: of all; 0: a column
    doc: str = ""


@dataclass
class Piece:
    """SQL text, then perhaps a parameter or a renamed column; all indexes, -1 for none."""
    sql: str
    param: int
    column: int
    when: int
    has: int  # number of the feature it needs, from 1; negative: that must be missing; 0: none


@dataclass
class Statement:
    place: Place
    pieces: list
    readonly: bool
    else_place: Place = None  # of its @else line
    else_status: str = "OK"
    else_param: int = -1


@dataclass
class Method:
    store: str
    name: str  # with the store: "telemetry.create_session"
    place: Place
    shape: str = None
    access: str = None
    private: bool = False
    doc: str = ""
    params: list = field(default_factory=list)
    results: list = field(default_factory=list)
    only: tuple = None                             # (place, engine): it has SQL for that one alone
    native: str = None
    outside: bool = False                          # the native function makes its own transactions
    queue: tuple = None                            # (place, method name, parameter name)
    features: list = field(default_factory=list)   # (place, name) of what it needs
    idempotent: tuple = None                       # (place, parameter name)
    http: tuple = None                             # (place, verb, path)
    body: list = field(default_factory=list)       # tokens
    statements: dict = field(default_factory=dict)  # engine -> list of Statement
    broken: bool = False                           # its text was not understood to the end

    @property
    def engines(self):
        """Those that it has SQL for."""
        return tuple(each for each in ENGINES if not self.only or each == self.only[1])

    @property
    def secret(self):
        """Some field of it is."""
        return any(each.secret for each in self.params + self.results)

    def param(self, name):
        return next((each for each in self.params if each.name == name), None)

    def param_index(self, name):
        return next((i for i, each in enumerate(self.params) if each.name == name), -1)


@dataclass
class Renamed:
    table: str
    name: str
    also: str


@dataclass
class Refusal:
    table: str
    column: str
    advice: str


@dataclass
class Step:
    version: int
    why: str
    parts: dict  # engine -> list of (table or None, column or None, SQL): run where that is there


@dataclass
class Feature:
    """What a file gets when a method first needs it."""
    name: str
    table: str   # how to see that it is there: a table or an index,
    column: str  # or a column of the table
    sql: dict    # engine -> text
    undo: dict   # engine -> text that takes it away; none where there is none
    replaces: tuple = ()  # tables of an older form: where one is, it is made when the store is opened
    derived: bool = False  # what it makes can be made anew from the rest: a copy leaves it out
    many: tuple = ()       # (rows, table): only where a table has so many, methods need it


@dataclass
class Source:
    """What of a store can be found, of one kind."""
    kind: str
    place: Place
    table: str
    key: str
    key_type: str
    doc: str = ""
    watch: str = ""         # the columns whose change matters; "": all
    when: str = ""          # the rows that matter, as a condition on the new one; "": all
    needs: str = ""         # the feature that makes the table
    numbered: bool = False  # the key is the document's number
    mark: str = ""          # private or untrusted: for its own session only
    body: list = field(default_factory=list)  # tokens of the SELECT


@dataclass
class Forgettable:
    """What becomes of the rows of one table when something is to be forgotten."""
    table: str
    place: Place
    doc: str = ""
    key: str = ""            # what tells its rows apart: an expression about the row t
    key_type: str = "text"
    criteria: dict = field(default_factory=dict)  # session, project, source, time -> expression
    redact: list = None      # its rows stay, without the text, unless it stands in one of these columns; None: they go
    follows: list = field(default_factory=list)   # tables with whose rows they go
    also: list = field(default_factory=list)      # conditions under which they go with others
    detach: list = field(default_factory=list)    # table.column that no longer refers to them
    rebuild: list = field(default_factory=list)   # search tables inside a file that are made of it
    nothing: bool = False    # it holds no text
    body: str = ""           # statements before the deletion
    columns: dict = field(default_factory=dict)   # those that can hold a text -> types, nullable, feature
    feature: str = ""        # that makes the table
    kinds: list = field(default_factory=list)     # sources that are made of it
    held: str = ""           # the kind that a legal hold knows its rows by


@dataclass
class Held:
    """What of a store a legal hold can keep, of one kind."""
    kind: str
    place: Place
    table: str
    key: str
    doc: str = ""
    needs: str = ""   # a feature whose tables the SELECT looks at
    also: tuple = ()  # (Held, column): rows of that kind hold the row that their column names
    select: str = ""  # id, session, project and time of the rows


@dataclass
class Rule:
    """What of a store may go after some time."""
    topic: str
    place: Place
    table: str
    key: str
    key_type: str
    doc: str = ""
    keep: int = 0     # seconds
    off: bool = False  # unless somebody wants it
    every: int = 0    # seconds between two times that it is done
    held: str = ""    # the kind that a legal hold knows the rows by
    narrow: str = ""  # a further column of the SELECT, by which one may choose
    first: tuple = ()  # (table, column, key): what belongs to the rows and goes before them, a part at a time
    link: list = field(default_factory=list)   # (table, column): goes before them, too, but is little
    loose: list = field(default_factory=list)  # (table, column): what refers to them, and then to nothing
    partitioned: str = ""  # the column by which PostgreSQL cuts the table
    body: list = field(default_factory=list)   # tokens of the SELECT: id, time, and what it can be narrowed by


@dataclass
class Store:
    name: str
    place: Place
    doc: str = ""
    version: int = 0
    mark: str = None  # shape, user_version or table
    mark_table: str = None
    mark_column: str = None
    time_form: str = None
    durability: str = None
    pragmas: list = field(default_factory=list)
    renamed: list = field(default_factory=list)
    refusals: list = field(default_factory=list)
    schema: dict = field(default_factory=dict)  # engine -> text
    seeds: dict = field(default_factory=dict)   # engine -> list of (table or None, SQL)
    shape: list = field(default_factory=list)   # (table, column, {engine: declaration or None if not addable})
    objects: dict = field(default_factory=dict)  # engine -> names of indexes, triggers and virtual tables
    steps: list = field(default_factory=list)
    accepts: int = 0         # the latest version whose files are used as they are
    reconcile: bool = False  # missing columns are added before the steps
    complete: bool = False   # and whatever else of the schema is missing
    quarantine: bool = False  # rows without a parent are put aside before the steps
    features: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    forgets: list = field(default_factory=list)
    held: list = field(default_factory=list)
    rules: list = field(default_factory=list)

    def feature_index(self, name):
        return next((i for i, each in enumerate(self.features) if each.name == name), -1)


@dataclass
class Shared:
    """What every store with sources has."""
    methods: dict   # name without the store -> such a method of some store
    features: list  # names


@dataclass
class Registry:
    stores: list   # of Store
    methods: list  # of Method, grouped by store: the index is the id
    shared: Shared = field(default_factory=lambda: Shared({}, []))

    def method(self, name):
        return next((each for each in self.methods if each.name == name), None)
