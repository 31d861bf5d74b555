#!/usr/bin/env python3
"""What people get: tables that fit, pages of lists, a pager, times as they are said, and nothing deleted by mistake.
Prints TAP."""

import contextlib
import datetime
import fcntl
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
import time
import unicodedata

from place import BIN, Place, engines, has, in_terminal, lacks, main, same, test

DAY = 86400


def session(place, name, age=0.0, where=(), **more):
    """A session of some days ago, ended."""
    start = time.time() - age * DAY
    place.run(*where, "call", "conversation.create_session", json.dumps({"session_id": name, "source": "cli", "started_at": start, **more}))
    place.run(*where, "call", "conversation.append_message",
              json.dumps({"session_id": name, "role": "user", "content": f"word {name}", "timestamp": start}))
    place.run(*where, "call", "conversation.end_session", json.dumps({"session_id": name, "end_reason": "done", "ended_at": start + 1}))


def columns_of(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in line)


# ---- Tables ------------------------------------------------------------------------------------

@test("tables fit the terminal, whatever is in them; the least important column gives way first")
def _():
    with Place() as place:
        for number, title in enumerate(("雪" * 60, "🙂" * 50, "e\u0301" * 70, "plain " * 20, "x")):
            session(place, f"20260131_12000{number}_a1b2c3", model="a-model-with-a-long-name-2026")
            place.call("conversation.set_session_title", {"session_id": f"20260131_12000{number}_a1b2c3", "title": title})
        heads = {}
        for width in (20, 40, 50, 60, 80, 100, 200):
            for words in (["sessions"], ["status"], ["token", "list"]):
                status, shown = in_terminal(place, *words, "--no-color", columns=width)
                same(status, 0)
                table = shown.split("\n\n")[0].splitlines()
                same([(width, line) for line in table if columns_of(line) > width and not line.startswith("note")], [])
                if words == ["sessions"]:
                    heads[width] = table[0].split("  ")
                    same(len([line for line in table if not line.startswith("note")]), 6)
        same("MODEL" in " ".join(heads[200]), True)
        same("MODEL" in " ".join(heads[80]), False)
        same("SOURCE" in " ".join(heads[80]), True)
        same("SESSION" in " ".join(heads[40]) and "TITLE" in " ".join(heads[40]), True)


@test("--plain: a line per row, tabs between, nothing cut, no headings, exact times")
def _():
    with Place() as place:
        place.call("conversation.create_session", {"session_id": "s", "source": "cli", "started_at": 1769860800})
        place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": "a\tb " * 60, "timestamp": 1769860800})
        done = place.run("sessions", "--plain", env={"COLUMNS": "40"})
        [line] = done.out.splitlines()
        cells = line.split("\t")
        same((cells[0], cells[2], cells[3], cells[4], cells[5]), ("s", "cli", "", "1", "2026-01-31T12:00:00+0000"))
        same(in_terminal(place, "sessions", "--plain")[1], done.out)
        same(place.run("search", "a", "--plain").out.count("\t"), 5)
        same(len(place.run("status", "--plain").out.splitlines()), len(place.run("status", "--json").reply()))


# ---- Lists -------------------------------------------------------------------------------------

def walk(place, *words):
    """Follow the notes from page to page."""
    pages = []
    while words:
        done = place.run(*words)
        same(done.status, 0)
        pages.append(done.out)
        note = re.search(r"^note: there is more: stele (.*)$", done.err, re.M)
        words = shlex.split(note.group(1)) if note else None
    return pages


def walk_json(place, *words):
    items, cursor = [], "start"
    while cursor is not None:
        page = place.run(*words, "--json", "--cursor", cursor).reply()
        same(list(page), ["items", "next"])
        items.append(page["items"])
        cursor = page["next"]
    return items


@engines("lists come in pages: a note tells the next, JSON has its cursor")
def _(place, where):
    for number in range(5):
        session(place, f"s{number}", age=number, where=where)
    pages = walk(place, *where, "sessions", "--limit", "2")
    same([re.findall(r"^s\d", page, re.M) for page in pages], [["s0", "s1"], ["s2", "s3"], ["s4"]])
    same([[row["id"] for row in page] for page in walk_json(place, *where, "sessions", "--limit", "2")],
         [["s0", "s1"], ["s2", "s3"], ["s4"]])
    same([len(page) for page in walk_json(place, *where, "sessions", "--limit", "5")], [5])
    pages = walk(place, *where, "search", "word", "--sort", "oldest", "--limit", "3", "--offset=0")
    same([re.findall(r"^s\d", page, re.M) for page in pages], [["s4", "s3", "s2"], ["s1", "s0"]])
    same([len(page) for page in walk_json(place, *where, "search", "word", "--limit", "3")], [3, 2])
    for number in range(4):
        place.run(*where, "call", "conversation.append_message", json.dumps({"session_id": "s0", "role": "user", "content": str(number)}))
    same([len(page) for page in walk_json(place, *where, "show", "s0", "--limit", "2")], [2, 2, 1])
    same([page.count("──") for page in walk(place, *where, "show", "s0", "--limit", "2")], [2, 2, 1])
    for name in "abc":
        place.run(*where, "token", "create", name)
    same([[row["name"] for row in page] for page in walk_json(place, *where, "token", "list", "--limit", "2")], [["c", "b"], ["a"]])
    same(len(place.run(*where, "token", "list", "--json", "--limit", "2").reply()), 2)
    same(len(walk(place, *where, "token", "list", "--limit", "1")), 3)
    place.run(*where, "sessions", "--cursor", "nonsense", "--json").error(2, "INVALID")
    place.run(*where, "sessions", "--cursor", "p1", "--offset", "1", "--json").error(2, "INVALID")


# ---- The pager ---------------------------------------------------------------------------------

@test("long output goes through the pager on a terminal, and nowhere else")
def _():
    with Place() as place:
        session(place, "s")
        pager = {"PAGER": "sed s/^/P:/"}
        status, shown = in_terminal(place, "show", "s", "--no-color", env=pager)
        same((status, [line for line in shown.splitlines() if not line.startswith("P:")]), (0, []))
        has(shown, "P:word s")
        same(in_terminal(place, "show", "s", env={"PAGER": "false", "STELE_PAGER": "sed s/^/Q:/"})[1].startswith("Q:"), True)
        lacks(in_terminal(place, "show", "s", "--no-pager", env=pager)[1], "P:")
        lacks(in_terminal(place, "show", "s", "--json", env=pager)[1], "P:")
        lacks(in_terminal(place, "show", "s", env={"PAGER": ""})[1], "P:")
        lacks(in_terminal(place, "call", "stele.version", env=pager)[1], "P:")
        lacks(place.run("show", "s", env=pager).out, "P:")
        has(in_terminal(place, "search", "-h", env=pager)[1], "P:  stele search")


@test("notes come after what the pager showed; a pager that ends early is no failure")
def _():
    with Place() as place:
        for number in range(3):
            session(place, f"s{number}")
        status, shown = in_terminal(place, "sessions", "--limit", "1", "--no-color", env={"PAGER": "sed s/^/P:/"})
        lines = shown.splitlines()
        same((status, [line[:2] for line in lines]), (0, ["P:", "P:", "no"]))
        same(in_terminal(place, "methods", "--man", env={"PAGER": "true"})[0], 0)
        status, shown = in_terminal(place, "show", "nobody", env={"PAGER": "sed s/^/P:/"})
        same((status, shown.startswith("stele: there is no session nobody")), (1, True))


@test("less is the usual pager: what fits is just shown")
def _():
    with Place() as place:
        session(place, "s")
        status, shown = in_terminal(place, "show", "s", "--no-color", env={"PAGER": None, "LESS": None})
        same(status, 0)
        has(shown, "word s")


# ---- Times -------------------------------------------------------------------------------------

@test("times as they are said, wherever an option takes one")
def _():
    with Place() as place:
        zone = "Europe/Lisbon"

        def since(text, command=("stats",)):
            return place.run(*command, "--since", text, "--json", env={"TZ": zone}).reply()["since"]

        now = time.time()
        for text, age in (("90s", 90), ("3h ago", 3 * 3600), ("3 hours ago", 3 * 3600), ("2 days", 2 * DAY), ("1 week ago", 7 * DAY),
                          ("2mo", 60 * DAY), ("1 year ago", 365 * DAY), ("15 MIN", 900)):
            same(abs(now - age - since(text)) < 30, True)
        os.environ["TZ"] = zone
        time.tzset()
        try:
            today = datetime.datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
            yesterday = today - datetime.timedelta(days=1)
            same(since("today"), today.timestamp())
            same(since("yesterday"), yesterday.timestamp())
            same(since("yesterday 18:30"), yesterday.replace(hour=18, minute=30).timestamp())
            same(since("yesterday 6pm"), yesterday.replace(hour=18).timestamp())
            same(since("00:00"), today.timestamp())
            monday = today - datetime.timedelta(days=today.weekday())
            same((since("monday"), since("mon"), since("Monday")), (monday.timestamp(),) * 3)
            same(since("2026-01-31 18:30"), datetime.datetime(2026, 1, 31, 18, 30).timestamp())
        finally:
            del os.environ["TZ"]
            time.tzset()
        same(since("2026-01-31T18:30:00Z"), 1769884200)
        same(since("2026-01-31T18:30:00+02:00"), 1769884200 - 7200)
        same(since("1769884200"), 1769884200)


@test("a token's --expires counts from now on")
def _():
    with Place() as place:
        for text, days in (("90d", 90), ("in 2 weeks", 14)):
            place.run("token", "create", text, "--expires", text)
            [row] = [row for row in place.run("token", "list", "--json").reply() if row["name"] == text]
            same(abs(row["expires_at"] - time.time() - days * DAY) < 60, True)


# ---- What deletes ------------------------------------------------------------------------------

def ids(place, where):
    return sorted(row["id"] for row in place.run(*where, "sessions", "--all", "--limit", "-1", "--json").reply())


@engines("delete: a dry run changes nothing, --yes does it, all or none")
def _(place, where):
    for name in ("a", "b", "c"):
        session(place, name, where=where)
    done = place.run(*where, "delete", "a", "b", "--dry-run")
    same((done.status, done.out), (0, "a with 1 message would be deleted\nb with 1 message would be deleted\n"))
    same(done.err, "note: a dry run: nothing was changed\n")
    same(ids(place, where), ["a", "b", "c"])
    done = place.run(*where, "delete", "a")
    same((done.status, done.out), (2, ""))
    has(done.err, "--yes", "--dry-run")
    place.run(*where, "delete", "a", "nobody", "--yes", "--json").error(1, "NOTFOUND")
    same(ids(place, where), ["a", "b", "c"])
    same(place.run(*where, "delete", "a", "b", "--yes", "--json").reply(),
         [{"session_id": "a", "deleted": 1, "messages": 1}, {"session_id": "b", "deleted": 1, "messages": 1}])
    same(ids(place, where), ["c"])


@engines("prune: what is old and has ended")
def _(place, where):
    session(place, "old", 200, where)
    session(place, "new", 10, where)
    place.run(*where, "call", "conversation.create_session", '{"session_id":"running","source":"cli","started_at":1000}')
    done = place.run(*where, "prune", "--dry-run")
    same((done.status, done.out), (0, "1 session with 1 message would be deleted\n"))
    same(place.run(*where, "prune", "--older-than", "5d", "--dry-run", "--json").reply(), {"pruned": 2, "messages": 2})
    same(place.run(*where, "prune", "--older-than", "1y", "--yes", "--json").reply(), {"pruned": 0, "messages": 0})
    same(place.run(*where, "prune").status, 2)
    place.run(*where, "prune", "--older-than", "soon", "--json").error(2, "INVALID")
    same(ids(place, where), ["new", "old", "running"])
    same(place.run(*where, "prune", "--yes").out, "1 session with 1 message deleted\n")
    same(ids(place, where), ["new", "running"])


def answer(place, text, *words):
    """Run on a terminal and type an answer."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
    process = subprocess.Popen([BIN, *words], env=place.environment({}), stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    while b"[y/N]" not in shown:
        shown += os.read(master, 65536)
    os.write(master, text.encode())
    with contextlib.suppress(OSError):
        while chunk := os.read(master, 65536):
            shown += chunk
    os.close(master)
    return process.wait(60), shown.decode()


@test("on a terminal a question is asked, and only yes is yes")
def _():
    with Place() as place:
        session(place, "a")
        place.call("conversation.set_session_title", {"session_id": "a", "title": "The first"})
        status, shown = answer(place, "\n", "delete", "a")
        same(status, 1)
        has(shown, "Delete The first (a), 1 message? [y/N]", "nothing was changed")
        same(ids(place, ()), ["a"])
        status, shown = answer(place, "n\n", "prune", "--older-than", "0")
        has(shown, "Delete 1 session with 1 message, started more than 0 days ago?")
        same((status, ids(place, ())), (1, ["a"]))
        same((answer(place, "y\n", "delete", "a")[0], ids(place, ())), (0, []))


@engines("call --dry-run: the reply of the call, and the store as it was")
def _(place, where):
    session(place, "a", where=where)
    before = place.run(*where, "export").out
    done = place.run(*where, "call", "--dry-run", "conversation.delete_session", '{"session_id":"a"}', "--json")
    same(done.reply(), {"deleted": 1, "messages": 1})
    has(place.run(*where, "call", "--dry-run", "conversation.clear_messages", '{"session_id":"a"}').err, "a dry run: nothing was changed")
    same(place.run(*where, "call", "--dry-run", "conversation.session_count", "--json").reply(), {"count": 1})
    place.run(*where, "call", "--dry-run", "conversation.append_message", '{"session_id":"b","role":"user"}', "--json").error(1, "NOTFOUND")
    error = place.run(*where, "call", "--dry-run", "conversation.prune_sessions", "--json").error(1, "UNSUPPORTED")
    has(error["hint"], '"dry_run":true')
    place.run(*where, "call", "--dry-run", "conversation.vacuum", "--json").error(1, "UNSUPPORTED", hint=None)
    place.run(*where, "call", "--dry-run", "stele.backup", "--json").error(1, "UNSUPPORTED")
    same(place.run(*where, "export").out, before)
    same(os.path.exists(place.at("home", "backups")), False)


@engines("token revoke --dry-run leaves the token")
def _(place, where):
    place.run(*where, "token", "create", "x")
    same(place.run(*where, "token", "revoke", "1", "--dry-run").status, 0)
    same(place.run(*where, "token", "list", "--json").reply()[0]["revoked_at"], None)
    place.run(*where, "token", "revoke", "2", "--dry-run", "--json").error(1, "NOTFOUND")
    same(place.run(*where, "token", "revoke", "1").status, 0)
    same(place.run(*where, "token", "list", "--json").reply()[0]["revoked_at"] is None, False)


@engines("rename and archive")
def _(place, where):
    session(place, "a", where=where)
    session(place, "b", where=where)
    same(place.run(*where, "rename", "a", "Lisbon", "--json").reply(), {"updated": True, "title": "Lisbon"})
    place.run(*where, "rename", "b", "Lisbon", "--json").error(2, "INVALID")
    same(place.run(*where, "rename", "Lisbon", "").status, 0)
    same(place.run(*where, "archive", "a", "--json").reply(), {})
    same([row["id"] for row in place.run(*where, "sessions", "--json").reply()], ["b"])
    same(ids(place, where), ["a", "b"])
    has(place.run(*where, "archive", "a", "--undo").err, "a is listed again")
    same(len(place.run(*where, "sessions", "--json").reply()), 2)
    place.run(*where, "archive", "nobody", "--json").error(1, "NOTFOUND")


# ---- stats and status --------------------------------------------------------------------------

@engines("stats: sums, lines over time, bars; with ASCII where that is all there is")
def _(place, where):
    for number, (age, tokens, model) in enumerate(((0.01, 100, "big"), (1, 2000, "big"), (20, 30000, "small"), (90, 500000, "small"))):
        session(place, f"s{number}", age, where, model=model)
        place.run(*where, "call", "conversation.update_token_counts",
                  json.dumps({"session_id": f"s{number}", "input_tokens": tokens, "estimated_cost_usd": 0.25}))
    done = place.run(*where, "stats")
    same((done.status, done.err), (0, ""))
    has(done.out, "3 sessions, 3 messages, 32.1 k tokens, $0.75", "By day", "max 1\n", "max 30.0 k", "Models", "small", "big", "Sources",
        "cli", "Most tokens", "s2", "█")
    lacks(done.out, "500.0 k")
    has(place.run(*where, "stats", "--since", "1y").out, "By week", "532.1 k tokens", "$1.00")
    plain = place.run(*where, "stats", env={"LC_ALL": "C"})
    same(plain.out.isascii(), True)
    has(plain.out, "#")
    reply = place.run(*where, "stats", "--since", "30d", "--by", "month", "--json").reply()
    same((reply["bucket"], sum(row["sessions"] for row in reply["usage"])), ("month", 3))
    same([row["model"] for row in reply["models"]], ["big", "small"])
    place.run(*where, "stats", "--by", "year", "--json").error(2, "INVALID", field="bucket")
    place.run(*where, "stats", "--since", "now", "--until", "yesterday", "--json").error(2, "INVALID")


@test("stats fits the terminal, and says little where there is little")
def _():
    with Place() as place:
        same(place.run("stats").out.splitlines()[0], "0 sessions, 0 messages, 0 tokens")
        for number in range(30):
            session(place, f"s{number}", number * 3, model="模型" * 20 if number % 2 else "model-" * 8)
        for width in (60, 80, 120):
            status, shown = in_terminal(place, "stats", "--since", "5y", "--no-color", columns=width)
            same((status, [line for line in shown.splitlines() if columns_of(line) > width]), (0, []))


@engines("status: what is in the stores, in human units")
def _(place, where):
    session(place, "a", where=where)
    done = place.run(*where, "status")
    same((done.status, done.err), (0, ""))
    has(done.out, "conversations: 1 session, 1 message, 0 tokens", "all together: ", "; stele ", "search index: 1 message to take in")
    place.run(*where, "index")
    has(place.run(*where, "status").out, "up to date")


# ---- The time line -----------------------------------------------------------------------------

@engines("the time line, page by page, with times as people say them")
def _(place, where):
    for number in range(3):
        done = place.call("capture.insert_event", {"terminal": "t", "command": f"make {number}", "exit_code": number, "cwd": place.path, "hostname": "h",
                                                   "shell": "zsh", "timestamp": time.time() - 3600 * (3 - number) - 60}, *where)
        same(done.status, 0)
    page = place.run("timeline", "--limit", "2", *where)
    same(page.status, 0)
    same([re.sub("  +", "|", line).split("|")[:4] for line in page.out.splitlines()],
         [["WHEN", "SOURCE", "WHAT", "OUTCOME"], ["1 h ago", "shell", "make 2", "failed"], ["2 h ago", "shell", "make 1", "failed"]])
    more = re.search("there is more: stele (.*)", page.err)[1]
    has(place.run(*shlex.split(more)).out, "3 h ago", "make 0", "ok")
    same([row["exit_code"] for row in place.run("timeline", "--project", ".", "--since", "150m", "--json", *where, cwd=place.path).reply()], [2, 1])
    same(place.run("timeline", "--project", "elsewhere", *where).err, "note: nothing happened\n")
    has(place.run("timeline", "--kind", "mail", *where).err, "kinds")


if __name__ == "__main__":
    sys.exit(main())
