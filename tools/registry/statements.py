"""The SQL of a method to statements: one list per engine, each statement a row of pieces."""

from dataclasses import dataclass

from .methods import directive
from .model import ENGINES, Piece, Statement
from .problems import Place, did_you_mean
from .tokens import wider

_READING = ("SELECT", "VALUES", "WITH")
_WRITING = ("INSERT", "UPDATE", "DELETE", "MERGE")
_POSTGRES_FUNCTIONS = {"json_object": "json_build_object", "json_group_array": "json_agg"}
_POSTGRES_TYPES = {
    "text": "text", "date": "text", "uuid": "text", "query": "text", "jsontext": "text", "content": "text",
    "cron": "text", "timezone": "text",
    "json": "json",
    "int": "bigint", "bool": "boolean", "real": "double precision",
    "duration": "double precision", "blob": "bytea",
}
_POSTGRES_TIMES = {
    "seconds": "double precision", "millis": "bigint", "iso": "timestamptz", "sql": "text",
}


def build(method, store, problems):
    """Fill method.statements.  The store tells the form of times and the renamed columns."""
    builder = _Builder(method, store, problems)
    for engine in method.engines:
        method.statements[engine] = builder.statements(engine)
    builder.check_use()


@dataclass
class _Line:
    """What the comment at a line's end says of the line."""
    engine: str = None
    param: str = None
    has: int = 0  # as in Piece


_PLAIN = _Line()
STATEMENTS_MAX = 16  # st_call.changed has as many places
ALWAYS = (-1, 0)  # neither @if nor @has


class _Builder:
    def __init__(self, method, store, problems):
        self.method, self.store, self.problems = method, store, problems
        self.names = [param.name for param in method.params]
        self.columns = {}
        for index, renamed in enumerate(store.renamed):
            self.columns.setdefault(renamed.name, index)
        self.used = {method.idempotent[1]} if method.idempotent else set()
        self.lines = {}
        for token in method.body:
            if not token.alone:
                self.read_line_end(token)

    def complain(self, line, text):
        self.problems.add(Place(self.method.place.path, line), self.method.name, text)

    # ---- The comments at line ends --------------------------------------------------------

    def read_line_end(self, token):
        if directive(token.text)[0] is None:
            return
        line = self.lines[token.line] = _Line()
        words = token.text.replace("--", " ").split()
        for word, value in zip(words[::2], words[1::2] + [""]):
            if word == "@if" and value and not line.param:
                line.param = value
                self.check_if(token.line, value)
            elif word == "@for" and self.method.only:
                self.complain_of_for(token)
                return
            elif word == "@for" and value in ENGINES and not line.engine:
                line.engine = value
            elif word in ("@has", "@lacks") and not line.has:
                line.has = self.feature(token.line, value) * (1 if word == "@has" else -1)
            else:
                self.complain(token.line, "a line ends in @if and one parameter, in @for sqlite or "
                                          "@for postgres, in @has or @lacks and one feature")
                return

    def complain_of_for(self, token):
        self.complain(token.line, f"@for in a method that is @only {self.method.only[1]}")

    def feature(self, line, name):
        """The number of a feature, from 1."""
        number = self.store.feature_index(name) + 1
        if not number:
            near = did_you_mean(name, [each.name for each in self.store.features])
            self.complain(line, f"no feature {name}{near}")
        return number

    def check_if(self, line, name):
        param = self.method.param(name)
        self.used.add(name)
        if not param:
            self.complain(line, f"@if {name}: not declared{did_you_mean(name, self.names)}")
        elif not param.optional:
            self.complain(line, f"@if {name}: the parameter is not optional")

    # ---- Splitting ------------------------------------------------------------------------

    def statements(self, engine):
        """The statements of that engine."""
        found, current, gap = [], [], ""
        region, rule = "both", None
        for token in self.method.body:
            if token.kind == "comment":
                word, rest = directive(token.text) if token.alone else (None, None)
                if word == "for":
                    region = self.region(token, rest)
                elif word == "else" and region in ("both", engine):
                    if current or rule:
                        self.complain(token.line, "@else stands on the line before its statement")
                    rule = token
            if token.kind in ("comment", "block"):
                gap = wider(" ", token.gap)
                continue
            line = self.lines.get(token.line, _PLAIN)
            if region in ("both", engine) and line.engine in (None, engine):
                if token.text != ";":
                    when = (self.method.param_index(line.param), line.has)
                    current.append((token, wider(gap, token.gap), when))
                elif current:
                    found.append(self.statement(current, rule, engine))
                    current, rule = [], None
                else:
                    self.complain(token.line, "an empty statement")
            gap = ""
        if current:
            self.complain(current[0][0].line, "this statement is not ended by ;")
            found.append(self.statement(current, rule, engine))
        elif rule:
            self.complain(rule.line, "@else without a statement after it")
        elif not found:
            self.complain(self.method.place.line, f"no SQL for {engine}")
        return found

    def region(self, token, value):
        if self.method.only:
            self.complain_of_for(token)
            return "both"
        if value not in ENGINES + ("both",):
            self.complain(token.line, f"@for {value}: it is sqlite, postgres or both")
            return "both"
        return value

    # ---- One statement --------------------------------------------------------------------

    def statement(self, parts, rule, engine):
        tokens = [token for token, _, _ in parts]
        statement = Statement(Place(self.method.place.path, tokens[0].line),
                              self.pieces(parts, engine), _is_reading(tokens))
        if rule:
            words = directive(rule.text)[1].split()
            statement.else_place = Place(self.method.place.path, rule.line)
            statement.else_status = words[0] if len(words) in (1, 2) else ""
            if len(words) == 2:
                statement.else_param = self.method.param_index(words[1])
                if statement.else_param < 0:
                    near = did_you_mean(words[1], self.names)
                    self.complain(rule.line, f"@else {words[1]}: not declared{near}")
        if all(when != ALWAYS for _, _, when in parts):
            self.complain(statement.place.line, "every line of this statement ends in @if or @has: "
                                                "without them nothing would be left to run")
        if self.method.access == "read" and not statement.readonly:
            self.complain(statement.place.line, "a read method cannot run a statement that writes")
        return statement

    def pieces(self, parts, engine):
        writer = _Pieces()
        at = 0
        while at < len(parts):
            token, gap, when = parts[at]
            writer.put(gap if at else "", when)
            width = self.list_condition(parts, at, engine, writer) or self.list_rows(parts, at, engine, writer)
            if width:
                at += width
                continue
            following = parts[at + 1][0].text if at + 1 < len(parts) else ""
            before = parts[at - 1][0].text if at else ""
            if token.kind == "param":
                self.parameter(token, engine, writer)
            elif self.is_renamed(token, before):
                writer.column(self.columns[token.name])
            elif token.text in ("?", "$"):
                self.complain(token.line, f"{token.text} in SQL: a parameter is written :name")
            elif engine == "postgres" and following == "(":
                writer.put(_POSTGRES_FUNCTIONS.get(token.name, token.text), when)
            else:
                writer.put(token.text, when)
            at += 1
        return writer.finish()

    def is_renamed(self, token, before):
        """It is a column that may have another name in the file.  After AS it is an alias: the
        name of a result, which is ours whatever the file."""
        return token.name in self.columns and before.upper() != "AS"

    def list_condition(self, parts, at, engine, writer):
        """Write `IN :ids` or `NOT IN :ids` if it begins here and its list is declared; return
        how many tokens that were."""
        words = [token.text.upper() for token, _, _ in parts[at:at + 2]]
        width = 3 if words == ["NOT", "IN"] else 2 if words[:1] == ["IN"] else 0
        if not width or at + width > len(parts):
            return 0
        token, _, when = parts[at + width - 1]
        param = self.method.param(token.text[1:]) if token.kind == "param" else None
        if not param or not param.list or param.type in ("record", "vector", None):
            return 0
        if when != parts[at][2]:
            self.complain(token.line, f"IN {token.text} stands on one line")
        self.used.add(param.name)
        if engine == "sqlite":
            before, after = f"{' '.join(words[:width - 1])} (SELECT value FROM json_each(", "))"
        else:
            before = "<> ALL(" if width == 3 else "= ANY("
            after = f"::{self.postgres_type(param)}[])"
        writer.put(before, writer.when)
        writer.param(self.method.param_index(param.name))
        writer.put(after, writer.when)
        return width

    def list_rows(self, parts, at, engine, writer):
        """Write `UNNEST(:words, :counts)` if it begins here, on PostgreSQL alone; return how many tokens that were."""
        if engine != "postgres" or parts[at][0].text.upper() != "UNNEST" or at + 1 == len(parts) or parts[at + 1][0].text != "(":
            return 0
        words = []
        for token, _, _ in parts[at + 2:]:
            if token.text == ")":
                break
            words.append(token)
        params = [self.method.param(token.text[1:]) if token.kind == "param" else None for token in words[::2]]
        if not all(param and param.list and param.type not in ("record", "vector") for param in params):
            return 0
        writer.put("UNNEST(", writer.when)
        for number, param in enumerate(params):
            writer.put(", " if number else "", writer.when)
            self.used.add(param.name)
            writer.param(self.method.param_index(param.name))
            writer.put(f"::{self.postgres_type(param)}[]", writer.when)
        writer.put(")", writer.when)
        return 3 + len(words)

    def parameter(self, token, engine, writer):
        name = token.text[1:]
        self.used.add(name)
        param = self.method.param(name)
        if not param:
            self.complain(token.line, f":{name} is not declared{did_you_mean(name, self.names)}")
        elif param.list:
            self.complain(token.line, f":{name} is a list: it can only follow IN, or stand in UNNEST(...) on PostgreSQL"
                          if param.type != "record" else _native_only(name, "records"))
        elif param.type in ("record", "vector"):
            self.complain(token.line, _native_only(name, f"a {param.type}"))
        else:
            writer.param(self.method.param_index(name))
            if engine == "postgres":
                writer.put("::" + self.postgres_type(param), writer.when)

    def postgres_type(self, param):
        if param.type == "time":
            return _POSTGRES_TIMES.get(self.store.time_form, "text")
        return _POSTGRES_TYPES.get(param.type, "text")

    # ---- The whole method -----------------------------------------------------------------

    def check_use(self):
        for engine, found in self.method.statements.items():
            if len(found) > STATEMENTS_MAX:
                self.complain(found[STATEMENTS_MAX].place.line, f"more than {STATEMENTS_MAX} statements on {engine}")
        for param in self.method.params:
            if param.name not in self.used:
                self.problems.add(param.place, self.method.name, f"{param.name} is never used")
        count = min(len(found) for found in self.method.statements.values())
        for result in self.method.results:
            if result.changed > count:
                self.problems.add(result.place, self.method.name,
                                  f"{result.name}: changed {result.changed}, "
                                  f"but the last statement is number {count}")


def _native_only(name, what):
    return f":{name} is {what}: only a native method can take it"


def _is_reading(tokens):
    words = [token.text.upper() for token in tokens]
    first = next((token.text.upper() for token in tokens if token.kind == "word"), "")
    for before, word, after in zip([""] + words, words, words[1:] + [""]):
        if word in _WRITING and before != "." or (word, after) == ("REPLACE", "INTO"):
            return False
    return first in _READING


class _Pieces:
    """Gathers text until a parameter, a column or another condition ends the piece."""

    def __init__(self):
        self.done, self.text, self.when = [], "", ALWAYS

    def put(self, text, when):
        if when != self.when and self.text:
            self.end(-1, -1)
        self.when = when
        self.text += text

    def param(self, index):
        self.end(index, -1)

    def column(self, index):
        self.end(-1, index)

    def end(self, param, column):
        self.done.append(Piece(self.text, param, column, *self.when))
        self.text = ""

    def finish(self):
        if self.text:
            self.end(-1, -1)
        return self.done
