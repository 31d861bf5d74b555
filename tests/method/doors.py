"""Ways into Stele, and places to open, for tests.

A door takes a call and answers ("ok", reply) or ("error", {code, method, field, message, hint}).
`call` and `step` are the C API, through the player (tests/play/play.c); `cli` is the command line,
`http` the server, `mcp` the Model Context Protocol, where every method is a tool; `python` the Python package.
"""

import contextlib
import functools
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

from python import interpreter
from serve import server

PLAYER = os.environ.get("STELE_TEST_PLAYER", "")
CLI = os.environ.get("STELE_TEST_CLI", "")

# Of the vault: what is put is encrypted with the first; the second is that of the tokens in the tests.
VAULT_KEYS = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=,cw_0x689RpI-jtRR7oE8h_eQsKImvJapLeSbXpwF4e4="


class Broken(Exception):
    """A program died or answered something that is no answer."""


def _unique(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise Broken(f"a name stands twice in one object: {keys}")
    return dict(pairs)


def _no_constant(name):
    raise Broken(f"{name} is no JSON")


def parse(text):
    """JSON, strictly: no NaN, no name twice."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise Broken(f"the reply is no JSON ({error}): {text[:400]}") from None


# ---- Places ----------------------------------------------------------------------------------

class Sqlite:
    """Each place is a new directory."""
    engine = "sqlite"

    def __enter__(self):
        self.directory = tempfile.mkdtemp(prefix="stele-")
        self.numbers = itertools.count(1)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.directory)

    def new(self, _=None):
        return {"home": os.path.join(self.directory, f"home{next(self.numbers)}"), "vault_keys": VAULT_KEYS}

    def sql(self, place, store, sql):
        """What another program does to a store of a place."""
        with contextlib.closing(sqlite3.connect(os.path.join(place["home"], f"{store}.db"))) as db:
            db.executescript(sql)

    def forget(self, place):
        shutil.rmtree(place["home"], ignore_errors=True)


class Postgres:
    """A database of its own on the server that STELE_TEST_POSTGRES names; each place is new schemas in it."""
    engine = "postgres"

    def __init__(self, stores):
        self.stores = stores

    def __enter__(self):
        self.server = os.environ["STELE_TEST_POSTGRES"]
        self.directory = tempfile.mkdtemp(prefix="stele-")
        self.name = "method_" + re.sub(r"\W", "_", os.path.basename(self.directory)).lower()
        self.numbers = itertools.count(1)
        self._sql(self.server, f"CREATE DATABASE {self.name}")
        return self

    def __exit__(self, *_):
        self._sql(self.server, f"DROP DATABASE {self.name} WITH (FORCE)")
        shutil.rmtree(self.directory)

    def _sql(self, url, sql):
        done = subprocess.run(["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-c", sql, url],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise Broken(f"psql: {done.stdout}")

    def sql(self, place, store, sql):
        """What another program does to a store of a place."""
        schema = urllib.parse.parse_qs(urllib.parse.urlsplit(place["stores"][store]).query)["schema"][0]
        self._sql(self._url(), f"SET search_path TO {schema}; {sql}")

    def _url(self, **more):
        parts = urllib.parse.urlsplit(self.server)
        query = "&".join([*filter(None, [parts.query]), *(f"{name}={value}" for name, value in more.items())])
        # urlunsplit would drop the empty host, and with it the slashes
        return f"{parts.scheme}://{parts.netloc}/{self.name}?{query}"

    def new(self, stores=None):
        """With these stores in the database, or all; the others are files, should somebody open them."""
        number = next(self.numbers)
        return {"home": os.path.join(self.directory, f"home{number}"), "vault_keys": VAULT_KEYS,
                "stores": {store: self._url(schema=f"place{number}_{store}") for store in stores or self.stores}}

    def forget(self, place):
        shutil.rmtree(place["home"], ignore_errors=True)  # the schemas go with the database


# ---- Doors -----------------------------------------------------------------------------------

def environment(place):
    """The variables of a program that takes its vault keys from there."""
    return {**os.environ, "VAULT_MASTER_KEY": place.get("vault_keys", "")}


class Player:
    """The player, and the C API behind it."""
    digests = True

    def __init__(self, verb="call", *options):
        self.verb = verb
        self.process = self.start(*options)

    def start(self, *options):
        return subprocess.Popen([PLAYER, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.stdin.close()
        status = self.process.wait()
        if status != 0 and kind is None:
            raise Broken(f"the player ended with status {status}")

    def ask(self, *requests):
        """Several requests at once, each a tuple of words; their answers."""
        lines = "".join("\t".join(request) + "\n" for request in requests)
        if lines.count("\n") != len(requests):
            raise Broken(f"a request of several lines: {lines}")
        try:
            self.process.stdin.write(lines.encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the missing answer tells
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        line = self.process.stdout.readline().decode()
        word, _, text = line.rstrip("\n").partition("\t")
        if word not in ("ok", "error"):
            raise Broken(f"the player died with status {self.process.wait()} at {' '.join(request)[:400]}")
        return word, parse(text)

    def must(self, *request):
        word, reply = self.ask(request)[0]
        if word != "ok":
            raise Broken(f"{' '.join(request)[:400]}: {reply}")
        return reply

    def open(self, place):
        self.must("open", json.dumps(place))

    def close(self):
        self.must("close")

    def call(self, method, args):
        return self.ask((self.verb, method, args))[0]

    def digest(self):
        return self.must("digest")


class Beside(Player):
    """A player beside another door: it opens the place when it is called, and again after the other was."""
    place = opened = None

    def open(self, place):
        self.place, self.opened = place, False

    def close(self):
        if self.opened:
            super().close()
        self.opened = False

    def call(self, method, args):
        if not self.opened:
            super().open(self.place)
            self.opened = True
        return super().call(method, args)


class Python(Player):
    """The Python package, behind a player of its own (tests/python/play.py)."""
    digests = False

    def start(self):
        player = os.path.join(os.path.dirname(interpreter.__file__), "play.py")
        return subprocess.Popen([sys.executable, player], env=interpreter.environment(), stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE)

    def call(self, method, args):
        return self.ask(("call", method, args))[0]


class Cli:
    """The command line: one process per call."""
    verb = "cli"
    digests = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def open(self, place):
        self.env = environment(place)
        self.options = ["--home", place["home"]]
        for store, location in place.get("stores", {}).items():
            self.options += ["--store", f"{store}={location}"]

    def close(self):
        pass

    def call(self, method, args):
        long = len(args.encode()) > 100_000  # more than one argument of a program may have
        done = self.run("call", method, "-" if long else args, "--json", stdin=args if long else "")
        if done.returncode == 0:
            return "ok", parse(done.stdout)
        reply = parse(done.stderr if done.stderr.startswith("{") else done.stdout)
        return "error", {**reply["error"], "exit": done.returncode}

    def run(self, *words, stdin=""):
        done = subprocess.run([CLI, *words, *self.options], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8", env=self.env)
        if done.returncode not in (0, 1, 2):
            raise Broken(f"stele {' '.join(words)[:200]} ended with status {done.returncode}: {done.stderr}")
        return done


class Http:
    """The server: one process per place, one connection."""
    verb = "http"
    digests = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def open(self, place):
        options = [word for store, location in place.get("stores", {}).items()
                   for word in ("--store", f"{store}={location}")]
        self.server = server.Server(place["home"], *options, env=environment(place))

    def close(self):
        self.server.stop()

    def call(self, method, args):
        path = "/v1/" + urllib.parse.quote(method.replace(".", "/", 1))
        answer = self.server.post(path, args)
        if answer.status == 200:
            return "ok", parse(answer.text)
        problem = parse(answer.text)
        if problem["status"] != answer.status:
            raise Broken(f"{answer.status} says {problem}")
        return "error", {"field": "", **problem, "message": problem["detail"]}


@functools.cache
def _secret_methods():
    """The methods that take or reply something secret."""
    return {method["name"] for method in server.methods()
            if any(field.get("secret") for field in method["params"] + method["results"])}


class Mcp:
    """The Model Context Protocol over standard input and output: one process per place.

    A method with secrets is no tool: that is looked at, and then the call is made on the command line."""
    verb = "mcp"
    digests = False
    META = ('"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
            '"io.modelcontextprotocol/clientCapabilities":{}}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def open(self, place):
        self.cli = Cli()
        self.cli.open(place)
        self.process = subprocess.Popen([CLI, "mcp", *self.cli.options, "--profile", "all", "--budget", "0"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.cli.env)

    def close(self):
        self.process.stdin.close()
        status = self.process.wait()
        self.process.stdout.close()
        if status != 0:
            raise Broken(f"stele mcp ended with status {status}")

    def call(self, method, args):
        request = ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%s,"arguments":%s,%s}}'
                   % (json.dumps(method), args, self.META))
        self.process.stdin.write(request.encode() + b"\n")
        self.process.stdin.flush()
        answer = parse(self.process.stdout.readline().decode())
        if "error" in answer:
            if answer["error"]["message"] != f"there is no tool {method}":
                raise Broken(f"{method}: {answer}")
            if method in _secret_methods():
                return self.cli.call(method, args)
            return "error", {"code": "NOTFOUND", "method": method, "field": "", "message": f"there is no method {method}"}
        if method in _secret_methods():
            raise Broken(f"{method} has secrets, and is a tool")
        return self._result(answer["result"])

    def _result(self, result):
        if result["isError"]:
            return "error", result["_meta"]["stele/error"]
        told = result["structuredContent"]
        if parse(result["content"][0]["text"]) != told:
            raise Broken(f"the text differs from the structured content: {result}")
        return "ok", told["results" if "results" in told else "result"]


def door(verb):
    doors = {"cli": Cli, "http": Http, "mcp": Mcp}
    if verb == "python":
        return Python(verb)
    return doors[verb]() if verb in doors else Player(verb)
