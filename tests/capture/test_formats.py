#!/usr/bin/env python3
"""The sample homes of all agents but Claude Code, taken into a conversation store.  Prints TAP."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from capture import expect, home_codex, home_cursor, home_opencode, home_originals  # noqa: E402
from method import doors  # noqa: E402

STELE = os.environ.get("STELE_BIN") or os.environ["STELE_TEST_CLI"]
NEW = ("sessions", "messages", "updated")
CASES = []
HOMES = {"Codex": home_codex, "Cursor": home_cursor, "opencode": home_opencode, "the five systems": home_originals}


def case(function):
    """A case is named by its documentation, and passes if it yields nothing."""
    CASES.append(function)
    return function


class Place:
    """A directory with a sample home, and a new store."""

    def __init__(self, stores):
        self.stores = stores

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="stele-formats-")
        self.home = os.path.join(self.path, "home")
        self.place = self.stores.new()
        self.options = ["--home", self.place["home"]]
        for store, location in self.place.get("stores", {}).items():
            self.options += ["--store", f"{store}={location}"]
        return self

    def __exit__(self, *unused):
        shutil.rmtree(self.path)
        self.stores.forget(self.place)

    def run(self, *words):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("STELE_", "CODEX_", "XDG_", "HERMES_"))}
        environment["HOME"] = self.home
        done = subprocess.run([STELE, *self.options, *words], capture_output=True, timeout=120, env=environment)
        if done.returncode not in (0, 1) or (words[0] == "call" and done.returncode):
            raise AssertionError(f"stele {words}: {done.returncode} {done.stdout.decode()} {done.stderr.decode()}")
        return done.stdout.decode()

    def call(self, method, **arguments):
        return json.loads(self.run("call", "conversation." + method, json.dumps(arguments)) or "null")

    def take(self, *paths, **more):
        return self.call("import_transcripts", paths=list(paths), into_foreign=True, **more)

    def stored(self, wanted):
        """A session of the store, in the form of expect.session()."""
        id, harness = wanted["id"], wanted["harness"]
        row = self.call("get_session", session_id=id) or {}
        origin = self.call("get_origin", session_id=id) or {}
        facts = {name: row[name] for name in ("title", "model", "system_prompt", "started_at") if row.get(name)}
        facts.update({name: origin[name] for name in ("cwd", "branch", "version", "agent", "link") if origin.get(name)})
        if origin.get("parent_native_id"):
            facts["parent"] = origin["parent_native_id"]
        counts = {name: row.get(name + "_tokens") for name in expect.COUNTS}
        counts["cost"] = row.get("actual_cost_usd") or row.get("estimated_cost_usd")
        messages = [self.message(m) for m in self.call("get_messages", session_id=id)]
        return expect.session(origin.get("harness", harness), id, messages, expect.usage(**counts), **facts)

    @staticmethod
    def message(row):
        content = row["content"]
        parts = None if content is None or isinstance(content, str) else content
        calls = [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in row["tool_calls"] or []]
        return expect.message(row["role"], content if parts is None else None, parts, calls, row["tool_call_id"], row["tool_name"],
                              row["reasoning"], row["timestamp"])

    def check(self, home):
        for wanted in home["sessions"]:
            if wanted["messages"]:  # a session that says nothing is none yet
                yield from expect.differences(self.stored(wanted), wanted)

    def rows(self):
        """Everything, to see whether it changed."""
        return self.run("export")


def nothing_new(counts, what):
    if any(counts[name] for name in NEW):
        yield f"{what}: {counts}"


def home_case(name, maker):
    def this_case(stores):
        with Place(stores) as place:
            home = maker.make(place.home)
            counts = place.take(home["root"])
            yield from place.check(home)
            if counts["bad"] != home["bad"]:
                yield f"bad: {counts}"
            before = place.rows()
            yield from nothing_new(place.take(home["root"]), "the second time")
            yield from nothing_new(place.take(home["root"], again=True), "read anew")
            if place.rows() != before:
                yield "importing again changed rows"
    this_case.__doc__ = f"{name}: a home becomes conversations, and importing it again changes nothing"
    case(this_case)


for title, module in HOMES.items():
    home_case(title, module)


@case
def _(stores):
    """a file that grows, cut anywhere, gives the same rows in the end"""
    for maker, number in ((home_codex, 1), (home_codex, 2), (home_cursor, 0)):
        with Place(stores) as place:
            home = maker.make(place.home)
            path, wanted = home["files"][number], home["sessions"][number]
            with open(path, "rb") as file:
                data = file.read()
            modified = os.stat(path).st_mtime
            for cut in [*range(100, len(data), 701), len(data)]:
                with open(path, "r+b") as file:
                    file.truncate(0)
                    file.write(data[:cut])
                os.utime(path, (modified, modified))
                place.take(path)
            place.take(*home["files"])
            yield from expect.differences(place.stored(wanted), wanted, strict_time=False)


@case
def _(stores):
    """Codex: compressed, archived, unpacked again: it stays one session"""
    with Place(stores) as place:
        home = home_codex.make(place.home)
        path, wanted = home["files"][1], home["sessions"][1]
        place.take(home["root"])
        with open(path, "rb") as file:
            data = file.read()
        with open(path + ".zst", "wb") as file:
            file.write(home_codex.zstd(data))
        os.unlink(path)
        yield from nothing_new(place.take(home["root"]), "compressed")
        archived = os.path.join(home["root"], "archived_sessions", os.path.basename(path) + ".zst")
        os.rename(path + ".zst", archived)
        yield from nothing_new(place.take(home["root"]), "archived")
        os.unlink(archived)
        more = home_codex.text_of([home_codex.said(20, "user", "after all"), home_codex.event(20, "user_message", message="after all")])
        with open(path, "wb") as file:
            file.write(data + b"\n" + more.encode())
        counts = place.take(home["root"])
        if counts["messages"] != 1 or counts["updated"]:
            yield f"unpacked and gone on: {counts}"
        wanted["messages"].append(expect.message("user", "after all"))
        yield from expect.differences(place.stored(wanted), wanted)


@case
def _(stores):
    """opencode: a reply that goes on, while its writer has the file open, replaces what was there"""
    with Place(stores) as place:
        home = home_opencode.make(place.home)
        place.take(home["root"])
        home["writer"].update_part("prt_0009", 650_000, **home_opencode.tool(
            "call_3", "bash", "completed", input={"command": "sleep"}, output="slept", time={"start": 1, "end": home_opencode.T0 + 700_000}))
        counts = place.take(home["root"])
        if counts["messages"] != 1:
            yield f"after the change: {counts}"
        messages = place.stored(home["sessions"][0])["messages"]
        if [m.get("content") for m in messages].count("slept") != 1:
            yield f"{messages}"
        if "oc-secret" in place.rows():
            yield "a secret was taken"


@case
def _(stores):
    """stele import takes a home, and says what it took"""
    with Place(stores) as place:
        home = home_codex.make(place.home)
        counts = json.loads(place.run("import", home["root"], "--into-foreign", "--json"))
        if counts["bad"] != home["bad"] or counts["sessions"] != len(home["sessions"]):
            yield f"{counts}"
        yield from place.check(home)
        shown = place.run("show", home_codex.thread(2))
        if "fix the tést" not in shown or "Going on." not in shown:
            yield f"shown: {shown}"


@case
def _(stores):
    """auto finds all homes, also where variables moved them"""
    with Place(stores) as place:
        wanted = []
        for maker in (home_codex, home_cursor, home_opencode):
            wanted += maker.make(place.home)["sessions"]
        moved = os.path.join(place.path, "elsewhere")
        os.rename(os.path.join(place.home, ".codex"), moved)
        place.take(home=place.home, environment={"CODEX_HOME": moved})
        for session in wanted:
            yield from expect.differences(place.stored(session), session)


def main():
    engines = [doors.Sqlite()]
    if os.environ.get("STELE_WITHOUT_POSTGRES") != "1":
        engines.append(doors.Postgres(["conversation"]))
    failed = False
    for engine in engines:
        with engine as stores:
            for function in CASES:
                wrong = list(function(stores))
                failed = failed or bool(wrong)
                print(f"{'not ok' if wrong else 'ok'} - {engine.engine}: {function.__doc__.strip()}")
                for line in wrong:
                    print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
