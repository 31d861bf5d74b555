#!/usr/bin/env python3
"""The registry generator: a sample is read, compiled and assembled; each mistake is told with its
file and line.  Prints TAP."""

import contextlib
import difflib
import importlib.util
import io
import os
import shlex
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
GENERATOR = ROOT / "tools" / "registry.py"
CC = shlex.split(os.environ.get("CC", "cc"))
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
          f"-I{ROOT / 'include'}", f"-I{ROOT / 'src'}", "-I."]
OUTPUTS = ("registry.c", "registry_ids.h", "methods.md", "registry.d")

_spec = importlib.util.spec_from_file_location("generator", GENERATOR)
sys.path.insert(0, str(GENERATOR.parent))
generator = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generator)

TESTS = []


def test(name):
    def register(function):
        TESTS.append((name, function))
        return function
    return register


def same(found, expected):
    if found != expected:
        lines = difflib.ndiff(str(expected).splitlines(), str(found).splitlines())
        raise AssertionError("expected -, found +\n" + "\n".join(lines))


def holds(text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError(f"not found:\n{part}\nin:\n{text}")


# ---- A directory of files, and the generator run on it ---------------------------------------

SCHEMA = """\
-- @store demo
-- Things,
-- and what they did.
-- @version 3
-- @mark table version(number)
-- @time millis                -- a remark
-- @durability full
-- @pragma foreign_keys = ON
-- @renamed thing.begun also begun_ts
-- @refuse thing.colour  This is a paint shop:
--     open it as paint.

-- What there is.  "Really??/" ≠ nothing
CREATE TABLE thing (
  id INTEGER PRIMARY KEY, -- it's the number
  kind TEXT, begun INTEGER,
  twice INTEGER GENERATED ALWAYS AS (id * 2)
);
CREATE TABLE version (number INTEGER);
CREATE TRIGGER grow AFTER INSERT ON thing BEGIN UPDATE version SET number = 1; END;
"""

POSTGRES = """\
-- The same.
CREATE TABLE thing (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text CHECK (kind IN ('a', 'b')),
  begun numeric(20, 0), "twice" bigint, /* , no bigint */
  CONSTRAINT one UNIQUE (id, kind)
);
CREATE TABLE IF NOT EXISTS demo.version (number bigint);
CREATE INDEX by_kind ON thing (kind);
CREATE TABLE part PARTITION OF thing DEFAULT;
ALTER TABLE thing ADD UNIQUE (begun);
"""

METHODS = """\
-- @method demo.find  many  read
-- Find things.
-- @param  kind   text             which kind
-- @param  limit  int(1..9) = 5    at most this many
-- @param  after  int optional     only those after it
-- @result id     int              its number
SELECT id FROM thing
 WHERE kind = :kind
   AND id > :after   -- @if after
 ORDER BY id LIMIT :limit;
"""

FILES = {"sql/demo/schema.sql": SCHEMA, "sql/demo/schema.postgres.sql": POSTGRES,
         "sql/demo/methods.sql": METHODS,
         "sql/demo/migrate/0002_grow_up.sql": "ALTER TABLE thing ADD begun;\n",
         "sql/demo/migrate/0003_last.sql": "SELECT 1;\n",
         "sql/demo/migrate/0003_last.postgres.sql": "SELECT 2;\n"}


def arguments(roots):
    outputs = zip(("--c", "--header", "--markdown", "--depfile"), OUTPUTS)
    return [word for root in roots for word in ("--sql", root)] + [word for pair in outputs for word in pair]


class Run:
    """The generator run on files; None for a text leaves the file away."""

    def __init__(self, files, roots=("sql",)):
        self.place = tempfile.TemporaryDirectory()
        self.directory = Path(self.place.name)
        for name, text in files.items():
            path = self.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is not None:
                path.write_text(text, encoding="utf-8")
        self.status, self.errors = self.generate(roots)

    def generate(self, roots=("sql",)):
        """Run its main() here: to start Python for each test would take most of the time."""
        with contextlib.chdir(self.directory), contextlib.redirect_stderr(io.StringIO()) as told:
            return generator.main(arguments(roots)), told.getvalue()

    def text(self, name):
        same(self.errors, "")
        return (self.directory / name).read_text(encoding="utf-8")

    def compile(self, *arguments):
        done = subprocess.run([*CC, *STRICT, *arguments], cwd=self.directory,
                              capture_output=True, text=True)
        same(done.stderr, "")
        same(done.returncode, 0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.cleanup()


# ---- The good sample -------------------------------------------------------------------------

SAMPLE = """\
-- What the demo can do.

-- @method demo.add  one  write
-- Add a thing.  Is it "quoted\\"??/
-- or é1?
--
-- A second paragraph.
-- @param  kind   text(a|b)? = "b"   which kind,
--     told over two lines
-- @param  begun  time = now         when
--
-- @param  key    uuid = new         its key
-- @param  share  real(..0.5) optional  how much
-- @queue  demo.add_all things
-- @result id     int                its number
-- @result added  int changed        1, or 0 for none
-- @else CONFLICT kind
INSERT INTO thing (kind, begun, note)  -- to be said: it's 'new'
VALUES (:kind, :begun, 'a--b :no; /* ' || :key || ":no;")
RETURNING id, begun AS begun;
-- @for sqlite
-- @else INVALID
UPDATE thing SET /* a
   block; */ begun = excluded."begun", share = :share   -- @if share
 WHERE id = 1;
-- @for postgres
SELECT 'x'::text, json_object('a', :kind) AS json_object FROM thing FOR UPDATE;
-- @for both
-- A comment between.
SELECT json_group_array(t.id)/**/FROM thing;

-- @method demo.add_all  none  write  private
-- Add many.
-- @param  things  demo.add[]       which
-- @param  also    demo.add? optional  one more
-- @native st_demo_add_all outside

-- @method demo.pick  many  read
-- Pick things.
-- @param  ids   int[]              which
-- @param  omit  text(x|y)[] = ["x"] which kinds not
-- @param  times time[] optional    begun when
-- @param  doc   json = {"a": [1]}  a document
-- @result id    int                its number
-- @result kind  text?              its kind
WITH picked AS (SELECT id, kind FROM thing
  WHERE id IN :ids AND kind NOT IN :omit
    AND begun in :times     -- @if times
    AND 1 = 2  -- @if times @for postgres
    AND t.update = position('a' IN :doc) -- @for postgres
) SELECT replace(kind, 'a', :doc) FROM picked;

-- @method demo.clear  none  write
-- Clear.
-- @param  all  bool optional  also the first; only whether it is sent counts
DELETE FROM thing
 WHERE id > 1
    OR id = 1  -- @if all
;
"""

LIBRARY = """\
 -- @method stele.status  one  admin
-- How it is | was.
-- @param verbose bool = false  say more
-- @result text text  the <answer>
-- @native st_status

-- A comment of no method.
"""

READER = r"""
#include "registry.c"
#include "registry_ids.h"
#include <stdio.h>

void st_demo_add_all(st_call *call) { (void)call; }
void st_status(st_call *call) { (void)call; }

static void fields(const char *kind, const stele_field *field, size_t n) {
  for (size_t i = 0; i < n; i++, field++) {
    printf("%s %s type=%d flags=%u fallback=%s %g..%g record=%s choices=", kind, field->name, (int)field->type,
           field->flags, field->fallback ? field->fallback : "-", field->min, field->max,
           field->record ? field->record->name : "-");
    for (const char *const *choice = field->choices; choice && *choice; choice++) printf("[%s]", *choice);
    printf(" doc=%s\n", field->doc);
  }
}

static void statement(const st_method *method, const st_statement *it, const char *engine, bool all) {
  printf("%s %s readonly=%d else=%d/%d pieces=%d: ", engine, all ? "all" : "none", it->readonly,
         (int)it->else_status, it->else_param, it->npieces);
  for (int i = 0; i < it->npieces; i++) {
    const st_piece *piece = &it->pieces[i];
    if (piece->when >= 0 && !all) continue;
    for (const char *c = piece->sql; *c; c++) putchar(*c == '\n' ? '~' : *c);
    if (piece->param >= 0) printf("<%s>", method->public.params[piece->param].name);
    if (piece->column >= 0) printf("{%s}", st_registry.stores[method->store].renamed[piece->column].also);
  }
  printf("\n");
}

int main(void) {
  static const char *const engines[] = {"sqlite", "postgres"};
  for (int i = 0; i < st_registry.nmethods; i++) {
    const st_method *method = &st_registry.methods[i];
    printf("%s store=%d %d %d private=%d native=%d outside=%d batch=%d/%d id=%d %s %s %s\ndoc=%s\n", method->public.name,
           method->store, (int)method->shape, (int)method->access, method->private, method->native != NULL,
           method->outside, method->batch_method, method->batch_param, method->id, method->public.store, method->public.shape,
           method->public.access, method->public.doc);
    fields("param", method->public.params, method->public.nparams);
    fields("result", method->public.results, method->public.nresults);
    for (size_t k = 0; k < method->public.nresults; k++) printf("changed=%d\n", method->changed[k]);
    for (int engine = 0; engine < ST_ENGINES; engine++)
      for (int k = 0; k < method->nstatements[engine]; k++)
        for (int all = 0; all < 2; all++)
          statement(method, &method->statements[engine][k], engines[engine], all);
  }
  for (int i = 0; i < st_registry.nstores; i++) {
    const st_store *s = &st_registry.stores[i];
    printf("store %s %s version=%d mark=%d %s(%s) time=%d full=%d doc=%s\n", s->name, s->file, s->version, (int)s->mark,
           s->mark_table, s->mark_column, (int)s->time_form, s->full, s->doc);
    for (const char *const *pragma = s->pragmas; *pragma; pragma++) printf("pragma %s\n", *pragma);
    for (int k = 0; k < s->nsteps; k++)
      printf("step %d %s: %s/ %s", s->steps[k].version, s->steps[k].why, s->steps[k].parts[0][0].sql,
             s->steps[k].nparts[1] ? s->steps[k].parts[1][0].sql : "-\n");
    for (int k = 0; k < s->nrenamed; k++)
      printf("renamed %s.%s %s\n", s->renamed[k].table, s->renamed[k].name, s->renamed[k].also);
    for (int k = 0; k < s->nrefusals; k++)
      printf("refuse %s.%s %s\n", s->refusals[k].table, s->refusals[k].column, s->refusals[k].advice);
    for (int k = 0; k < s->nshape; k++) printf("shape %s.%s\n", s->shape[k].table, s->shape[k].column);
    printf("%s---\n%s", s->schema[0], s->schema[1]);
  }
  return STELE_M_DEMO_PICK == 3 && ST_P_DEMO_ADD_SHARE == 3 && ST_R_DEMO_ADD_ADDED == 1 ? 0 : 1;
}
"""

READ = """\
stele.status store=-1 1 2 private=0 native=1 outside=0 batch=-1/-1 id=0 stele one admin
doc=How it is | was.
param verbose type=3 flags=0 fallback=false -inf..inf record=- choices= doc=say more
result text type=0 flags=0 fallback=- -inf..inf record=- choices= doc=the <answer>
changed=0
demo.add store=0 1 1 private=0 native=0 outside=0 batch=2/0 id=1 demo one write
doc=Add a thing.  Is it "quoted\\"??/ or é1?

A second paragraph.
param kind type=0 flags=1 fallback="b" -inf..inf record=- choices=[a][b] doc=which kind, told over two lines
param begun type=6 flags=0 fallback=now -inf..inf record=- choices= doc=when
param key type=7 flags=0 fallback=new -inf..inf record=- choices= doc=its key
param share type=2 flags=2 fallback=- -inf..0.5 record=- choices= doc=how much
result id type=1 flags=0 fallback=- -inf..inf record=- choices= doc=its number
result added type=1 flags=0 fallback=- -inf..inf record=- choices= doc=1, or 0 for none
changed=0
changed=-1
sqlite none readonly=0 else=5/0 pieces=6: INSERT INTO thing (kind, {begun_ts}, note)~VALUES (<kind>, <begun>, 'a--b :no; /* ' || <key> || ":no;")~RETURNING id, {begun_ts} AS begun
sqlite all readonly=0 else=5/0 pieces=6: INSERT INTO thing (kind, {begun_ts}, note)~VALUES (<kind>, <begun>, 'a--b :no; /* ' || <key> || ":no;")~RETURNING id, {begun_ts} AS begun
sqlite none readonly=0 else=3/-1 pieces=5: UPDATE thing SET~WHERE id = 1
sqlite all readonly=0 else=3/-1 pieces=5: UPDATE thing SET {begun_ts} = excluded.{begun_ts}, share = <share>~WHERE id = 1
sqlite none readonly=1 else=0/-1 pieces=1: SELECT json_group_array(t.id) FROM thing
sqlite all readonly=1 else=0/-1 pieces=1: SELECT json_group_array(t.id) FROM thing
postgres none readonly=0 else=5/0 pieces=6: INSERT INTO thing (kind, {begun_ts}, note)~VALUES (<kind>::text, <begun>::bigint, 'a--b :no; /* ' || <key>::text || ":no;")~RETURNING id, {begun_ts} AS begun
postgres all readonly=0 else=5/0 pieces=6: INSERT INTO thing (kind, {begun_ts}, note)~VALUES (<kind>::text, <begun>::bigint, 'a--b :no; /* ' || <key>::text || ":no;")~RETURNING id, {begun_ts} AS begun
postgres none readonly=0 else=0/-1 pieces=2: SELECT 'x'::text, json_build_object('a', <kind>::text) AS json_object FROM thing FOR UPDATE
postgres all readonly=0 else=0/-1 pieces=2: SELECT 'x'::text, json_build_object('a', <kind>::text) AS json_object FROM thing FOR UPDATE
postgres none readonly=1 else=0/-1 pieces=1: SELECT json_agg(t.id) FROM thing
postgres all readonly=1 else=0/-1 pieces=1: SELECT json_agg(t.id) FROM thing
demo.add_all store=0 0 1 private=1 native=1 outside=1 batch=-1/-1 id=2 demo none write
doc=Add many.
param things type=12 flags=4 fallback=- -inf..inf record=demo.add choices= doc=which
param also type=12 flags=3 fallback=- -inf..inf record=demo.add choices= doc=one more
demo.pick store=0 2 0 private=0 native=0 outside=0 batch=-1/-1 id=3 demo many read
doc=Pick things.
param ids type=1 flags=4 fallback=- -inf..inf record=- choices= doc=which
param omit type=0 flags=4 fallback=["x"] -inf..inf record=- choices=[x][y] doc=which kinds not
param times type=6 flags=6 fallback=- -inf..inf record=- choices= doc=begun when
param doc type=4 flags=0 fallback={"a": [1]} -inf..inf record=- choices= doc=a document
result id type=1 flags=0 fallback=- -inf..inf record=- choices= doc=its number
result kind type=0 flags=1 fallback=- -inf..inf record=- choices= doc=its kind
changed=0
changed=0
sqlite none readonly=1 else=0/-1 pieces=8: WITH picked AS (SELECT id, kind FROM thing~WHERE id IN (SELECT value FROM json_each(<ids>)) AND kind NOT IN (SELECT value FROM json_each(<omit>))~) SELECT replace(kind, 'a', <doc>) FROM picked
sqlite all readonly=1 else=0/-1 pieces=8: WITH picked AS (SELECT id, kind FROM thing~WHERE id IN (SELECT value FROM json_each(<ids>)) AND kind NOT IN (SELECT value FROM json_each(<omit>))~AND {begun_ts} IN (SELECT value FROM json_each(<times>))~) SELECT replace(kind, 'a', <doc>) FROM picked
postgres none readonly=1 else=0/-1 pieces=9: WITH picked AS (SELECT id, kind FROM thing~WHERE id = ANY(<ids>::bigint[]) AND kind <> ALL(<omit>::text[])~AND t.update = position('a' IN <doc>::json)~) SELECT replace(kind, 'a', <doc>::json) FROM picked
postgres all readonly=1 else=0/-1 pieces=9: WITH picked AS (SELECT id, kind FROM thing~WHERE id = ANY(<ids>::bigint[]) AND kind <> ALL(<omit>::text[])~AND {begun_ts} = ANY(<times>::bigint[])~AND 1 = 2~AND t.update = position('a' IN <doc>::json)~) SELECT replace(kind, 'a', <doc>::json) FROM picked
demo.clear store=0 0 1 private=0 native=0 outside=0 batch=-1/-1 id=4 demo none write
doc=Clear.
param all type=3 flags=2 fallback=- -inf..inf record=- choices= doc=also the first; only whether it is sent counts
sqlite none readonly=0 else=0/-1 pieces=2: DELETE FROM thing~WHERE id > 1
sqlite all readonly=0 else=0/-1 pieces=2: DELETE FROM thing~WHERE id > 1~OR id = 1
postgres none readonly=0 else=0/-1 pieces=2: DELETE FROM thing~WHERE id > 1
postgres all readonly=0 else=0/-1 pieces=2: DELETE FROM thing~WHERE id > 1~OR id = 1
store demo demo.db version=3 mark=1 version(number) time=1 full=1 doc=Things, and what they did.
pragma foreign_keys = ON
step 2 grow up: ALTER TABLE thing ADD begun;
/ -
step 3 last: SELECT 1;
/ SELECT 2;
renamed thing.begun begun_ts
refuse thing.colour This is a paint shop: open it as paint.
shape thing.id
shape thing.kind
shape thing.begun
shape thing.twice
shape version.number
""" + SCHEMA.split("\n\n", 1)[1] + "---\n" + POSTGRES


def sample():
    return Run({**FILES, "sql/demo/methods.sql": SAMPLE, "sql/stele/methods.sql": LIBRARY})


@test("the C table compiles without a warning")
def _():
    with sample() as run:
        same(run.errors, "")
        run.compile("-fsyntax-only", "registry.c")


@test("the C table reads as the sample says")
def _():
    with sample() as run:
        (run.directory / "reader.c").write_text(READER)
        run.compile("reader.c", "-o", "reader")
        done = subprocess.run(["./reader"], cwd=run.directory, capture_output=True)
        same(done.stdout.decode(), READ)
        same(done.returncode, 0)


@test("the manual shows public methods only")
def _():
    with sample() as run:
        manual = run.text("methods.md")
        holds(manual,
              "**[demo](#demo)**: [add](#demoadd) · [pick](#demopick) · [clear](#democlear)\n",
              "## stele\n\nThe library itself: its stores, not what is in them.\n\n### stele.status\n\nHow it is | was.\n",
              "## demo\n\nThings, and what they did.\n\nVersion 3. File `demo.db`. Durability full. "
              "Times are milliseconds since 1970.\n",
              '| `kind` | `text(a\\|b)?` | default `"b"` | which kind, told over two lines |\n',
              "| `share` | `real(..0.5)` | optional | how much |\n",
              "| `ids` | `int[]` | yes | which |\n",
              "| `text` | `text` | the &lt;answer> |\n",
              "Access: write. Reply: One object, or null.\n\n| result | type | meaning |\n",
              "calls are gathered and written by demo.add_all.\n")
        same("### demo.add_all" in manual, False)


@test("the depfile names every file that was read")
def _():
    with sample() as run:
        target, _, rest = run.text("registry.d").partition(":")
        files = rest.replace("\\\n", " ").split()
        same(target, "registry.c")
        for name in [*FILES, "sql", "sql/demo", "sql/demo/migrate", "sql/stele/methods.sql",
                     str(ROOT / "include/stele.h"), str(ROOT / "tools/registry/tokens.py")]:
            same((name, name in files), (name, True))


@test("the same files give the same output")
def _():
    with sample() as run:
        before = [run.text(name) for name in OUTPUTS]
        same(run.generate(), (0, ""))
        same([run.text(name) for name in OUTPUTS], before)


@test("as a program it writes the same, and ends with the status")
def _():
    with sample() as run:
        before = [run.text(name) for name in OUTPUTS]
        command = [sys.executable, str(GENERATOR), *arguments(["sql"])]
        subprocess.run(command, cwd=run.directory, check=True)
        same([run.text(name) for name in OUTPUTS], before)
        (run.directory / "sql/demo/methods.sql").write_text("-- @word")
        done = subprocess.run(command, cwd=run.directory, capture_output=True, text=True)
        same((done.returncode, done.stderr), (1, "sql/demo/methods.sql:1: demo: unknown word @word\n"))


@test("stores come in their order, the library first, further ones from a second directory")
def _():
    files = {}
    for name in ("stele", "alpha", "telemetry", "conversation", "beta"):
        root = "more" if name == "beta" else "sql"
        for path, text in FILES.items():
            if "migrate" not in path and not (name == "stele" and "schema" in path):
                files[path.replace("sql/demo", f"{root}/{name}")] = text.replace("demo", name)
    files["sql/stele/methods.sql"] = LIBRARY
    files["sql/alpha/before.sql"] = METHODS.replace("demo.find", "alpha.last")
    with Run(files, roots=("more", "sql")) as run:
        names = [line.split()[0] for line in run.text("registry_ids.h").splitlines() if "STELE_M" in line]
        same(names, ["STELE_M_STELE_STATUS", "STELE_M_CONVERSATION_FIND", "STELE_M_TELEMETRY_FIND",
                     "STELE_M_ALPHA_FIND", "STELE_M_ALPHA_LAST", "STELE_M_BETA_FIND"])


@test("an empty directory gives an empty table that compiles")
def _():
    with Run({"sql/stele/methods.sql": None}) as run:
        holds(run.text("registry.c"), "st_registry = {NULL, 0, NULL, 0};")
        run.compile("-fsyntax-only", "registry.c")


@test("defaults and ranges of every type")
def _():
    fields = [("text", '"a b"'), ("text?", "null"), ("int(-3..)", "-3"), ("real", "1e3"), ("real(0..)", "0"),
              ("bool", "true"), ("json", "1"), ("jsontext", '"[]"'), ("jsontext", "[1]"), ("time", "1763200000.25"),
              ("time", '"2025-11-15T09:46:40Z"'), ("uuid", '"01234567-89ab-CDEF-0123-456789abcdef"'),
              ("date", '"2026-01-31"'), ("duration(0..9)", '"90s"'), ("duration", "0.5"), ("query", '""'),
              ("cron", '"@daily"'), ("timezone", '"UTC"'), ("vector", "[1, 2.5]"),
              ("blob", '"AAE="'), ("demo.find", '{"kind": "a"}'), ("int[]", "[]"), ("text(a|b)[]?", '["b"]')]
    lines = [f"-- @param p{number} {kind} = {default} that" for number, (kind, default) in enumerate(fields)]
    method = "-- @method demo.all none read\n-- All.\n" + "\n".join(lines) + "\n-- @native st_all\n"
    with Run({**FILES, "sql/demo/more.sql": method}) as run:
        table = run.text("registry.c")
        for number, (kind, default) in enumerate(fields):
            name = "RECORD" if "." in kind.split("(")[0] else kind.split("(")[0].strip("[]?").upper()
            written = default.replace('"', '\\"')
            holds(table, f'{{"p{number}", STELE_TYPE_{name}, ')
            holds(next(line for line in table.splitlines() if f'{{"p{number}"' in line), f', "{written}", ')
        holds(table, ", -3.0, INFINITY, ", ", 0.0, 9.0, ", ", 0.0, INFINITY, ")


@test("a header may be followed by SQL at once")
def _():
    with Run({**FILES, "sql/demo/schema.sql": SCHEMA.replace("\n\n-- What there is", "\n-- @pragma a = 1").replace(
            '  "Really??/" ≠ nothing', "")}) as run:
        holds(run.text("registry.c"), '.schema = {\n    "CREATE TABLE thing (\\n"\n')


@test("virtual tables need no twin on PostgreSQL, and are no part of the shape")
def _():
    with Run({**FILES, "sql/demo/schema.sql": SCHEMA + "CREATE VIRTUAL TABLE f USING fts5(kind);\n"}) as run:
        holds(run.text("registry.c"), '  {"thing", "id", {NULL, NULL}},\n')
        same(['{"f"' in run.text("registry.c"), "f_data" in run.text("registry.c")], [False, False])


# ---- Mistakes --------------------------------------------------------------------------------


def edited(text, edits):
    """The text with lines replaced, by number; those after the last line are appended."""
    lines = text.rstrip("\n").split("\n")
    lines += [""] * (max(edits, default=0) - len(lines))
    for number, line in edits.items():
        lines[number - 1] = line
    return "\n".join(lines) + "\n"


def mistake(name, edits, *expected, file="methods.sql", files=None):
    """A test: with these lines of that file of the demo replaced, exactly these errors are told."""
    def run_it():
        path = f"sql/demo/{file}"
        changed = {**FILES, path: edited(FILES[path], edits), **(files or {})}
        with Run(changed) as run:
            same(run.errors, "".join(f"{line}\n" for line in expected))
            same(run.status, 1)
            same(sorted(path.name for path in run.directory.iterdir()), ["sql"])
    TESTS.append((name, run_it))


def method_mistake(name, edits, *expected, subject="demo.find", subjects=()):
    """The same in methods.sql; expected: "line: what is wrong" with the subject, or with each its own."""
    told = []
    for each, subject in zip(expected, subjects or [subject] * len(expected)):
        line, text = each.split(": ", 1)
        told.append(f"sql/demo/methods.sql:{line}: {subject}: {text}")
    mistake(name, edits, *told)


method_mistake("a name that is not declared", {8: " WHERE kind = :knid"},
               "3: kind is never used", "8: :knid is not declared; did you mean kind?")
method_mistake("a parameter that is never used", {8: ""}, "3: kind is never used")
method_mistake("an unknown type", {3: "-- @param kind txt which"},
               "3: kind: unknown type txt; did you mean text?")
method_mistake("a type that cannot be read", {3: "-- @param kind text[ which"},
               "3: kind: text[ is not a type")
method_mistake("an unknown type and no documentation", {3: "-- @param kind txt"},
               "3: kind: unknown type txt; did you mean text?")
method_mistake("no type", {3: "-- @param kind"}, "3: kind has no type")
method_mistake("no name", {3: "-- @param", 8: ""}, "3: a name and a type are missing")
method_mistake("a bad name", {3: "-- @param Kind text which", 8: " WHERE kind = :Kind"},
               "3: Kind is not a name: write it in small letters, digits and _")
method_mistake("a word of Python's as a name", {3: "-- @param class text which", 8: " WHERE kind = :class"},
               "3: class is a word of Python's: nobody could say it there")
method_mistake("an unknown shape", {1: "-- @method demo.find all read"},
               "1: unknown shape all: it is none, one or many")
method_mistake("an unknown access", {1: "-- @method demo.find many reed"},
               "1: unknown access reed: it is read, write or admin")
method_mistake("no shape", {1: "-- @method demo.find"},
               "1: no access: it is read, write or admin", "1: no shape: it is none, one or many")
method_mistake("a word after the access", {1: "-- @method demo.find many read secret"},
               "1: secret after the access: only private may follow")
method_mistake("an unknown word", {3: "-- @parm kind text which", 8: ""},
               "3: unknown word @parm; did you mean param?")
method_mistake("an unknown word at a line's end", {8: " WHERE kind = :kind  -- @iff kind"},
               "8: @iff cannot stand at a line's end")
method_mistake("a method of another store", {1: "-- @method deom.find many read"},
               "1: a method of this directory is named demo.…", subject="deom.find")
method_mistake("a method without a name", {1: "-- @method"},
               "1: @method needs store.name, a shape and an access", subject="demo")
method_mistake("a method declared twice", {11: METHODS}, "11: this method is declared twice")
mistake("a method declared in a second file", {},
        "sql/demo/more.sql:1: demo.find: this method is declared in sql/demo/methods.sql already",
        files={"sql/demo/more.sql": METHODS})
method_mistake("a parameter declared twice", {6: "-- @param kind text again\n-- @result id int its number"},
               "6: the parameter kind is declared twice")
method_mistake("a result declared twice", {6: "-- @result id int its number\n-- @result id int again"},
               "7: the result id is declared twice")
method_mistake("no documentation", {2: ""}, "1: no documentation: say below @method what it does")
method_mistake("a parameter without documentation", {4: "-- @param limit int(1..9) = 5"},
               "4: limit has no documentation")
method_mistake("a result without documentation", {6: "-- @result id int"}, "6: id has no documentation")
method_mistake("documentation after the first word", {4: "-- @param limit int at most\n-- so many"},
               "5: documentation of the method belongs above its first @; "
               "to go on with a field, indent by 4 spaces")
method_mistake("a word after the SQL", {8: " WHERE kind = :kind\n-- @result more int too late"},
               "9: @result after the SQL has begun")
method_mistake("SQL before the first method", {1: "SELECT 1;\n" + METHODS.split("\n")[0]},
               "1: SQL before the first @method", subject="demo")
method_mistake("a parameter before the first method", {1: "-- @param a int b\n" + METHODS.split("\n")[0]},
               "1: @param before the first @method", subject="demo")

NATIVE = {7: "-- @native st_find", 8: "", 9: "", 10: ""}

# What is secret.
method_mistake("a secret reply of a method that anybody may call",
               {**NATIVE, 6: "-- @result id int secret its number"},
               "6: id: only a method of access admin replies something secret")
method_mistake("a secret reply that would be kept",
               {**NATIVE, 1: "-- @method demo.find  many  admin", 5: "-- @param after text optional once\n-- @idempotent after",
                6: "-- @result id int secret its number"}, "6: @idempotent: a method with something secret has none")
method_mistake("a secret in an address",
               {**NATIVE, 3: "-- @param kind text secret which", 6: "-- @result id int its number\n-- @http GET /v1/things/{kind}"},
               "7: @http: a method with something secret has none")


@test("secret fields are marked, and so is their method")
def _():
    methods = METHODS.replace("many  read", "many  admin").replace("text             which", "text? secret optional  which")
    methods = methods.replace("int              its", "int secret       its").replace("= :kind", "= :kind  -- @if kind")
    with Run({**FILES, "sql/demo/methods.sql": methods.replace(" WHERE", " WHERE 1 = 1 AND\n ", 1)}) as run:
        holds(run.text("registry.c"), 'STELE_TYPE_TEXT, STELE_NULLABLE | STELE_OPTIONAL | STELE_SECRET,',
              'STELE_TYPE_INT, STELE_SECRET,', "STELE_METHOD_SECRET, NULL")
        holds(run.text("methods.md"), "| `kind` | `text?`, secret | optional | which kind |", "| `id` | `int`, secret | its number |")


# Defaults and ranges.
for what, declared, told in (
        ("is not JSON", "int = five", "the default five is not JSON"),
        ("is not JSON to its end", "int = 5x", "the default 5x is not JSON"),
        ("is Python's", "real = NaN", "the default NaN is not JSON"),
        ("has the wrong type", 'int = "5"', 'the default "5" is not of type int'),
        ("is a bool for an int", "int = true", "the default true is not of type int"),
        ("is a real for an int", "int = 1.5", "the default 1.5 is not of type int"),
        ("is beyond 64 bits", f"int = {2**63}", f"the default {2**63} is not of type int"),
        ("is an int for a bool", "bool = 1", "the default 1 is not of type bool"),
        ("is an int for a text", "text = 1", "the default 1 is not of type text"),
        ("is no JSON text", 'jsontext = "{"', 'the default "{" is not of type jsontext'),
        ("is no time", 'time = "soon"', 'the default "soon" is not of type time'),
        ("is no date", 'date = "2026-02-30"', 'the default "2026-02-30" is not of type date'),
        ("is now for an int", "int = now", "the default now is not JSON"),
        ("is new for a time", "time = new", "the default new is not JSON"),
        ("is no uuid", 'uuid = "12"', 'the default "12" is not of type uuid'),
        ("is no duration", 'duration = "2y"', 'the default "2y" is not of type duration'),
        ("is no base64", 'blob = "é"', 'the default "é" is not of type blob'),
        ("is below the range", "int(1..9) = 0", "the default 0 is outside the range"),
        ("is a text for a real", 'real = "1"', 'the default "1" is not of type real'),
        ("is a negative duration", "duration = -1", "the default -1 is not of type duration"),
        ("is a bool for a duration", "duration = true", "the default true is not of type duration"),
        ("is a number for a uuid", "uuid = 1", "the default 1 is not of type uuid"),
        ("is a number for a blob", "blob = 1", "the default 1 is not of type blob"),
        ("is no vector", 'vector = ["a"]', 'the default ["a"] is not of type vector'),
        ("is a number for a vector", "vector = 1", "the default 1 is not of type vector"),
        ("is above the range", "real(..0.5) = 0.6", "the default 0.6 is outside the range"),
        ("is not among the choices", 'text(a|b) = "c"', 'the default "c" is not one of a|b'),
        ("is null without ?", "int = null", "the default is null, but the type has no ?"),
        ("is given beside optional", "int optional = 5", "optional and a default exclude each other"),
        ("is given before optional", "int = 5 optional", "optional and a default exclude each other")):
    method_mistake(f"a default that {what}", {**NATIVE, 4: f"-- @param limit {declared}  at most"},
                   f"4: limit: {told}")
for what, declared, told in (
        ("no list", "int[] = 5", "the default 5 is not a list"),
        ("a word", "time[] = now", "the default now is not JSON"),
        ("a list of the wrong type", 'int[] = [1, "2"]', 'the default "2" is not of type int')):
    method_mistake(f"a list's default that is {what}",
                   {4: f"-- @param limit {declared}  which", 10: " AND id IN :limit;"}, f"4: limit: {told}")
for what, declared, told in (
        ("that is empty", "int(9..1)", "the range 9..1 is empty"),
        ("without ends", "int(..)", "int cannot be narrowed by (..)"),
        ("of no whole numbers", "int(1.5..2)", "1.5..2 is not a range of int"),
        ("of a text", "text(1..2)", "text cannot be narrowed by (1..2)"),
        ("of a bool", "bool(1..2)", "bool cannot be narrowed by (1..2)")):
    method_mistake(f"a range {what}", {4: f"-- @param limit {declared}  at most"}, f"4: limit: {told}")
method_mistake("choices of an int", {4: "-- @param limit int(a|b)  at most"},
               "4: limit: int cannot be narrowed by (a|b)")
method_mistake("an empty choice", {4: "-- @param limit text(a||b)  at most"},
               "4: limit: (a||b) has an empty or a repeated choice")
method_mistake("a repeated choice", {4: "-- @param limit text(a|b|a)  at most"},
               "4: limit: (a|b|a) has an empty or a repeated choice")
method_mistake("a result with a default", {6: "-- @result id int = 5 its number"}, "6: id: a result has no default")

# Replies.
method_mistake("no result for the shape many", {6: ""}, "1: the shape is many, but there is no @result")
method_mistake("a column for the shape none", {1: "-- @method demo.find none read"},
               "6: id: a method of shape none replies no column")
method_mistake("a record as a column", {6: "-- @result id demo.find its number"},
               "6: id: only a native method can reply a record", "6: id: the record demo.find contains itself")
method_mistake("changed beyond the last statement", {6: "-- @result id int changed 2 how many"},
               "6: id: changed 2, but the last statement is number 1")
method_mistake("changed that is no int", {6: "-- @result id text changed how many"},
               "6: id: changed is a number: its type is int")
method_mistake("changed that may be null", {6: "-- @result id int? changed how many"},
               "6: id: changed is a number: its type is int")
method_mistake("changed that is a list", {6: "-- @result id int[] changed how many"},
               "6: id: changed is a number: its type is int")
method_mistake("changed 128", {6: "-- @result id int changed 128 how many"},
               "6: id: changed 128: statements are numbered from 1 to 127")
method_mistake("changed 0", {6: "-- @result id int changed 0 how many"},
               "6: id: changed 0: statements are numbered from 1 to 127")

# SQL.
method_mistake("a statement without its end", {10: " ORDER BY id LIMIT :limit"},
               "7: this statement is not ended by ;")
method_mistake("an empty statement", {10: " ORDER BY id LIMIT :limit;;"}, "10: an empty statement")
method_mistake("a string without an end", {8: " WHERE kind = :kind AND kind <> 'x"}, "8: this string has no end")
method_mistake("a string that runs into the next method",
               {8: " WHERE kind = :kind AND kind <> 'x",
                11: METHODS.replace("demo.find", "demo.next").replace("Find things", "It's")},
               "8: this string has no end")
method_mistake("a name in quotes without an end", {8: ' WHERE kind = :kind AND kind <> "x'},
               "8: this name in quotes has no end")
method_mistake("a comment without an end", {8: " WHERE kind = :kind /* x"}, "8: this comment has no end")
method_mistake("a read method that writes", {7: "DELETE FROM thing"},
               "7: a read method cannot run a statement that writes")
method_mistake("a read method that writes in a WITH",
               {7: "WITH a AS (DELETE FROM thing RETURNING id) SELECT id FROM thing"},
               "7: a read method cannot run a statement that writes")
method_mistake("a read method that replaces", {7: "WITH a AS (SELECT 1) REPLACE INTO thing SELECT id FROM thing"},
               "7: a read method cannot run a statement that writes")
method_mistake("a read method that writes in small letters",
               {7: "with a as (delete from thing returning id) select id from thing"},
               "7: a read method cannot run a statement that writes")
method_mistake("IN without a list", {3: "", 8: " WHERE 1 = :a AND 1 IN", 9: ";", 10: "SELECT :limit, :after;"},
               "8: :a is not declared")
method_mistake("a bare placeholder", {8: " WHERE kind = :kind OR id = ?"},
               "8: ? in SQL: a parameter is written :name")
method_mistake("a list outside IN", {3: "-- @param kind text[] which kinds"},
               "8: :kind is a list: it can only follow IN, or stand in UNNEST(...) on PostgreSQL")
method_mistake("a list in parentheses", {3: "-- @param kind text[] which kinds", 8: " WHERE kind IN (:kind)"},
               "8: :kind is a list: it can only follow IN, or stand in UNNEST(...) on PostgreSQL")
method_mistake("IN over two lines of which one is conditional",
               {3: "-- @param kind text[] which kinds", 8: " WHERE id = 1 AND kind IN",
                9: ":kind AND id > :after   -- @if after"},
               "9: IN :kind stands on one line")
method_mistake("a vector in SQL", {3: "-- @param kind vector which"},
               "8: :kind is a vector: only a native method can take it")
method_mistake("a record in SQL", {3: "-- @param kind demo.next which",
                                   11: METHODS.replace("demo.find", "demo.next")},
               "8: :kind is a record: only a native method can take it")
method_mistake("a list of records in SQL", {3: "-- @param kind demo.next[] which", 8: " WHERE kind IN :kind",
                                            11: METHODS.replace("demo.find", "demo.next")},
               "8: :kind is records: only a native method can take it")
method_mistake("neither SQL nor native", {number: "" for number in range(3, 11)}, "1: neither SQL nor @native")
method_mistake("both SQL and native", {6: "-- @result id int its number\n-- @native st_find"},
               "8: SQL beside @native: it has one or the other")
method_mistake("SQL for one engine only", {7: "-- @for sqlite\nSELECT id FROM thing"}, "1: no SQL for postgres")
method_mistake("more than 64 parameters",
               {3: "\n".join(f"-- @param p{i} int one of many" for i in range(63)),
                8: " WHERE id IN (" + ", ".join(f":p{i}" for i in range(63)) + ")"},
               "1: 65 parameters: at most 64")

# @only.
ONLY = {1: "-- @method demo.find  many  read  private", 6: "-- @result id int its number\n-- @only postgres"}
method_mistake("@only of an unknown engine", {**ONLY, 6: "-- @result id int its number\n-- @only mysql"}, "7: @only mysql: it is sqlite or postgres")
method_mistake("@only twice", {**ONLY, 6: "-- @result id int its number\n-- @only sqlite\n-- @only sqlite"}, "8: a second @only")
method_mistake("@only of a method that others can call", {6: ONLY[6]}, "7: @only: a method that others can call is there on every engine")
method_mistake("@only of a function", {**NATIVE, **ONLY, 7: "-- @native st_find"}, "7: @only beside @native: a function is there on every engine")
method_mistake("@only and lines for an engine", {**ONLY, 8: " WHERE kind = :kind -- @for postgres"}, "9: @for in a method that is @only postgres")
method_mistake("@only and a part for an engine", {**ONLY, 7: "-- @for postgres\nSELECT id FROM thing"}, "8: @for in a method that is @only postgres")


@test("a method that is there on one engine only")
def _():
    with Run({**FILES, "sql/demo/methods.sql": METHODS.replace("many  read", "many  read  private").replace("SELECT", "-- @only postgres\nSELECT")}) as run:
        holds(run.text("registry.c"), ".statements = {NULL, m0_postgres}, .nstatements = {0, 1}")


# @if, @for, @else, @native, @queue.
method_mistake("@if of a parameter that is not optional", {8: " WHERE kind = :kind  -- @if kind"},
               "8: @if kind: the parameter is not optional")
method_mistake("@if of a name that is not declared", {9: "   AND id > :after   -- @if aftr"},
               "9: @if aftr: not declared; did you mean after?")
method_mistake("two @if on a line", {9: "   AND id > :after   -- @if after -- @if after"},
               "9: a line ends in @if and one parameter, in @for sqlite or @for postgres, in @has or @lacks and one feature")
method_mistake("@if of nothing", {9: "   AND id > :after   -- @if"},
               "9: a line ends in @if and one parameter, in @for sqlite or @for postgres, in @has or @lacks and one feature")
method_mistake("@if and a word that is not @for", {9: "   AND id > :after   -- @if after @fro sqlite"},
               "9: a line ends in @if and one parameter, in @for sqlite or @for postgres, in @has or @lacks and one feature")
method_mistake("two @for on a line", {8: " WHERE kind = :kind -- @for sqlite @for sqlite"},
               "8: a line ends in @if and one parameter, in @for sqlite or @for postgres, in @has or @lacks and one feature")
method_mistake("@if of two names", {9: "   AND id > :after   -- @if after kind"},
               "9: a line ends in @if and one parameter, in @for sqlite or @for postgres, in @has or @lacks and one feature")
method_mistake("@if on every line of a statement",
               {7: "SELECT 1 WHERE 1 = :after; -- @if after\nSELECT id FROM thing"},
               "7: every line of this statement ends in @if or @has: without them nothing would be left to run")
method_mistake("@if alone on a line", {9: "   AND id > :after\n-- @if after"},
               "10: @if stands at the end of the line it is about")
method_mistake("@for of an unknown engine", {7: "-- @for mysql\nSELECT id FROM thing"},
               "7: @for mysql: it is sqlite, postgres or both")
method_mistake("@for of an unknown engine at a line's end", {8: " WHERE kind = :kind -- @for mysql"},
               "8: a line ends in @if and one parameter, in @for sqlite or @for postgres, in @has or @lacks and one feature")
method_mistake("@else with an unknown status", {7: "-- @else NOTFOND kind\nSELECT id FROM thing"},
               "7: @else needs a status and perhaps a parameter; unknown status NOTFOND; did you mean NOTFOUND?")
method_mistake("@else with a status of success", {7: "-- @else DONE\nSELECT id FROM thing"},
               "7: @else needs a status and perhaps a parameter; unknown status DONE")
method_mistake("@else with an unknown parameter", {7: "-- @else NOTFOUND knid\nSELECT id FROM thing"},
               "7: @else knid: not declared; did you mean kind?")
method_mistake("@else inside a statement", {8: "-- @else NOTFOUND\n WHERE kind = :kind"},
               "8: @else stands on the line before its statement")
method_mistake("two @else for one statement", {7: "-- @else NOTFOUND\n-- @else DENIED\nSELECT id FROM thing"},
               "8: @else stands on the line before its statement")
method_mistake("@else at a line's end", {8: " WHERE kind = :kind -- @else NOTFOUND"},
               "8: @else stands alone, on the line before its statement")
method_mistake("@else without a statement", {11: "-- @else NOTFOUND"}, "11: @else without a statement after it")

method_mistake("@native without a function", {**NATIVE, 7: "-- @native"}, 
               "7: @native needs the name of a C function; only outside may follow")
method_mistake("@native with another word", {**NATIVE, 7: "-- @native st_find inside"},
               "7: @native needs the name of a C function; only outside may follow")
method_mistake("@native with what is no name", {**NATIVE, 7: "-- @native st-find"},
               "7: @native needs the name of a C function; only outside may follow")
method_mistake("@native twice", {**NATIVE, 8: "-- @native st_find"}, "8: a second @native")
method_mistake("changed of a native method", {**NATIVE, 6: "-- @result id int changed how many"},
               "6: id: a native method has no statements to count")
method_mistake("a record of an unknown method", {**NATIVE, 3: "-- @param kind demo.fnid which"},
               "3: kind: no method is named demo.fnid; did you mean demo.find?")
method_mistake("a record that contains itself", {**NATIVE, 3: "-- @param kind demo.find? which"},
               "3: kind: the record demo.find contains itself")

method_mistake("a record of a method with a record of an unknown method",
               {**NATIVE, 3: "-- @param kind demo.next which",
                11: METHODS.replace("demo.find", "demo.next").replace("kind   text", "kind demo.none").split("SELECT")[0]
                + "-- @native st_next"},
               "13: kind: no method is named demo.none; did you mean demo.next?", subject="demo.next")
method_mistake("two records that contain each other",
               {**NATIVE, 3: "-- @param kind demo.next which", 11: METHODS.replace("demo.find", "demo.next").replace(
                   "kind   text", "kind   demo.loop[]").split("SELECT")[0] + "-- @native st_next\n\n"
                + METHODS.replace("demo.find", "demo.loop").replace("kind   text", "kind  demo.next").split("SELECT")[0]
                + "-- @native st_loop"},
               "13: kind: the record demo.loop contains itself", "21: kind: the record demo.next contains itself",
               subjects=("demo.next", "demo.loop"))
method_mistake("@queue twice", {6: "-- @result id int its number\n-- @queue demo.all items\n-- @queue demo.all items",
                                11: "\n-- @method demo.all none write\n-- Write all.\n"
                                    "-- @param items demo.find[] which\n-- @native st_all"}, "8: a second @queue")

ALL = "\n-- @method demo.all none write\n-- Write all.\n-- @param items {} which\n-- @param key int{} which\n-- @native st_all"
for what, queue, items, key, told in (
        ("an unknown method", "demo.al items", "demo.find[]", " = 1",
         "@queue: no method is named demo.al; did you mean demo.all?"),
        ("an unknown parameter", "demo.all item", "demo.find[]", " = 1",
         "@queue: demo.all has no parameter item; did you mean items?"),
        ("no list", "demo.all items", "demo.find", " = 1", "@queue: items of demo.all is not a demo.find[]"),
        ("a list of something else", "demo.all items", "int[]", " = 1",
         "@queue: items of demo.all is not a demo.find[]"),
        ("a method that needs more", "demo.all items", "demo.find[]", "",
         "@queue: demo.all also needs key, which a queue cannot give"),
        ("no parameter", "demo.all", "demo.find[]", " = 1", "@queue needs a method and its list parameter")):
    method_mistake(f"@queue with {what}", {6: f"-- @result id int its number\n-- @queue {queue}",
                                           11: ALL.format(items, key)}, f"7: {told}")
method_mistake("two names that are one constant", {11: "\n" + METHODS.replace("demo.find", "demo.find_my"),
                                                   4: "-- @param my_kind text some\n-- @param limit int = 5 most",
                                                   8: " WHERE kind = :kind AND kind = :my_kind"},
               "15: ST_P_DEMO_FIND_MY_KIND is the constant of demo.find too", subject="demo.find_my")
mistake("SQL in the library", {}, "sql/stele/methods.sql:4: stele.now: the library has no database: "
        "its methods are @native", files={"sql/stele/methods.sql": textwrap.dedent("""\
            -- @method stele.now one read
            -- What time it is.
            -- @result now int the time
            SELECT 1;
            """)})

# Schemas.


def schema_mistake(name, edits, *expected, file="schema.sql", files=None):
    told = []
    for each in expected:
        line, text = each.split(": ", 1)
        told.append(f"sql/demo/{file}:{line}: demo: {text}")
    mistake(name, edits, *told, file=file, files=files)


schema_mistake("a store of another directory", {1: "-- @store demos"}, "1: @store demos in the directory demo")
schema_mistake("a store without documentation", {2: "-- @pragma a = 1", 3: "-- @pragma b = 2"},
               "1: no documentation: say below @store what it holds")
schema_mistake("a comment among the header's words", {8: "-- That is all."},
               "8: a comment among the @words: the store's documentation follows @store")
schema_mistake("a missing word of the header", {6: "", 7: "-- @pragma a = 1"},
               "1: no @durability at the top of the schema", "1: no @time at the top of the schema")
schema_mistake("an unknown word of the header", {8: "-- @pragme a = 1"}, "8: unknown word @pragme; did you mean pragma?")
schema_mistake("a word of the header given twice", {8: "-- @time iso"}, "8: a second @time")
schema_mistake("a word of the header below the tables", {19: "-- @pragma a = 1\n" + SCHEMA.split("\n")[18]},
               "19: @pragma belongs at the top")
schema_mistake("a bad version", {4: "-- @version one"}, "4: @version needs a number from 1", files={
    f"sql/demo/migrate/{name}": None for name in ("0002_grow_up.sql", "0003_last.sql", "0003_last.postgres.sql")})
schema_mistake("a bad mark", {5: "-- @mark table"}, "5: @mark is shape, user_version or table name(column)")
schema_mistake("a mark that is not in the schema", {5: "-- @mark table version(numbr)"},
               "1: @mark table version(numbr): the schema has no such column")
schema_mistake("a bad time form", {6: "-- @time minutes"}, "6: @time is seconds, millis, iso or sql")
schema_mistake("a bad durability", {7: "-- @durability half"}, "7: @durability is normal or full")
schema_mistake("a bad pragma", {8: "-- @pragma foreign_keys"}, "8: @pragma needs name = value")
schema_mistake("a bad renamed column", {9: "-- @renamed thing.begun begun_ts"},
               "9: @renamed needs table.column also other_name")
schema_mistake("a renamed column that is not in the schema", {9: "-- @renamed thing.start also start_ts"},
               "1: @renamed thing.start: the schema has no such column")
schema_mistake("too many renamed columns", {9: "\n".join(["-- @renamed thing.begun also begun_ts"] * 33)},
               "41: more than 32 @renamed: a file's names are kept in as many bits")
schema_mistake("a refusal without advice", {10: "-- @refuse thing.colour", 11: ""},
               "10: @refuse needs table.column and the advice to give")
schema_mistake("a refusal without a column", {10: "-- @refuse thing  This is", 11: ""},
               "10: @refuse needs table.column and the advice to give")
schema_mistake("advice that is not indented", {11: "-- open it as paint"},
               "11: a comment among the @words: the store's documentation follows @store")
schema_mistake("an indented line below another word", {9: "--     and more"},
               "9: a comment among the @words: the store's documentation follows @store")
for number, wrong in enumerate(("thing also begun_ts", "thing.begun also", "thing.begun and begun_ts", "")):
    schema_mistake(f"a renamed column wrongly written, {number}", {9: f"-- @renamed {wrong}"},
                   "9: @renamed needs table.column also other_name")
schema_mistake("a string without an end in the schema", {19: "CREATE TABLE version (number INTEGER DEFAULT 'x);", 20: ""},
               '19: SQLite says: unrecognized token: "\'x); "', "19: this quotation or comment has no end")
schema_mistake("a refusal of our own files", {10: "-- @refuse thing.kind  no"},
               "1: @refuse thing.kind: the schema itself has that column")
schema_mistake("DDL that SQLite refuses", {20: "CREATE TABLE\n a b c;"},
               '20: SQLite says: near "b": syntax error')
schema_mistake("DDL without its end", {20: "CREATE TABLE other (id INTEGER"}, "20: SQLite says: incomplete input")
schema_mistake("a table that PostgreSQL lacks", {7: ""}, "1: table version of schema.sql is missing",
               file="schema.postgres.sql")
schema_mistake("a table that SQLite lacks", {8: "CREATE TABLE more (id bigint);"},
               "8: table more is not in schema.sql", file="schema.postgres.sql")
schema_mistake("a table of PostgreSQL without columns", {7: "CREATE TABLE version", 8: "", 9: "", 10: ""},
               "1: table version of schema.sql is missing", file="schema.postgres.sql")
schema_mistake("columns that differ", {4: "  begin numeric(20, 0), twice bigint,"},
               "2: table thing: column begin is not in schema.sql",
               "2: table thing: column begun of schema.sql is missing", file="schema.postgres.sql")
mistake("a store without a schema", {},
        "sql/more/schema.postgres.sql:1: cannot be read: No such file or directory",
        *[f"sql/more/schema.sql:1: {text}" for text in (
            "cannot be read: No such file or directory",
            *[f"more: no @{word} at the top of the schema"
              for word in ("durability", "mark", "store", "time", "version")])],
        files={"sql/more/methods.sql": METHODS.replace("demo.", "more.")})

# Steps.


def step_mistake(name, added, *expected):
    mistake(name, {}, *[f"sql/demo/{text}" for text in expected],
            files={f"sql/demo/migrate/{path}": text for path, text in added.items()})


step_mistake("a step beyond the version", {"0004_more.sql": ""},
             "migrate/0004_more.sql:1: demo: a step to version 4, but the schema has @version 3")
step_mistake("a step to version 1", {"0001_more.sql": ""},
             "migrate/0001_more.sql:1: demo: the first step leads to version 2")
step_mistake("two steps to one version", {"0002_more.sql": ""},
             "migrate/0002_more.sql:1: demo: two steps lead to version 2")
step_mistake("a step of another name on PostgreSQL", {"0002_more.postgres.sql": ""},
             "migrate/0002_more.postgres.sql:1: demo: two steps lead to version 2")
step_mistake("a missing step", {"0003_last.sql": None, "0003_last.postgres.sql": None},
             "migrate:1: demo: no step to version 3")
step_mistake("a file that is no step", {"3_more.sql": ""},
             "migrate/3_more.sql:1: demo: a step is named 0002_why.sql or 0002_why.postgres.sql")


@test("a store in two directories")
def _():
    with Run({**FILES, "more/demo/methods.sql": METHODS}, roots=("sql", "more")) as run:
        same(run.errors, "more/demo:1: demo: this store is in sql/demo already\n")


@test("a store with a bad name")
def _():
    with Run({**FILES, "sql/My-store/methods.sql": METHODS}) as run:
        same(run.errors, "sql/My-store:1: the name of a store is small letters, digits and _\n")


@test("a directory that does not exist")
def _():
    with Run(FILES, roots=("sqll",)) as run:
        same((run.status, run.errors), (1, "sqll:1: no such directory\n"))


@test("a file that is not UTF-8")
def _():
    with Run(FILES) as run:
        (run.directory / "sql/demo/methods.sql").write_bytes(b"-- \xff\n")
        same(run.generate(), (1, "sql/demo/methods.sql:1: cannot be read: not UTF-8\n"))


@test("all mistakes are told, up to twenty")
def _():
    lines = "".join(f"-- @word{number}\n" for number in range(25))
    with Run({**FILES, "sql/demo/methods.sql": lines + METHODS}) as run:
        told = run.errors.splitlines()
        same(len(told), 21)
        same(told[19], "sql/demo/methods.sql:20: demo: unknown word @word19")
        same(told[20], "and 5 more")


# ---- Features, later versions, idempotent calls -------------------------------------------------

def with_features(methods=METHODS, **more):
    return {**FILES, "sql/demo/methods.sql": methods,
            "sql/demo/features/colour.sql": "-- @probe thing.colour\nALTER TABLE thing ADD COLUMN colour TEXT;\n",
            "sql/demo/features/order.sql": "-- @probe index thing_order\nCREATE INDEX thing_order ON thing (kind);\n",
            "sql/demo/features/order.postgres.sql": "-- @probe index thing_order\nSELECT 3;\n", **more}


@test("features: their probes, their SQL on both engines, the methods and lines that need them")
def _():
    methods = METHODS.replace("SELECT id", "-- @feature order\nSELECT id").replace(
        "   AND id > :after   -- @if after", "   AND colour = 'x'  -- @has colour\n"
        "   AND id > :after   -- @if after @lacks colour")
    with Run(with_features(methods)) as run:
        text = run.text("registry.c")
        holds(text, '{"colour", "thing", "colour", {', '{"order", "thing_order", NULL, {', '"SELECT 3;', ".features = 2u",
              ".nfeatures = 2", "-1, -1, -1, 1}", "2, -1, 2, -1}")


@test("a feature without SQL of its own for PostgreSQL has that of SQLite")
def _():
    with Run(with_features()) as run:
        same(run.text("registry.c").count("ADD COLUMN colour"), 2)


@test("a feature can be undone, on the engine that says how; and C code can name it")
def _():
    undone = "-- @probe index thing_order\nCREATE INDEX thing_order ON thing (kind);\n\n-- @undo\nDROP INDEX thing_order;\n"
    with Run(with_features(**{"sql/demo/features/order.sql": undone})) as run:
        holds(run.text("registry.c"), '"CREATE INDEX thing_order ON thing (kind);\\n", \n    "-- @probe index thing_order\\n"\n'
              '    "SELECT 3;\\n"}, {"DROP INDEX thing_order;\\n", NULL}, {NULL}, false, NULL}')
        holds(run.text("registry_ids.h"), "ST_F_DEMO_COLOUR = 0,", "ST_F_DEMO_ORDER = 1,")


@test("a feature can replace tables of an older form")
def _():
    renewed = "-- @probe index thing_order\n-- @replaces thing_list, thing_heap\nCREATE INDEX thing_order ON thing (kind);\n"
    with Run(with_features(**{"sql/demo/features/order.sql": renewed})) as run:
        holds(run.text("registry.c"), '{"thing_list", "thing_heap", NULL}, false, NULL}')


@test("what a derived feature makes is known: tables of either engine, and the column that shows it")
def _():
    words = "-- @probe thing_words\n-- @derived\nCREATE TABLE thing_words (id INTEGER);\n"
    more = "-- @probe thing_words\n-- @derived\nCREATE TABLE IF NOT EXISTS thing_words (id BIGINT);\nCREATE TABLE thing_tokens (id BIGINT);\n"
    near = "-- @probe thing.near\n-- @derived\nALTER TABLE thing ADD COLUMN near TEXT;\n"
    with Run(with_features(**{"sql/demo/features/words.sql": words, "sql/demo/features/words.postgres.sql": more,
                              "sql/demo/features/near.sql": near})) as run:
        holds(run.text("registry.c"), '{NULL}, true, NULL}', '  {"thing", "near"},\n  {"thing_tokens", NULL},\n  {"thing_words", NULL},\n', ".nderived = 3")


@test("a feature can wait until a table has many rows; who asks for it otherwise is told how")
def _():
    waiting = "-- @probe thing_words\n-- @many 300 thing\nCREATE TABLE thing_words (id INTEGER);\n"
    with Run(with_features(**{"sql/demo/features/words.sql": waiting})) as run:
        holds(run.text("registry.c"), '{NULL}, false, "SELECT 1 FROM thing LIMIT 1 OFFSET 299"}')
    for wrong in ("@many", "@many thing", "@many 0 thing", "@many 300 thing other"):
        with Run(with_features(**{"sql/demo/features/words.sql": waiting.replace("@many 300 thing", wrong)})) as run:
            same(run.errors, "sql/demo/features/words.sql:1: demo: @many has a number of rows and a table, e.g. -- @many 300 sessions\n")


# ---- What can be found, and what stores share ---------------------------------------------------

SOURCE = """\
-- @source thing thing id int
-- Things.
-- @watch kind
-- @when new.kind <> 'z'
SELECT t.id AS id, t.kind AS title, t.kind AS text, NULL AS extra, t.begun AS time,
       NULL AS project, NULL AS session, NULL AS role, NULL AS url
  FROM thing AS t;
"""
SHARED = """\
-- @stores documents
-- @method *.changes  many  read  private
-- What has changed.
-- @param  after  int   since
-- @result seq    int   its number
SELECT seq FROM stele_document_change WHERE seq > :after;
"""


def with_source(source=SOURCE, **more):
    return with_features(**{"sql/demo/sources.sql": source, **more})


@test("a source is read in pages and by keys, and its changes are noted on both engines")
def _():
    with Run(with_source()) as run:
        same(run.errors, "")
        text = run.text("registry.c")
        holds(text, '"demo.source_page_thing"', '"demo.source_rows_thing"', '"demo.source_count_thing"', "WHERE d.id > ", "WHERE d.id = ANY(",
              "static const st_findable s0_sources[] = {\n  {\"thing\", \"Things.\", 1, 2, 3, -1, 2, true, false, NULL},", ".nsources = 1",
              "AFTER UPDATE OF kind ON thing WHEN (new.kind <> 'z') OR (old.kind <> 'z') BEGIN",
              "AFTER DELETE ON thing WHEN old.kind <> 'z' BEGIN", "AFTER INSERT ON thing FOR EACH ROW WHEN (new.kind <> 'z')",
              "FROM thing AS n WHERE n.kind <> 'z';")
        holds(run.text("registry_ids.h"), "ST_F_DEMO_DOCUMENTS = 2,", "STELE_M_DEMO_SOURCE_PAGE_THING = 1,")
        run.compile("-fsyntax-only", "registry.c")


@test("where every source is numbered nothing is noted")
def _():
    with Run(with_source(SOURCE.replace("-- @watch kind\n-- @when new.kind <> 'z'\n", "-- @numbered\n"))) as run:
        same(run.errors, "")
        same(["stele_document_change" in run.text("registry.c"), "true, true, NULL}," in run.text("registry.c")], [False, True])


@test("what stores share is made for each that has sources, private, and C code has one name for it")
def _():
    feature = "-- @probe stele_more\nCREATE TABLE stele_more (a);\n"
    with Run(with_source(**{"sql/shared/changes.sql": SHARED, "sql/shared/features/more.sql": feature})) as run:
        same(run.errors, "")
        holds(run.text("registry.c"), '"demo.changes"', "s0_shared_methods[] = {4, -1};", "s0_shared_features[] = {3, 4, 1, -1};",
              ".shared_methods = s0_shared_methods", "CREATE TABLE stele_more")
        holds(run.text("registry_ids.h"), "ST_T_CHANGES = 0,", "ST_P_SHARED_CHANGES_AFTER = 0,", "ST_R_SHARED_CHANGES_SEQ = 0,",
              "ST_TF_DOCUMENTS = 0,", "ST_TF_HOLDS = 1,", "ST_TF_MORE = 2,", "ST_F_DEMO_MORE = 1,")
        run.compile("-fsyntax-only", "registry.c")
    with Run(with_features(**{"sql/shared/changes.sql": SHARED})) as run:
        same(["demo.changes" in run.text("registry.c"), ".shared_methods = NULL" in run.text("registry.c")], [False, True])


def source_mistake(name, source, *expected, **more):
    def run_it():
        with Run(with_source(source, **more)) as run:
            same(run.errors, "".join(f"sql/{line}\n" for line in expected))
    TESTS.append((name, run_it))


@test("what only its own session may see is marked")
def _():
    with Run(with_source(SOURCE.replace("-- @watch kind", "-- @mark private"))) as run:
        same(run.errors, "")
        holds(run.text("registry.c"), '-1, 2, true, false, "private"},')


@test("a table that a feature makes is noted by a feature of its own")
def _():
    with Run(with_source(SOURCE.replace("-- @watch kind", "-- @needs colour"))) as run:
        same(run.errors, "")
        holds(run.text("registry_ids.h"), "ST_F_DEMO_DOCUMENTS = 2,", "ST_F_DEMO_DOCUMENTS_THING = 3,")
        holds(run.text("registry.c"), '0, 3, true, false, NULL},', '{"documents_thing", "stele_document_thing_insert", NULL,')


source_mistake("a source without the type of its key", SOURCE.replace("id int", "id"),
               "demo/sources.sql:1: demo: @source needs a kind, a table, its key and the key's type: int or text")
source_mistake("a source that is declared twice", SOURCE + "\n" + SOURCE, "demo/sources.sql:9: demo: @source thing is declared twice")
source_mistake("a source that says nothing of itself", SOURCE.replace("-- Things.\n", ""),
               "demo/sources.sql:1: demo: @source thing has no documentation")
source_mistake("a source without an end", SOURCE.replace("AS t;", "AS t"),
               "demo/sources.sql:5: demo: @source thing needs one SELECT, ended by ;")
source_mistake("an unknown word of a source", SOURCE.replace("@watch", "@wach"),
               "demo/sources.sql:3: demo: @wach kind: a source has @watch columns, @when condition, @needs feature, @numbered, "
               "@mark private or untrusted; did you mean watch?")
source_mistake("a source of a feature that is not there", SOURCE.replace("@watch kind", "@needs more"),
               "demo/sources.sql:1: demo.source_count_thing: no feature more; did you mean order?",
               "demo/sources.sql:1: demo.source_page_thing: no feature more; did you mean order?",
               "demo/sources.sql:1: demo.source_rows_thing: no feature more; did you mean order?")
source_mistake("a line of a source that needs a feature that is not there", SOURCE.replace("FROM thing AS t;", "FROM thing AS t  -- @has clour\n;"),
               "demo/sources.sql:7: demo.source_count_thing: no feature clour; did you mean colour?",
               "demo/sources.sql:7: demo.source_page_thing: no feature clour; did you mean colour?",
               "demo/sources.sql:7: demo.source_rows_thing: no feature clour; did you mean colour?")
source_mistake("a shared method that anybody may call", SOURCE, "shared/changes.sql:2: demo.changes: what stores share is private",
               **{"sql/shared/changes.sql": SHARED.replace("  private", "")})
source_mistake("a file for stores that nobody knows", SOURCE, "shared/changes.sql:1: @stores old: it is documents, or the line is not there",
               **{"sql/shared/changes.sql": SHARED.replace("@stores documents", "@stores old")})


HELD = """\
-- @held part part id
-- Parts.
SELECT p.id AS id, NULL AS session, NULL AS project, p.begun AS time FROM part AS p;

-- @held thing thing id
-- Things.
-- @needs colour
-- @also part thing_id
SELECT t.id AS id, NULL AS session, NULL AS project, t.begun AS time FROM thing AS t;
"""


@test("what can be held has a view and a trigger on both engines, and who makes holds makes first what they look at")
def _():
    method = "-- @method *.place  none  write  private\n-- Place one.\n-- @feature holds\nINSERT INTO stele_holds DEFAULT VALUES;\n"
    with Run(with_source(**{"sql/demo/held.sql": HELD, "sql/shared/holds.sql": method})) as run:
        same(run.errors, "")
        text = run.text("registry.c")
        holds(text, 's0_held[] = {"part", "thing", NULL};', ".held = s0_held", "since        INTEGER,", "since        BIGINT,",
              "CREATE VIEW stele_held_thing AS", "SELECT c.thing_id AS id, h.hold AS hold", "BEFORE DELETE ON thing\\n",
              "BEFORE DELETE ON part FOR EACH ROW EXECUTE FUNCTION stele_hold_part();", ".features = 9u")
        run.compile("-fsyntax-only", "registry.c")


def held_mistake(name, held, *expected):
    source_mistake(name, SOURCE, *expected, **{"sql/demo/held.sql": held})


held_mistake("what is held without a key", HELD.replace("part part id", "part part"), "demo/held.sql:1: demo: @held needs a kind, a table and its key",
             "demo/held.sql:8: demo: @also part thing_id: what is held has @needs feature and @also, with a kind that is declared above "
             "and a column of its table; did you mean also?")
held_mistake("two kinds of one table", HELD.replace("thing thing id", "thing part id"),
             "demo/held.sql:5: demo: @held thing: a kind has one table, and a table one kind")
held_mistake("what is held says nothing of itself", HELD.replace("-- Parts.\n", ""), "demo/held.sql:1: demo: @held part has no documentation")
held_mistake("what is held without an end", HELD.replace("AS t;", "AS t"), "demo/held.sql:5: demo: @held thing needs one SELECT, ended by ;")
held_mistake("an unknown word of what is held", HELD.replace("@needs", "@neds"),
             "demo/held.sql:7: demo: @neds colour: what is held has @needs feature and @also, with a kind that is declared above "
             "and a column of its table; did you mean needs?")


RETAIN = """\
-- @retain things thing id int
-- Things.
-- @keep 90d off
-- @every 24h
-- @held thing
-- @narrow kind
-- @first part thing_id id
-- @link mark thing_id
-- @loose thing parent_id
SELECT t.id AS id, t.begun AS time, t.kind AS kind FROM thing AS t;
"""


@test("a rule of retention is counted, read in pages and deleted, without what is held")
def _():
    with Run(with_source(**{"sql/demo/held.sql": HELD, "sql/demo/retention.sql": RETAIN})) as run:
        same(run.errors, "")
        text = run.text("registry.c")
        holds(text, 's0_rules[] = {\n  {"things", "Things.", 7776000, 86400, true, 4, 5, 6, NULL, -1, -1, -1},', ".rules = s0_rules, .nrules = 1",
              '"demo.retain_due_things"', '"demo.retain_page_things"', '"demo.retain_rows_things"', "DELETE FROM part WHERE id IN",
              "DELETE FROM mark WHERE thing_id", "UPDATE thing SET parent_id = NULL", "FROM stele_held_thing AS h WHERE h.id = r.id)")
        run.compile("-fsyntax-only", "registry.c")


def retain_mistake(name, rule, *expected):
    source_mistake(name, SOURCE, *expected, **{"sql/demo/held.sql": HELD, "sql/demo/retention.sql": rule})


retain_mistake("a rule without the type of its key", RETAIN.replace("id int", "id"),
               "demo/retention.sql:1: demo: @retain needs a topic, a table, its key and the key's type: int or text")
retain_mistake("a rule that does not say how long", RETAIN.replace("-- @keep 90d off\n", ""), "demo/retention.sql:1: demo: @retain things has no @keep")
retain_mistake("a rule that says nothing of itself", RETAIN.replace("-- Things.\n", ""), "demo/retention.sql:1: demo: @retain things has no documentation")
retain_mistake("a rule of a kind that cannot be held", RETAIN.replace("@held thing", "@held thin"),
               "demo/retention.sql:1: demo: @held thin: held.sql has no such kind; did you mean thing?")
retain_mistake("a rule without an end", RETAIN.replace("AS t;", "AS t"), "demo/retention.sql:1: demo: @retain things needs one SELECT, ended by ;")
retain_mistake("an unknown word of a rule", RETAIN.replace("@loose", "@lose"),
               "demo/retention.sql:9: demo: @lose thing parent_id: a rule has @keep 7d (off), @every 1h, @held kind, @narrow column, "
               "@first table column key, @link table column, @loose table column, @partitioned by column; did you mean loose?")


CUT = """\
-- @retain things thing id int
-- Things.
-- @keep 90d
-- @every 24h
-- @held thing
-- @partitioned by begun
SELECT t.id AS id, t.begun AS time FROM thing AS t;
"""
CUT_SCHEMA = """\
CREATE TABLE thing (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text,
  begun numeric(20, 0),
  twice bigint
);
CREATE INDEX by_kind ON thing (kind);
CREATE TABLE version (number bigint);
"""


def with_cut(rule=CUT, schema=CUT_SCHEMA, time="seconds"):
    return with_source(**{"sql/demo/held.sql": HELD, "sql/demo/retention.sql": rule, "sql/demo/schema.postgres.sql": schema,
                          "sql/demo/schema.sql": SCHEMA.replace("@time millis", f"@time {time}")})


@test("a table that is partitioned by time is cut on PostgreSQL, with a rest, and an older one by a feature")
def _():
    with Run(with_cut()) as run:
        same(run.errors, "")
        text = run.text("registry.c")
        holds(text, "PRIMARY KEY (id, begun)", ") PARTITION BY RANGE (begun);", "CREATE TABLE thing_rest PARTITION OF thing DEFAULT;",
              '{"partitions_things", "thing_rest", NULL, {NULL,', "ATTACH PARTITION thing_rest DEFAULT;", '"demo.retain_part_things"',
              '"demo.retain_note_things"')
        run.compile("-fsyntax-only", "registry.c")


def cut_mistake(name, files, *expected):
    @test(name)
    def _():
        with Run(files) as run:
            holds(run.errors, *expected)


cut_mistake("partitions by a column that is not there", with_cut(CUT.replace("by begun", "by begin")),
            "demo/retention.sql:1: demo: @partitioned by begin: thing has no such column; did you mean begun?")
cut_mistake("partitions of a table that is unique in something", with_cut(schema=CUT_SCHEMA.replace("kind text", "kind text UNIQUE")),
            "demo: @partitioned by begun: thing is unique in something, or is referred to, which its partitions cannot be")
cut_mistake("partitions of a table whose key is given by others", with_cut(schema=CUT_SCHEMA.replace("GENERATED ALWAYS AS IDENTITY ", "")),
            "demo: @partitioned by begun: the key of thing must be numbers that are given by the table")
cut_mistake("partitions of a table that is not there", with_cut(schema=CUT_SCHEMA.replace("TABLE thing (\n  id", "TABLE thing ( id")),
            "demo: @partitioned by begun: schema.postgres.sql has no CREATE TABLE thing (, ended by ); on lines of their own")
cut_mistake("partitions by times that are not seconds", with_cut(time="millis"), "demo: @partitioned by begun: the times of the store are not seconds")
cut_mistake("partitions of rows to which others belong", with_cut(CUT.replace("@partitioned", "@link part thing_id\n-- @partitioned")),
            "demo: @partitioned by begun: what belongs to the rows would stay: @first, @link and @loose go row by row")


@test("later versions are accepted, and columns reconciled; then steps may have gaps")
def _():
    schema = SCHEMA.replace("-- @version 3", "-- @version 3\n-- @accept 4..7\n-- @reconcile")
    with Run({**FILES, "sql/demo/schema.sql": schema, "sql/demo/migrate/0002_grow_up.sql": None}) as run:
        holds(run.text("registry.c"), ".accepts = 7, .reconcile = true", 
              '{"thing", "kind", {"kind TEXT", "kind text CHECK (kind IN (\'a\', \'b\'))"}}')


@test("a step has parts that are run only where something is found")
def _():
    step = "SELECT 1;\n-- @probe thing.colour\nSELECT 2;\n-- @probe index by_kind\nSELECT 3;\n-- @probe\nSELECT 4;\n"
    with Run({**FILES, "sql/demo/migrate/0002_grow_up.sql": step}) as run:
        holds(run.text("registry.c"), '{NULL, NULL, "SELECT 1;\\n"},\n  {"thing", "colour", "SELECT 2;\\n"},\n'
              '  {"by_kind", NULL, "SELECT 3;\\n"},\n  {NULL, NULL, "SELECT 4;\\n"},\n',
              '{2, "grow up", {s0_step2_sqlite, NULL}, {4, 0}}', ".quarantine = false")


step_mistake("a part of a step without a name", {"0002_grow_up.sql": "-- @probe a b\nSELECT 1;\n"},
             "migrate/0002_grow_up.sql:1: demo: a part of a step begins with -- @probe table, table.column or index name, "
             "or with a bare -- @probe")


COMPLETE = {**FILES, "sql/demo/schema.sql": SCHEMA.replace("-- @version 3", "-- @version 3\n-- @complete").replace(
                "-- @renamed thing.begun also begun_ts\n", "").replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS").replace(
                "CREATE TRIGGER", "CREATE TRIGGER IF NOT EXISTS") + "CREATE INDEX IF NOT EXISTS by_kind ON thing (kind);\n"
                "CREATE TABLE IF NOT EXISTS rule (name TEXT PRIMARY KEY, weight INTEGER NOT NULL DEFAULT 1 CHECK (weight > 0));\n"
                "-- @seed rule\nINSERT INTO rule VALUES ('first', 1);\n-- @seed\nINSERT OR IGNORE INTO rule VALUES ('always', 2);\n",
            "sql/demo/schema.postgres.sql": POSTGRES.replace("CREATE TABLE thing", "CREATE TABLE IF NOT EXISTS thing").replace(
                "CREATE INDEX by", "CREATE INDEX IF NOT EXISTS by").replace("CREATE TABLE part", "CREATE TABLE IF NOT EXISTS part")
            .replace("ALTER TABLE thing ADD UNIQUE (begun);\n", "CREATE TABLE IF NOT EXISTS rule (name text, weight bigint NOT NULL);\n")}


@test("a store that is completed: how each engine adds a column, what else there is, and the rows it begins with")
def _():
    with Run(COMPLETE) as run:
        text = run.text("registry.c")
        holds(text, ".reconcile = true, .complete = true", '{"rule", "weight", {"weight INTEGER NOT NULL DEFAULT 1 CHECK (weight > 0)", NULL}}',
              '_objects_sqlite[] = {"grow", "by_kind", NULL}', '_objects_postgres[] = {"by_kind", NULL}',
              '{"rule", "rule", "INSERT INTO rule VALUES (\'first\', 1);\\n"}', '{NULL, "rule", "INSERT OR IGNORE INTO rule VALUES (\'always\', 2);\\n"}',
              ".nseeds = {2, 0}")
        same("@seed" in text, False)


def complete_mistake(name, file, old, new, *expected):
    @test(name)
    def _():
        with Run({**COMPLETE, f"sql/demo/{file}": COMPLETE[f"sql/demo/{file}"].replace(old, new)}) as run:
            same(run.errors.splitlines(), [f"sql/demo/{file}:{each}" for each in expected])


complete_mistake("a completed store whose schema cannot be run again", "schema.sql", "INDEX IF NOT EXISTS by_kind", "INDEX by_kind",
                 "13: demo: @complete: run again, SQLite says: index by_kind already exists",
                 "21: demo: @complete: IF NOT EXISTS is missing: the schema is run on what is there already")
complete_mistake("the same on PostgreSQL", "schema.postgres.sql", "INDEX IF NOT EXISTS by_kind", "INDEX by_kind",
                 "8: demo: @complete: IF NOT EXISTS is missing: the schema is run on what is there already")
complete_mistake("a completed store with rows among its tables", "schema.postgres.sql", "CREATE INDEX", "INSERT INTO rule VALUES ('a', 1);\nCREATE INDEX",
                 "8: demo: @complete: INSERT among the tables: rows stand below -- @seed")
complete_mistake("a seed that grows", "schema.sql", "INSERT OR IGNORE INTO rule VALUES ('always', 2)", "INSERT INTO version VALUES (2)",
                 "13: demo: @complete: a seed without a table must change nothing when it is run again")
complete_mistake("a seed of a table that is not there", "schema.sql", "@seed rule", "@seed rules",
                 "1: demo: @seed rules: the schema has no such table; did you mean rule?")
complete_mistake("a seed that inserts nothing", "schema.sql", "INSERT INTO rule VALUES ('first', 1)", "SELECT 1",
                 "13: demo: @seed: no INSERT INTO stands below it")
complete_mistake("a quarantine without its table", "schema.sql", "-- @complete", "-- @complete\n-- @quarantine",
                 "14: demo: @quarantine: there is no features/quarantine.sql, which makes the table")
complete_mistake("a seed of two tables", "schema.sql", "@seed rule", "@seed rule thing",
                 "1: demo: @seed rule thing: the schema has no such table; did you mean thing?", "13: demo: @seed rule thing: it needs one table, or none")
complete_mistake("a completed store with columns of two names", "schema.sql", "-- @refuse", "-- @renamed thing.begun also begun_ts\n-- @refuse",
                 "1: demo: @complete and @renamed: a column that is there under its other name would be added")


@test("an idempotent method names its key, which needs no other use")
def _():
    methods = METHODS.replace("-- @result id", "-- @param  key  text optional  once only\n-- @idempotent key\n-- @result id")
    with Run({**FILES, "sql/demo/methods.sql": methods}) as run:
        holds(run.text("registry.c"), ".idempotent = 3}")


@test("rows of one kind are described once: @results takes the results of a method above")
def _():
    again = """
-- @method demo.first  one  read
-- The first thing.
-- @results demo.find
SELECT MIN(id) AS id FROM thing;
"""
    with Run({**FILES, "sql/demo/methods.sql": METHODS + again}) as run:
        markdown = run.text("methods.md")
        same(markdown.count("its number"), 2)


def feature_mistake(name, files, expected):
    @test(name)
    def _():
        with Run(files) as run:
            same(run.errors.splitlines()[0], expected)
            same(run.status, 1)


feature_mistake("a feature that is not there", with_features(METHODS.replace("SELECT id", "-- @feature colours\nSELECT id")),
                "sql/demo/methods.sql:7: demo.find: no feature colours; did you mean colour?")
feature_mistake("a line that needs a feature that is not there",
                with_features(METHODS.replace("-- @if after", "-- @if after @has colours")),
                "sql/demo/methods.sql:9: demo.find: no feature colours; did you mean colour?")
feature_mistake("a feature without a probe", with_features(**{"sql/demo/features/colour.sql": "SELECT 1;\n"}),
                "sql/demo/features/colour.sql:1: demo: a feature is NAME.sql, and its first line is "
                "-- @probe table, table.column or index name")
feature_mistake("two probes of one feature", with_features(**{"sql/demo/features/order.postgres.sql": "-- @probe thing\n"}),
                "sql/demo/features/order.sql:1: demo: both engines have the same @probe")
feature_mistake("@accept of versions that do not follow",
                {**FILES, "sql/demo/schema.sql": SCHEMA.replace("-- @version 3", "-- @version 3\n-- @accept 5..7")},
                "sql/demo/schema.sql:5: demo: @accept needs the versions that follow @version, such as 12..16")
feature_mistake("@idempotent of a parameter that is required",
                {**FILES, "sql/demo/methods.sql": METHODS.replace("-- @result id", "-- @idempotent kind\n-- @result id")},
                "sql/demo/methods.sql:6: demo.find: @idempotent needs an optional text parameter, declared above it")

feature_mistake("@results of a method that is not above",
                {**FILES, "sql/demo/methods.sql": METHODS.replace("-- @result id", "-- @results demo.other\n-- @result id")},
                "sql/demo/methods.sql:6: demo.find: @results needs a method of this file, declared above; demo.other is none")


DOCTOR = """\
-- @method stele.doctor  many  admin
-- How everything is.
-- @result store  text?        the store
-- @result state  text(ok|no)  how it is
-- @native st_stele_doctor
"""
LINES = """\
-- @method demo.doctor  many  read  private
-- How things are.
-- @param  now    time = now   when
-- @result store  text?        demo
-- @result state  text(ok|no)  ok
SELECT 'demo' AS store, 'ok' AS state WHERE :now > 0;
"""


def with_lines(old="", new=""):
    """Files in which the demo adds lines to the checkup, with something in their declaration replaced."""
    return {**FILES, "sql/stele/methods.sql": DOCTOR, "sql/demo/doctor.sql": LINES.replace(old, new)}


@test("a store may add lines to the checkup")
def _():
    with Run(with_lines()) as run:
        holds(run.text("registry.c"), "demo.doctor")


for what, old, new, told in (
        ("that others may call", "  private", "", "it adds lines to stele.doctor, and must be: many read private"),
        ("that writes", "read  private", "write  private", "it adds lines to stele.doctor, and must be: many read private"),
        ("that needs an argument", "time = now ", "time ", "stele.doctor calls it without now"),
        ("with another result", "state ", "shape ", "its results must be those of stele.doctor: shape stands where state should"),
        ("with a result that cannot be null", "text?", "text", "its results must be those of stele.doctor: store stands where store should")):
    feature_mistake(f"lines of the checkup {what}", with_lines(old, new), f"sql/demo/doctor.sql:1: demo.doctor: {told}")


UPKEEP = """\
-- @method stele.upkeep  many  admin
-- Keep everything in order.
-- @param  dry_run  bool = false     only tell
-- @param  days     int(0..) = 7     how old
-- @param  now      time = now       when
-- @result store    text             the store
-- @result chore    text             the chore
-- @result what     text             to what
-- @result change   text             what became of it
-- @native st_stele_upkeep outside
"""
CHORE = """\
-- @method demo.upkeep_dust  many  write
-- Dust things.
-- @param  days     int(0..) = 3     how old
-- @param  dry_run  bool = false     only tell
-- @result what     text             a thing
-- @result change   text             dusted
-- @native st_demo_dust
"""


def with_chore(old="", new=""):
    """Files in which the demo has a chore, with something in its declaration replaced."""
    return {**FILES, "sql/stele/methods.sql": UPKEEP, "sql/demo/upkeep.sql": CHORE.replace(old, new)}


@test("a store may have chores")
def _():
    with Run(with_chore()) as run:
        holds(run.text("registry.c"), "demo.upkeep_dust")


for what, old, new, told in (
        ("that nobody may call", "many  write", "many  write  private", "1: demo.upkeep_dust: it is a chore of stele.upkeep, and must be: many write"),
        ("that only reads", "many  write", "many  read", "1: demo.upkeep_dust: it is a chore of stele.upkeep, and must be: many write"),
        ("with a word of its own", "days ", "age ", "3: demo.upkeep_dust: age: stele.upkeep has no such parameter to say it"),
        ("with another kind of word", "int(0..) = 3", "int(1..) = 3", "3: demo.upkeep_dust: days: it must be what it is in stele.upkeep: int(0..)"),
        ("that needs an argument", "int(0..) = 3", "int(0..)", "3: demo.upkeep_dust: days: a parameter of a chore has a default"),
        ("without a dry run", "dry_run  bool = false", "now      time = now", "1: demo.upkeep_dust: a chore has a parameter dry_run"),
        ("with another result", "@result change", "@result colour",
         "1: demo.upkeep_dust: its results must be those of stele.upkeep: colour stands where change should")):
    feature_mistake(f"a chore {what}", with_chore(old, new), f"sql/demo/upkeep.sql:{told}")


def with_address(*lines, **more):
    """Files in which demo.find is a resource."""
    methods = METHODS.replace("-- @result id", "\n".join([*lines, "-- @result id"]))
    return {**FILES, "sql/demo/methods.sql": methods + more.get("and_also", "")}


@test("a resource has its address in the table and in the manual")
def _():
    with Run(with_address("-- @http GET /v1/things/{kind}")) as run:
        holds(run.text("registry.c"), '0, NULL, "GET /v1/things/{kind}"}')
        holds(run.text("methods.md"), "Over HTTP also: `GET /v1/things/{kind}`.")


for what, lines, told in (
        ("a verb that writes", ["-- @http POST /v1/things"], "6: demo.find: @http needs GET and a path such as /v1/sessions/{session_id}"),
        ("an address that is none", ["-- @http GET things"], "6: demo.find: @http needs GET and a path such as /v1/sessions/{session_id}"),
        ("two addresses", ["-- @http GET /v1/a", "-- @http GET /v1/b"], "7: demo.find: a second @http"),
        ("an address with a name that is not declared", ["-- @http GET /v1/things/{knid}"],
         "6: demo.find: @http: {knid} is not declared; did you mean kind?"),
        ("an address among a store's methods", ["-- @http GET /v1/demo/{kind}"],
         "6: demo.find: @http: /v1/demo/... is where its methods are called")):
    feature_mistake(what, with_address(*lines), f"sql/demo/methods.sql:{told}")
feature_mistake("an address of two methods",
                with_address("-- @http GET /v1/things/{kind}", and_also="""
-- @method demo.get  one  read
-- Get.
-- @param  id   int   which
-- @http GET /v1/things/{id}
-- @result id   int   it
SELECT id FROM thing WHERE id = :id;
"""), "sql/demo/methods.sql:16: demo.get: @http: /v1/things/{id} is the address of demo.find already")


def main():
    print(f"1..{len(TESTS)}")
    failures = 0
    for number, (name, function) in enumerate(TESTS, start=1):
        try:
            function()
            print(f"ok {number} - {name}")
        except Exception as error:  # a test that breaks has failed
            failures += 1
            print(f"not ok {number} - {name}")
            print(textwrap.indent(f"{type(error).__name__}: {error}", "# ", lambda line: True))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
