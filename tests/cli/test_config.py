#!/usr/bin/env python3
"""The configuration: one table of keys, said in four places; its file, its errors and its page.  Prints TAP."""

import itertools
import json
import os
import re
import stat
import sys

from place import Place, has, in_terminal, lacks, main, same, test

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


def keys(place, *words, **more):
    return {row["key"]: row for row in place.run("config", "--json", *words, **more).reply()}


def write(place, text, name="config.toml"):
    path = place.at(name)
    with open(path, "wb") as file:
        file.write(text.encode() if isinstance(text, str) else text)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read().decode()


def refused(place, text):
    """(message without the path, hint) of a file that is wrong."""
    path = write(place, text)
    error = place.run("--config", path, "status", "--json").error(2, "INVALID")
    checked = place.run("--config", path, "config", "check", "--json").error(2, "INVALID")
    same(checked, error)
    has(error["message"], path)
    return error["message"].removeprefix(path), error["hint"]


# ---- Keys and where they come from -----------------------------------------------------------

@test("every key has a value, a default, a type, a variable, an option and a sentence")
def _():
    with Place() as place:
        found = keys(place, env={"STELE_HOME": None})
        for name in ("home", "database", "redact", "wait", "color", "pager", "stores.conversation", "durability.telemetry",
                     "import.except", "import.ignore", "import.capture", "serve.host", "serve.port", "serve.socket", "serve.allow_host",
                     "serve.pub", "serve.body", "serve.watch", "serve.audit"):
            same(name in found, True)
        for row in found.values():
            same(list(row), ["key", "value", "from", "where", "default", "type", "environment", "option", "doc"])
            same((row["value"], row["from"]), (row["default"], "default"))
            same(row["doc"] != "" and row["option"].startswith("--"), True)
        same(len({row["environment"] for row in found.values()}), len(found))
        same(found["home"]["default"], place.at("user", ".local/share/stele"))
        shown = place.run("config", env={"STELE_HOME": None})
        for row in found.values():
            has(shown.out, row["key"] + " = ", row["doc"])


@test("an option counts before the environment, that before the file, that before the default, for every key")
def _():
    samples = {"text": ("a", "b", "c"), "path": ("/a", "/b", "/c"), "list": ("a", "b,c", "d"), "switch": (True, False, True),
               "number": (11, 12, 13), "bytes": (2048, "4K", "1M"), "time": ("11s", "12s", "13s")}
    with Place() as place:
        base = keys(place, env={"STELE_HOME": None})
        for name, row in base.items():
            choices = {"color": ("always", "auto", "never"), "enrich.using": ("model", "rules", "model"),
                       "forget.backups": ("rewrite", "keep", "delete")}
            values = choices.get(name, ("full", "normal", "full")) if row["type"] == "choice" else samples.get(row["type"])
            in_file, in_environment, in_option = values
            if row["type"] == "list":
                said = json.dumps(in_file.split(","))
            else:
                said = json.dumps(in_file)
            table, _, last = name.rpartition(".")
            path = write(place, (f"[{table}]\n" if table else "") + f"{last} = {said}\n")

            def value(*words, env={}):
                found = keys(place, *words, env={"STELE_HOME": None, "STELE_CONFIG": path, **env})[name]
                return found["value"], found["from"]

            def text(of):
                return {True: "true", False: "false"}.get(of, str(of))

            def shape(of):
                if row["type"] == "list":
                    return of.split(",")
                return of
            same(value(), (shape(in_file), "file"))
            if name == "color":
                same(value(env={"NO_COLOR": "1"}), ("never", "environment"))
                same(value("--no-color"), ("never", "option"))
                continue
            env = {row["environment"]: text(in_environment)}
            same(value(env=env), (shape(in_environment), "environment"))
            same(value("--set", f"{name}={text(in_option)}", env=env), (shape(in_option), "option"))


@test("options of their own say the same as --set")
def _():
    with Place() as place:
        for words, name, value in ((["--wait", "3s"], "wait", "3s"), (["--home", "/x"], "home", "/x"),
                                   (["--store", "telemetry=/t.db"], "stores.telemetry", "/t.db"),
                                   (["--redact", "~/r.toml"], "redact", place.at("user", "r.toml")),
                                   (["--set", "body=1M,watch=off"], "serve.body", "1M"),
                                   (["--set", "body=1M,watch=off"], "serve.watch", False),
                                   (["--set", "allow_host=a,b,body=1M"], "serve.allow_host", ["a", "b"])):
            found = keys(place, *words)[name]
            same((found["value"], found["from"]), (value, "option"))


@test("a home that is named keeps out what is said more weakly of where the stores are")
def _():
    with Place() as place:
        path = write(place, f'home = "{place.at("one")}"\n[stores]\ntelemetry = "{place.at("theirs.db")}"\n')
        env = {"STELE_HOME": None, "STELE_CONFIG": path}
        same(place.telemetry(env=env)["location"], place.at("theirs.db"))
        same(place.telemetry("--home", place.at("two"), env=env)["location"], place.at("two", "telemetry.db"))
        same(place.telemetry(env={**env, "STELE_HOME": place.at("two")})["location"], place.at("two", "telemetry.db"))
        path = write(place, '[durability]\ntelemetry = "full"\n')
        same(place.telemetry(env={"STELE_CONFIG": path})["durability"], "full")
        same(place.telemetry()["durability"], "normal")


@test("the file is where XDG says; one that is named must be there; a wrong one stops commands, but not help")
def _():
    with Place() as place:
        same(place.run("config", "path").out, place.at("user", ".config/stele/config.toml") + "\n")
        same(place.run("config", "path", env={"XDG_CONFIG_HOME": place.at("c")}).out, place.at("c", "stele/config.toml") + "\n")
        same(place.run("config", "path", env={"XDG_CONFIG_HOME": "relative"}).out,
             place.at("user", ".config/stele/config.toml") + "\n")
        same(place.run("config", "path", env={"HOME": None, "XDG_CONFIG_HOME": "", "STELE_CONFIG": "~/x"}).status, 0)
        has(place.run("--config", place.at("no"), "status").err, "cannot be read: No such file")
        has(place.run("status", env={"STELE_CONFIG": place.at("no")}).err, "cannot be read", "stele config init")
        same(place.run("status", env={"STELE_CONFIG": "/dev/null"}).status, 0)
        path = write(place, "nonsense\n")
        same(place.run("status", "--config", path).status, 2)
        for words in (["help"], ["version"], ["config", "path"], ["status", "--help"]):
            same(place.run("--config", path, *words).status, 0)
        same(place.run("--config", path, "config").status, 2)


# ---- What is wrong is told, with its place ---------------------------------------------------

@test("unknown keys and tables, with their line and a suggestion")
def _():
    with Place() as place:
        same(refused(place, "\nwiat = \"3s\"\n"), (":2: there is no key wiat", "did you mean wait?"))
        same(refused(place, "[serve]\nprot = 1\n"), (":2: there is no key serve.prot", "did you mean serve.port?"))
        same(refused(place, "port = 1\n"), (":1: there is no key port", "did you mean serve.port?"))
        same(refused(place, "[srve]\nport = 1\n"), (":1: there is no table [srve]", "did you mean [serve]?"))
        same(refused(place, "[stores]\nconversatoin = \"x\"\n")[1], "did you mean stores.conversation?")
        same(refused(place, "[[serve]]\nport = 1\n[[serve]]\nport = 2\n")[0], ":1: [[serve]] must be [serve]")
        same(refused(place, "zzzzzz = 1\n"), (":1: there is no key zzzzzz", "`stele config` lists them"))


@test("values of a wrong type or out of range name the key and what is expected")
def _():
    with Place() as place:
        for text, message in (
                ("[serve]\nport = \"x\"", ":2: serve.port must be a number from 0 to 65535, not x"),
                ("[serve]\nport = 70000", ":2: serve.port must be a number from 0 to 65535, not 70000"),
                ("[serve]\nport = true", ":2: serve.port must be a number from 0 to 65535, not true"),
                ("[serve]\naudit = 1", ":2: serve.audit must be true or false, not 1"),
                ("[serve]\naudit = \"yes\"", ":2: serve.audit must be true or false, not yes"),
                ("[serve]\nbody = \"1T\"", ":2: serve.body must be a number of bytes, at least 1, not 1T"),
                ("[serve]\nbody = 0", ":2: serve.body must be a number of bytes, at least 1, not 0"),
                ("[serve]\nrequest = \"1ms\"", ":2: serve.request must be a time, at least 1 s, not 1ms"),
                ("[serve]\nallow_host = \"a\"", ":2: serve.allow_host must be a list of texts, not a"),
                ("[serve]\nallow_host = [1]", ":2: serve.allow_host must be a list of texts, not [1]"),
                ("[serve]\nallow_host = [\"a,b\"]", ":2: serve.allow_host must be a list of texts, not [\"a,b\"]"),
                ("wait = \"soon\"", ":1: wait must be a time, not soon"),
                ("wait = 0", ":1: wait must be a time, not 0"),
                ("color = \"blue\"", ":1: color must be one of auto, always, never, not blue"),
                ("home = 1", ":1: home must be a text, not 1"),
                ("[durability]\ntelemetry = \"some\"", ":2: durability.telemetry must be one of full, normal, not some"),
                ("[serve]\n\nport == 1", ":3: a value is missing"),
                ("a.b = 1", ":1: dotted keys are not read"),
                ("wait = 5\nwait = 6", ":2: wait stands twice")):
            same(refused(place, text)[0], message)
        has(refused(place, b"home = \"\xff\"\n")[0], "UTF-8")


@test("the environment and options are told by their own names")
def _():
    with Place() as place:
        has(place.run("status", env={"STELE_WAIT": "soon"}).err, "$STELE_WAIT must be a time, not soon")
        has(place.run("status", env={"STELE_SERVE_PORT": "-1"}).err, "$STELE_SERVE_PORT must be a number from 0 to 65535")
        has(place.run("status", "--set", "body=big").err, "--set body must be a number of bytes")
        has(place.run("status", "--set", "bdy=1").err, "--set: there is no key bdy", "did you mean serve.body?")
        has(place.run("status", "--set", "nonsense").err, "--set must be KEY=VALUE, not nonsense")
        has(place.run("status", "--set", "body=1,nonsense").err, "--set body must be")
        has(place.run("config", "get", "prot").err, "there is no key prot", "did you mean serve.port?")
        has(place.run("config", "set", "serve.port", "x").err, "serve.port must be a number")
        has(place.run("config", "nonsense").err, "what is meant by nonsense?")


# ---- init, get, set --------------------------------------------------------------------------

@test("init writes every key with its default as a comment, for nobody else, and never over a file")
def _():
    with Place() as place:
        path = place.at("user", ".config/stele/config.toml")
        same(place.run("config", "init").out, path + "\n")
        text = read(path)
        same(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        same(stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode), 0o700)
        found = keys(place, env={"STELE_HOME": None})
        same([row["from"] for row in found.values()], ["default"] * len(found))
        for name, row in found.items():
            has(text, f"\n# {row['doc']}\n")
        done = place.run("config", "init")
        same((done.status, read(path)), (2, text))
        has(done.err, "is there already")
        # Every comment that shows a default is one that could stand there.
        alive = re.sub(r"^#(\w+ = )(?!\"\"|\[\])", r"\1", text, flags=re.M)
        write(place, alive)
        found = keys(place, "--config", place.at("config.toml"), env={"STELE_HOME": None})
        same({(row["value"] == row["default"]) for row in found.values()}, {True})
        same(sum(row["from"] == "file" for row in found.values()) > 25, True)


@test("set changes one line and keeps the rest, in files of many shapes; get has it")
def _():
    shapes = ["", "\n", "# mine\n", "wait = \"5s\" # mine\n", "# a\n\n# of serve\n[serve] # here\nport = 1 # one\n\n# end",
              "[serve]\n[import]\nignore = [\n  \"a\", # why\n  \"b\"\n]\n", "[serve]\r\nbody = 1\r\n# x\r\n",
              "home=\"/x\"\n[import]\nexcept=[]", "#home = \"\"\n#[serve]\n[serve]\n  #  port = 7878\nbody=2\n"]
    settings = [("home", "/some where/é", '"/some where/é"'), ("serve.port", "7979", "7979"), ("serve.watch", "off", "false"),
                ("import.ignore", "x,y", '["x", "y"]'), ("wait", "90", "90"), ("serve.body", "1M", '"1M"')]
    with Place() as place:
        env = {"STELE_HOME": None}
        for shape, (name, said, kept) in itertools.product(shapes, settings):
            path = write(place, shape)
            done = place.run("--config", path, "config", "set", name, said, env=env)
            same((done.status, done.out), (0, f"{name} = {kept}\n"))
            text = read(path)
            found = keys(place, "--config", path, env=env)[name]
            same((json.dumps(found["value"], ensure_ascii=False), found["from"]), (kept, "file"))
            # Whatever stood there still stands there, in its order, but the old value.
            lines = iter(text.splitlines())
            for line in shape.splitlines():
                if re.match(rf"\s*{name.split('.')[-1]}\s*=", line) or (name == "import.ignore" and line.startswith(("  \"", "]"))):
                    continue
                same(any(line == other for other in lines), True)
            same("\r\n" in shape, text.count("\r\n") == text.count("\n") and "\r\n" in text)
            same(place.run("--config", path, "config", "set", name, said, env=env).status, 0)
            same(read(path), text)


@test("set on no file begins with the commented one; links and permissions stay")
def _():
    with Place() as place:
        path = place.at("user", ".config/stele/config.toml")
        same(place.run("config", "set", "serve.port", "7979").out, "serve.port = 7979\n")
        has(read(path), "#port = 7878\nport = 7979\n")
        same(place.run("config", "get", "serve.port").out, "7979\n")
        same(place.run("config", "get", "port", "--json").out, "7979\n")
        os.rename(path, place.at("real.toml"))
        os.chmod(place.at("real.toml"), 0o640)
        os.symlink(place.at("real.toml"), path)
        place.run("config", "set", "serve.port", "1")
        same((os.readlink(path), stat.S_IMODE(os.stat(path).st_mode)), (place.at("real.toml"), 0o640))
        has(read(place.at("real.toml")), "\nport = 1\n")
        write(place, "nonsense\n")
        done = place.run("--config", place.at("config.toml"), "config", "set", "serve.port", "1")
        same((done.status, read(place.at("config.toml"))), (2, "nonsense\n"))


@test("colours as the configuration wants them")
def _():
    with Place() as place:
        path = write(place, 'color = "never"\n')
        lacks(in_terminal(place, "config", env={"STELE_CONFIG": path})[1], "\x1b[1m")
        path = write(place, 'color = "always"\n')
        has(place.run("config", env={"STELE_CONFIG": path}).out, "\x1b[1m")
        lacks(place.run("config", env={"STELE_CONFIG": path, "NO_COLOR": "1"}).out, "\x1b[1m")


# ---- The page --------------------------------------------------------------------------------

def row_of(name, key):
    default = json.dumps(key["default"], ensure_ascii=False)
    family = re.sub(r"^(stores|durability)\..*", r"\1.STORE", name)
    store = name.partition(".")[2]
    if family.endswith(".STORE"):
        key = {field: re.sub(rf"\b{store}\b", "STORE", str(value)) for field, value in key.items()}
    variable = key["environment"] if not family.endswith(".STORE") else "STELE_" + family.replace(".", "_").upper()
    if name == "home":
        default = "`$XDG_DATA_HOME/stele`, else `~/.local/share/stele`"
    else:
        default = f"`{default}`" if default not in ('""', "[]") else ""
    option = "" if key["option"].startswith("--set") else f"`{key['option']}`"
    return f"| `{family}` | {default} | {option} | `{variable}` | {key['doc']} |"


@test("docs/configuration.md has every key as it is")
def _():
    with Place() as place:
        wanted = list(dict.fromkeys(row_of(name, key) for name, key in keys(place, env={"STELE_HOME": None}).items()))
    with open(os.path.join(SOURCE, "docs", "configuration.md"), encoding="utf-8") as file:
        found = [line for line in file.read().splitlines() if line.startswith("| `")]
    if found != wanted:
        raise AssertionError("the table must be\n" + "\n".join(wanted))


if __name__ == "__main__":
    sys.exit(main())
