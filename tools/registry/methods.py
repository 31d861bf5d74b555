"""A file of methods to methods.  Their SQL stays a list of tokens: see statements.py."""

import re
from dataclasses import replace

from . import fields
from .model import ACCESS, ENGINES, LIBRARIES, SHAPES, Method
from .problems import Place, did_you_mean
from .tokens import tokenize

_HEADER_WORDS = ("method", "param", "result", "results", "native", "queue", "feature", "idempotent", "http", "only")
_BODY_WORDS = ("else", "if", "for", "has", "lacks")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_ADDRESS = re.compile(r"/v1(/[a-z][a-z0-9_-]*|/\{\w+\})+")
INDENT = 4  # spaces after -- that make a comment line go on with the field above it


def directive(comment):
    """The word and the rest of a comment "-- @word rest", or (None, None)."""
    match = re.match(r"--\s*@(\S*)\s*(.*?)\s*$", comment)
    return match.groups() if match else (None, None)


def read(text, path, store, problems):
    """The methods of one file, in its order."""
    reader = _Reader(path, store, problems)
    for token in tokenize(text):
        reader.take(token)
    reader.finish()
    return reader.methods


class _Reader:
    """Takes the tokens of a file one by one."""

    def __init__(self, path, store, problems):
        self.path, self.store, self.problems = path, store, problems
        self.methods = []
        self.method = None  # the one being read
        self.open = None    # what a comment line goes on with: the method, a field, or None
        self.last_line = 0

    def complain(self, line, text):
        subject = self.method.name if self.method else self.store
        self.problems.add(Place(self.path, line), subject, text)

    def take(self, token):
        if token.line > self.last_line + 1:
            self.open = None  # an empty line: comments after it are nobody's documentation
        self.last_line = token.line + token.text.count("\n")
        word, rest = directive(token.text) if token.kind == "comment" else (None, None)
        if token.kind == "open":
            self.unterminated(token)
        elif word is not None and token.alone and word not in _BODY_WORDS:
            self.header_word(token, word, rest)
        elif word is None and token.kind == "comment":
            self.text_line(token)
        else:
            self.body_token(token, word)

    def unterminated(self, token):
        what = {"'": "string", '"': "name in quotes", "/": "comment"}.get(token.text[0], "string")
        self.complain(token.line, f"this {what} has no end")
        if self.method:
            self.method.broken = True

    def body_token(self, token, word):
        if not self.method:
            self.complain(token.line, "SQL before the first @method")
        elif word is not None and word not in _BODY_WORDS:
            self.complain(token.line, f"@{word} cannot stand at a line's end")
        elif word in ("if", "has", "lacks") and token.alone:
            self.complain(token.line, f"@{word} stands at the end of the line it is about")
        elif word == "else" and not token.alone:
            self.complain(token.line, "@else stands alone, on the line before its statement")
        else:
            self.method.body.append(token)

    def text_line(self, token):
        """A comment without a word: documentation, or in the SQL just a comment."""
        text = token.text[2:]
        indent = len(text) - len(text.lstrip())
        if not self.method or self.method.body or self.open is None:
            return
        if self.open is not self.method and indent < INDENT and text.strip():
            self.complain(token.line, "documentation of the method belongs above its first @; "
                                      f"to go on with a field, indent by {INDENT} spaces")
            return
        if not text.strip():
            self.open.doc += "\n\n"
        else:
            self.open.doc += ("" if self.open.doc.endswith("\n") else " ") + text.strip()

    def header_word(self, token, word, rest):
        if word not in _HEADER_WORDS:
            near = did_you_mean(word, _HEADER_WORDS + _BODY_WORDS)
            self.complain(token.line, f"unknown word @{word}{near}")
        elif word == "method":
            self.finish()
            self.begin(token.line, rest)
        elif not self.method:
            self.complain(token.line, f"@{word} before the first @method")
        elif self.method.body:
            self.complain(token.line, f"@{word} after the SQL has begun")
        else:
            self.open = None
            getattr(self, "on_" + word)(token.line, rest)

    def begin(self, line, rest):
        words = rest.split()
        name = words[0] if words else ""
        self.method = self.open = Method(self.store, name, Place(self.path, line))
        if not fields.METHOD_NAME.fullmatch(name):
            self.method.name = name or self.store
            self.complain(line, "@method needs store.name, a shape and an access")
            self.method.broken = True
            return
        if name.split(".")[0] != self.store:
            self.complain(line, f"a method of this directory is named {self.store}.…")
        if any(each.name == name for each in self.methods):
            self.complain(line, "this method is declared twice")
        self.method.shape = self.one_of("shape", SHAPES, words[1:2], line)
        self.method.access = self.one_of("access", ACCESS, words[2:3], line)
        self.method.private = words[3:] == ["private"]
        if words[3:] and not self.method.private:
            self.complain(line, f"{' '.join(words[3:])} after the access: only private may follow")

    def one_of(self, what, allowed, words, line):
        if words and words[0] in allowed:
            return words[0]
        found = f"unknown {what} {words[0]}" if words else f"no {what}"
        self.complain(line, f"{found}: it is {', '.join(allowed[:-1])} or {allowed[-1]}")
        return None

    def on_param(self, line, rest):
        self.add_field(self.method.params, "parameter", line, rest)

    def on_result(self, line, rest):
        self.add_field(self.method.results, "result", line, rest)

    def on_results(self, line, rest):
        """Those of a method above: rows of one kind are described once."""
        like = next((each for each in self.methods if each.name == rest), None)
        if not like:
            self.complain(line, f"@results needs a method of this file, declared above; {rest or 'nothing'} is none")
        elif self.method.results:
            self.complain(line, "@results comes before each @result")
        else:
            self.method.results = [replace(field) for field in like.results]

    def add_field(self, known, what, line, rest):
        field = fields.parse(rest, Place(self.path, line), what == "result",
                             lambda text: self.complain(line, text))
        if not field:
            return
        self.open = field
        if any(each.name == field.name for each in known):
            self.complain(line, f"the {what} {field.name} is declared twice")
        else:
            known.append(field)

    def on_native(self, line, rest):
        if self.method.native:
            self.complain(line, "a second @native")
        words = rest.split()
        if not words or not _IDENTIFIER.fullmatch(words[0]) or words[1:] not in ([], ["outside"]):
            self.complain(line, "@native needs the name of a C function; only outside may follow")
        self.method.native = words[0] if words else "?"
        self.method.outside = words[1:] == ["outside"]

    def on_only(self, line, rest):
        if self.method.only:
            self.complain(line, "a second @only")
        elif rest not in ENGINES:
            self.complain(line, f"@only {rest}: it is {' or '.join(ENGINES)}")
        elif not self.method.private:
            self.complain(line, "@only: a method that others can call is there on every engine")
        else:
            self.method.only = (Place(self.path, line), rest)

    def on_queue(self, line, rest):
        words = rest.split()
        if self.method.queue:
            self.complain(line, "a second @queue")
        elif len(words) != 2:
            self.complain(line, "@queue needs a method and its list parameter")
        else:
            self.method.queue = (Place(self.path, line), *words)

    def on_feature(self, line, rest):
        self.method.features.append((Place(self.path, line), rest))

    def on_idempotent(self, line, rest):
        if self.method.idempotent:
            self.complain(line, "a second @idempotent")
        param = self.method.param(rest)
        if not param or param.type != "text" or not param.optional:
            self.complain(line, "@idempotent needs an optional text parameter, declared above it")
        self.method.idempotent = (Place(self.path, line), rest)

    def on_http(self, line, rest):
        words = rest.split()
        if self.method.http:
            self.complain(line, "a second @http")
        elif len(words) != 2 or words[0] != "GET" or not _ADDRESS.fullmatch(words[1]):
            self.complain(line, "@http needs GET and a path such as /v1/sessions/{session_id}")
        else:
            self.method.http = (Place(self.path, line), *words)

    def finish(self):
        """Check what can be told of a method as soon as its block has ended."""
        method, self.open = self.method, None
        if not method:
            return
        self.methods.append(method)
        if method.broken:
            return
        line = method.place.line
        method.doc = method.doc.strip()
        if not method.doc:
            self.complain(line, "no documentation: say below @method what it does")
        for field in method.params + method.results:
            field.doc = field.doc.strip()
            if not field.doc:
                self.complain(field.place.line, f"{field.name} has no documentation")
        if len(method.params) > 64:
            self.complain(line, f"{len(method.params)} parameters: at most 64")
        sql = [token for token in method.body if token.kind not in ("comment", "block")]
        if method.native and method.only:
            self.complain(method.only[0].line, "@only beside @native: a function is there on every engine")
        if method.native and sql:
            self.complain(sql[0].line, "SQL beside @native: it has one or the other")
        elif not method.native and not sql:
            self.complain(line, "neither SQL nor @native")
            method.broken = True
        elif sql and self.store in LIBRARIES:
            self.complain(sql[0].line, "the library has no database: its methods are @native")
