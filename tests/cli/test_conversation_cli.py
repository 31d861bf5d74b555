#!/usr/bin/env python3
"""Conversations on the command line: sessions, show, search, export, import, index, reindex.  Prints TAP."""

import contextlib
import datetime
import json
import os
import re
import resource
import shlex
import signal
import sqlite3
import stat
import subprocess
import sys
import time

from place import BIN, Database, Place, SANITIZED, TESTS, WITHOUT_POSTGRES, has, in_terminal, lacks, main, same, test

LISBON = "20260131_120000_a1b2c3"
OSLO = "20260201_080000_d4e5f6"
CALLS = [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Lisbon"}'}}]
SAID = [
    (LISBON, {"role": "user", "content": "What is the weather in Lisbon?", "timestamp": 1769860805}),
    (LISBON, {"role": "assistant", "content": None, "tool_calls": CALLS, "reasoning": "Lisbon?\nThe tool knows.",
              "timestamp": 1769860806}),
    (OSLO, {"role": "user", "content": "天気予報を教えて", "timestamp": 1769932801}),
    (LISBON, {"role": "tool", "tool_name": "weather", "tool_call_id": "c1", "content": "sunny, 17 °C\n\tlittle wind",
              "timestamp": 1769860807}),
    (LISBON, {"role": "assistant", "content": "Sunny and 17 °C, with little wind.", "timestamp": 1769860808}),
    (OSLO, {"role": "user", "timestamp": 1769932802,
            "content": [{"type": "text", "text": "Is this a snow cloud?"},
                        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}),
]


class Home:
    """A home of the test's own, with two conversations unless it is to be empty."""

    def __init__(self, place, *where):
        self.place, self.where = place, where

    def run(self, *words, **more):
        return self.place.run(*self.where, *words, **more)

    def call(self, method, args=None):
        return self.place.call(f"conversation.{method}", args, *self.where).reply()

    def fill(self):
        self.call("create_session", {"session_id": LISBON, "source": "cli", "model": "m-1", "started_at": 1769860800,
                                     "model_config": {"temperature": 0.5}, "system_prompt": "Be \"brief\"."})
        self.call("create_session", {"session_id": OSLO, "source": "telegram", "started_at": 1769932800,
                                     "parent_session_id": LISBON})
        for session, message in SAID:
            self.call("append_message", {"session_id": session, **message})
        self.call("set_session_title", {"session_id": LISBON, "title": "Weather in Lisbon"})
        return self


def engine_test(name):
    """A test with a home of each engine; of one of them in turn where a sanitizer watches."""
    def keep(function):
        first = len(TESTS) % 2 == 0 or WITHOUT_POSTGRES
        if first or not SANITIZED:
            @test(f"{name} (SQLite)")
            def _():
                with Place() as place:
                    function(Home(place).fill())

        if not WITHOUT_POSTGRES and not (first and SANITIZED):
            @test(f"{name} (PostgreSQL)")
            def _():
                with Place() as place, Database() as database:
                    function(Home(place, "--database", database.url).fill())
    return keep


# ---- sessions ----------------------------------------------------------------------------------

@engine_test("sessions: a table, the latest first, titles or else the first message")
def _(home):
    done = home.run("sessions", "--all")
    same((done.status, done.err), (0, ""))
    head, oslo, lisbon = done.out.splitlines()
    same(head.split(), ["SESSION", "TITLE", "SOURCE", "MODEL", "MSGS", "LAST", "ACTIVE"])
    same(re.split("  +", oslo), [OSLO, "天気予報を教えて", "telegram", "-", "2", "2026-02-01 08:00"])
    same(re.split("  +", lisbon), [LISBON, "Weather in Lisbon", "cli", "m-1", "4", "2026-01-31 12:00"])
    same(len(home.run("sessions").out.splitlines()), 2)  # the other one is a child


@engine_test("sessions: filters, limits and JSON")
def _(home):
    def ids(*words):
        return [row["id"] for row in home.run("sessions", "--all", "--json", *words).reply()]

    same(ids(), [OSLO, LISBON])
    same(ids("--limit", "1"), [OSLO])
    same(ids("--limit", "1", "--offset", "1"), [LISBON])
    same(ids("--limit", "0"), [])
    same(ids("--limit", "-1"), [OSLO, LISBON])
    same(ids("--source", "cli"), [LISBON])
    same(ids("--source", "nowhere"), [])
    same(home.run("sessions", "--json").reply(), home.call("list_sessions_rich", {"order_by_last_active": True}))
    home.call("set_session_archived", {"session_id": LISBON})
    same(home.run("sessions", "--json").reply(), [])
    same(ids(), [OSLO, LISBON])


@test("sessions: times near now are told from now")
def _():
    with Place() as place:
        home = Home(place)
        for number, age in enumerate((5, 65, 2 * 3600 + 5, 86400 + 5, 3 * 86400 + 5, 8 * 86400)):
            home.call("create_session", {"session_id": str(number), "source": "cli", "started_at": time.time() - age})
        lines = home.run("sessions").out.splitlines()[1:]
        same([re.split("  +", line)[-1] for line in lines[:5]],
             ["just now", "1 min ago", "2 h ago", "1 day ago", "3 days ago"])
        same(bool(re.search(r"  \d{4}-\d\d-\d\d \d\d:\d\d$", lines[5])), True)


@test("sessions: nothing yet, a bad number, an unknown option")
def _():
    with Place() as place:
        done = place.run("sessions")
        same((done.status, done.out, done.err), (0, "", "note: there are no sessions\n"))
        same(place.run("sessions", "--json").reply(), [])
        for value in ("x", "", "1.5", "1e3", "9" * 19, " 1"):
            error = place.run("sessions", "--limit", value, "--json").error(2, "INVALID")
            same(error["message"], f"--limit must be a whole number, not {value}")
        place.run("sessions", "--offset", "-1", "--json").error(2, "INVALID", field="offset")
        place.run("sessions", "--source", b"\xff", "--json").error(2, "INVALID")
        same(place.run("sessions", "--role", "user").err, "stele: sessions takes no --role\n  usage: stele sessions\n")
        same(place.run("sessions", "--limt", "3").err, "stele: there is no option --limt\n  did you mean --limit?\n")
        same(place.run("sessions", "--limit").err, "stele: --limit needs N\n")


@test("sessions: a table no wider than the terminal, whatever the title")
def _():
    with Place() as place:
        home = Home(place).fill()
        home.call("set_session_title", {"session_id": OSLO, "title": "雪" * 60})
        for columns in (70, 90):
            status, shown = in_terminal(place, "sessions", "--all", columns=columns)
            lines = re.sub(r"\x1b\[\d*m", "", shown).splitlines()
            same((status, len(lines)), (0, 3))
            same([line for line in lines if len(line) + line.count("雪") > columns], [])
            has(lines[1], OSLO, "…")


# ---- show --------------------------------------------------------------------------------------

BY_WORDS = "note: searched by words alone: no embedding model is configured (`stele help model`)\n"
SHOWN = f"""\
Weather in Lisbon
{LISBON}, cli, m-1, 2026-01-31 12:00, 4 messages

── user  2026-01-31 12:00:05
What is the weather in Lisbon?

── assistant  2026-01-31 12:00:06
∴ Lisbon? The tool knows.
→ weather {{"city":"Lisbon"}}

── tool weather  2026-01-31 12:00:07
sunny, 17 °C
	little wind

── assistant  2026-01-31 12:00:08
Sunny and 17 °C, with little wind.
"""


@engine_test("show: by id, by the beginning of an id, by title")
def _(home):
    done = home.run("show", LISBON)
    same((done.status, done.err, done.out), (0, "", SHOWN))
    for what in ("20260131", LISBON[:-1], LISBON.upper(), "Weather in Lisbon"):
        same(home.run("show", what).out, SHOWN)
    same(home.run("show", "202602", "--json").reply(), home.call("get_messages", {"session_id": OSLO}))
    has(home.run("show", OSLO).out, "天気予報を教えて\n", "Is this a snow cloud?\n[image_url]\n")


@engine_test("show: a session that is not there, or not the only one")
def _(home):
    for what in ("nobody", "2026", "weather in lisbon", "%"):
        done = home.run("show", what)
        same((done.status, done.out, done.err.splitlines()[0]), (1, "", f"stele: there is no session {what}"))
        has(done.err, "`stele sessions` lists them")
    home.run("show", "nobody", "--json").error(1, "NOTFOUND")
    home.run("show", "", "--json").error(2, "INVALID")
    home.run("show", b"\xff", "--json").error(2, "INVALID")
    same(home.run("show").status, 2)


@engine_test("show: limits")
def _(home):
    done = home.run("show", LISBON, "--limit", "2")
    same(done.status, 0)
    note = re.fullmatch(r"note: there is more: stele (.*)\n", done.err).group(1)
    has(home.place.run(*shlex.split(note)).out, SHOWN.split("── ")[3], SHOWN.split("── ")[4])
    same(done.out, SHOWN.split("\n── tool")[0])
    same(home.run("show", LISBON, "--limit", "2", "--quiet").err, "")
    for limit in ("4", "1000000000000"):
        done = home.run("show", LISBON, "--limit", limit)
        same((done.out, done.err), (SHOWN, ""))
    same(len(home.run("show", LISBON, "--limit", "3", "--json").reply()), 3)
    for words in (["--limit", "0"], ["--limit", "-1"], ["--limit", "x"]):
        home.run("show", LISBON, "--json", *words).error(2, "INVALID")
        same(home.run("show", LISBON, *words).out, "")


@test("show: more messages than are read at a time, in their order")
def _():
    with Place() as place:
        home = Home(place)
        home.call("create_session", {"session_id": "long", "source": "cli"})
        messages = [{"role": "user", "content": f"number {n}", "timestamp": 1000 - n} for n in range(250)]
        home.call("replace_messages", {"session_id": "long", "messages": messages})
        for limit in (99, 100, 101, 200, 250):
            shown = re.findall(r"^number (\d+)$", home.run("show", "long", "--limit", str(limit)).out, re.M)
            same(shown, [str(n) for n in range(limit)])
        same(home.run("show", "long").out.count("── user"), 250)


@test("show: what messages hold, as it is in a pipe, and harmless on a terminal")
def _():
    with Place() as place:
        home = Home(place)
        home.call("create_session", {"session_id": "odd", "source": "c\x1bli", "model": "m\nodel"})
        long_call = {"name": "to\x1bol", "input": {"a": ["x" * 500, "\u0007"]}}
        for message in ({"content": "a\x1b[31mred\ttab\nnew \u202e line\u0000end"}, {"content": ""}, {"content": "ends\n"},
                        {"content": ["plain", {"type": "te\x1bxt", "text": "é \ud83d\ude00 \"q\""}, {"no": 1}, 7]},
                        {"content": {"an": ["object"]}}, {"content": 5},
                        {"content": "x", "tool_calls": [long_call, {}, "text"]}, {"role": "ro\nle", "tool_name": "t\x07"}):
            home.call("append_message", {"session_id": "odd", "role": "user", **message})
        done = home.run("show", "odd")
        same((done.status, done.err), (0, ""))
        has(done.out, "a\x1b[31mred\ttab\nnew \u202e line\ufffdend\n", "\nends\n\n", "plain\né 😀 \"q\"\n[?]\n[?]\n",
            '{"an":["object"]}\n', "\n5\n", "→ to?ol {\"a\":[\"xxxxx", "…\n→ ? \n→ ? \n", "── ro le t?  2", "odd, c?li, m odel, ")
        status, shown = in_terminal(place, "show", "odd", "--no-color", columns=60)
        same(status, 0)
        lacks(shown, "\x1b", "\x07", "\u202e")
        has(shown, "a?[31mred\ttab\nnew ? line\ufffdend\n")
        same([line for line in shown.splitlines() if line.startswith("→") and len(line) > 60], [])
        same(home.run("show", "odd", env={"LC_ALL": "C"}).out.splitlines()[2][:7], "-- user")


@test("show: a reader who goes away, and a full device")
def _():
    with Place() as place, open("/dev/full", "wb") as full:
        home = Home(place).fill()
        for words in (["show", LISBON], ["search", "weather"], ["export"], ["sessions"]):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run([BIN, *words], env=place.environment({}), stdout=write, stderr=subprocess.PIPE,
                                  restore_signals=False)
            os.close(write)
            same((done.returncode, done.stderr), (1, b""))
            done = subprocess.run([BIN, *words], env=place.environment({}), stdout=full, stderr=subprocess.PIPE)
            same(done.returncode, 1)
            has(done.stderr.decode(), "No space left")
        same(home.call("session_count"), {"count": 2})


# ---- search ------------------------------------------------------------------------------------

def recall(home, arguments):
    return home.run("call", "recall.search", json.dumps(arguments), "--quiet").reply()


@engine_test("search: blocks with the session, who, when, and the match")
def _(home):
    done = home.run("search", "sunny", "wind", "--role", "assistant")
    same((done.status, done.err), (0, ""))
    same(done.out, f"{LISBON}  assistant  conversation/message/5  2026-01-31 12:00\n  >>>Sunny<<< and 17 °C, with little >>>wind<<<.\n")
    done = home.run("search", "little wind", "--role", "tool")
    same(done.out, f"{LISBON}  tool weather  conversation/message/4  2026-01-31 12:00\n  sunny, 17 °C  >>>little<<< >>>wind<<<\n")
    same(len(home.run("search", "weather").out.split("\n\n")), 3)
    done = home.run("search", "zebra", "quagga")
    same((done.status, done.out, done.err), (0, "", BY_WORDS + "note: nothing was found\n"))


@engine_test("search: JSON is the reply of the method, and words are joined by spaces")
def _(home):
    for words, query in ((["weather"], "weather"), (["little", "wind"], "little wind"), (['"little wind"'], '"little wind"'),
                         (["sunny", "OR", "snow"], "sunny OR snow"), (["天気"], "天気"), (["報"], "報"), (["zzz"], "zzz")):
        same(home.run("search", *words, "--json").reply(), recall(home, {"query": query, "limit": 20}))
    [hit] = home.run("search", "天", "--json").reply()
    same((hit["session"], hit["snippet"]), (OSLO, ">>>天<<<気予報を教えて"))


@engine_test("search: inside of words, on its own with a note, or when asked")
def _(home):
    done = home.run("search", "unn", "--role", "assistant")
    same((done.status, done.err), (0, 'note: nothing has the word "unn": found inside of words\n'))
    same(done.out, f"{LISBON}  assistant  conversation/message/5  2026-01-31 12:00\n  S>>>unn<<<y and 17 °C, with little wind.\n")
    done = home.run("search", "--substring", "unn", "--role", "assistant", "--json")
    same((done.err, [hit["snippet"] for hit in done.reply()]), ("", ["S>>>unn<<<y and 17 °C, with little wind."]))
    same(done.reply(), recall(home, {"query": "unn", "match": "substrings", "roles": ["assistant"]}))
    done = home.run("search", "--substring", "ny")
    same((done.status, done.out), (0, ""))
    has(done.err, "note: words of less than 3 characters", "note: nothing was found")


@engine_test("search: filters, order and limits")
def _(home):
    def ids(*words):
        return [int(row["id"]) for row in home.run("search", *words, "--json").reply()]

    same(sorted(ids("weather OR 天 OR cloud")), [1, 2, 3, 4, 6])
    same(ids("weather OR 天 OR cloud", "--sort", "oldest"), [1, 2, 4, 3, 6])
    same(ids("weather OR 天 OR cloud", "--sort", "newest"), [6, 3, 4, 2, 1])
    same(ids("weather OR 天 OR cloud", "--sort", "newest", "--limit", "2"), [6, 3])
    same(ids("weather OR 天 OR cloud", "--sort", "newest", "--limit", "2", "--offset", "2"), [4, 2])
    same(ids("weather", "--limit", "0"), [])
    same(ids("weather", "--role", "user"), [1])
    same(ids("weather", "--role", "user,tool", "--sort", "oldest"), [1, 4])
    same(ids("weather OR cloud", "--source", "telegram"), [6])
    same(len(ids("weather OR cloud", "--source", "telegram,cli")), 4)
    for session in (OSLO, "202602"):
        same(ids("weather OR cloud", "--session", session), [6])
    same(ids("weather OR cloud", "--session", "Weather in Lisbon", "--sort", "oldest"), [1, 2, 4])
    same(ids("weather OR cloud", "--since", "2026-02-01"), [6])
    same(ids("weather OR cloud", "--until", "2026-01-31 12:00:06"), [1])
    same(ids("weather OR cloud", "--since", "2026-01-31T12:00:06Z", "--until", "1769860807"), [2])
    same(ids("weather OR cloud", "--since", "2026-01-31T13:00:06+01:00", "--until", "2026-01-31T12:00:07"), [2])


@test("search: times as people say them")
def _():
    with Place() as place:
        home = Home(place)
        home.call("create_session", {"session_id": "s", "source": "cli"})
        now = time.time()
        midnight = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        for name, at in (("sec", now - 30), ("min", now - 600), ("hour", now - 7200), ("days", now - 6 * 86400),
                         ("weeks", now - 13 * 86400), ("today", midnight + 0.5), ("yesterday", midnight - 86399)):
            home.call("append_message", {"session_id": "s", "role": "user", "content": f"word {name}", "timestamp": at})

        def found(*words):
            rows = home.run("search", "word", "--json", *words).reply()
            return {row["snippet"].split()[-1] for row in rows} - ({"today", "yesterday"} if "--until" not in words else set())

        same(found("--since", "1m"), {"sec"})
        same(found("--since", "90s"), {"sec"})
        same(found("--since", "15m"), {"sec", "min"})
        same(found("--since", "2.5h"), {"sec", "min", "hour"})
        same(found("--since", "7d"), {"sec", "min", "hour", "days"})
        same(found("--since", "2w"), {"sec", "min", "hour", "days", "weeks"})
        same(found("--since", "now"), set())
        same("today" in found("--since", "today", "--until", "now") or midnight + 0.5 > now, True)
        same("yesterday" in found("--since", "yesterday", "--until", "today"), True)
        same("yesterday" in found("--since", "today", "--until", "now"), False)
        for value in ("x", "", "7x", "-1d", "nan", "infd", "someday", "7d later", "in 3 days ago", "25:00", "2026-13-01", "31.1.2026", "1.2.3"):
            error = place.run("search", "x", "--since", value, "--json").error(2, "INVALID")
            has(error["message"] + str(error["hint"]), "--since must be a time" if "T" not in value else "since", "7d")
        place.run("search", "x", "--until", "2026-01-31T99:00:00Z", "--json").error(2, "INVALID", field="until")
        local = place.run("search", "word", "--since", "2026-01-31 12:00", env={"TZ": "Asia/Tokyo"})
        same(local.status, 0)


@engine_test("search: any punctuation, quotes, other letters, garbage: an answer")
def _(home):
    for query in ("it's", "a/b.py", "user@host", "50%", "TODO: x", '"unbalanced', "AND", "OR NOT AND", "*", "((", "col:x",
                  "^a", "NEAR(a b)", "'; DROP TABLE messages; --", "\\", "é", "e\u0301", "猫 OR 犬", "😀", "\u202e", "\x01",
                  "\n", " ", "", "x" * 100_000, '"' * 2001, "a " * 20_000, "\ufffd", "(" * 5000 + ")" * 5000, "NOT NOT a"):
        done = home.run("search", "--json", "--", query)
        same((done.status, type(json.loads(done.out))), (0, list))
        same(home.run("search", "--", query).status, 0)
    same(len(home.run("search", "--json", "--quiet", "--", "-weather").reply()), 3)
    has(home.run("search", "-weather").err, "there is no option -weather", "`--` ends options")
    done = home.run("search", "sunny", "AND")
    same((done.status, done.out.count(">>>")), (0, 2))
    has(done.err, "note: ")
    same(home.run("search", "sunny", "AND", "--quiet").err, "")
    home.run("search", b"\xff", "--json").error(2, "INVALID")


@engine_test("search: wrong options, a session that is not there")
def _(home):
    home.run("search", "x", "--sort", "best", "--json").error(2, "INVALID", field="sort")
    home.run("search", "x", "--limit", "1001", "--json").error(2, "INVALID", field="limit")
    home.run("search", "x", "--limit", "-1", "--json").error(2, "INVALID", field="limit")
    home.run("search", "x", "--session", "nobody", "--json").error(1, "NOTFOUND")
    home.run("search", "x", "--role", b"\xff", "--json").error(2, "INVALID")
    home.run("search", "--json").error(2, "INVALID", hint="usage: stele search QUERY...")


@test("search: matches in colour on a terminal, with marks without one")
def _():
    with Place() as place:
        Home(place).fill()
        status, shown = in_terminal(place, "search", "sunny", "--role", "assistant")
        same(status, 0)
        has(shown, f"\x1b[1m{LISBON}\x1b[0m", "\x1b[1;31mSunny\x1b[0m and 17")
        lacks(shown, ">>>", "<<<")
        for words, env in ((["--no-color"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})):
            shown = in_terminal(place, "search", "sunny", "--role", "assistant", *words, env=env)[1]
            has(shown, ">>>Sunny<<< and 17")


# ---- export and import -------------------------------------------------------------------------

def other_home(home):
    """An empty home of the same engine."""
    return Home(home.place, "--home", home.place.at("other")) if not home.where else Home(
        home.place, *[f"--store=conversation={word}{'&' if '?' in word else '?'}schema=other" for word in home.where[1:]])


@engine_test("export: a line per session, as export_all tells it")
def _(home):
    done = home.run("export")
    same((done.status, done.err), (0, ""))
    rows = [json.loads(line) for line in done.out.splitlines()]
    same(rows, home.call("export_all"))
    same([row["id"] for row in rows], [LISBON, OSLO])
    same([len(row["messages"]) for row in rows], [4, 2])
    same(json.loads(home.run("export", "Weather in Lisbon").out), home.call("export_session", {"session_id": LISBON}))
    same([json.loads(line)["id"] for line in home.run("export", "--source", "telegram").out.splitlines()], [OSLO])
    same(home.run("export", "--source", "nowhere").out, "")
    home.run("export", "nobody", "--json").error(1, "NOTFOUND")
    home.run("export", LISBON, "--source", "cli", "--json").error(2, "INVALID")


@engine_test("export and import into another home: the same export, the same search")
def _(home):
    nul = "" if home.where else "\u0000"  # PostgreSQL keeps none
    home.call("append_message", {"session_id": OSLO, "role": "user", "content": f"nul {nul} \u2028 \x7f 😀 \\ \"",
                                 "timestamp": 1769932803.123456, "reasoning": "line\nline"})
    home.call("create_session", {"session_id": "empty", "source": "cli", "started_at": 1e9 + 0.1,
                                 "model_config": {"a": [1.0, 1e300, -0.5], "b": "\n"}})
    home.call("end_session", {"session_id": LISBON, "end_reason": "user_exit", "ended_at": 1769860900.5})
    home.call("update_token_counts", {"session_id": LISBON, "input_tokens": 12, "estimated_cost_usd": 0.1})
    text = home.run("export").out
    other = other_home(home)
    done = other.run("import", "-", text=text.encode())
    same((done.status, done.out, done.err), (0, "3 sessions with 7 messages imported, 0 skipped\n", ""))
    same(other.run("export").out, text)
    for query in ("weather", "天", "snow"):
        same(other.call("search_messages", {"query": query}), home.call("search_messages", {"query": query}))
    path = home.place.at("again.jsonl")
    same(other.run("export", "--to", path).status, 0)
    done = other.run("import", path, "--json")
    same(done.reply(), {"imported": 0, "skipped": 3, "messages": 0, "orphaned": 0, "retitled": 0, "bad": 0})
    same(other.run("export").out, text)


@test("export --to: a file for nobody else, never an old one, and none if it fails")
def _():
    with Place() as place:
        home = Home(place).fill()
        path = place.at("out.jsonl")
        done = home.run("export", "--to", path, preexec_fn=lambda: os.umask(0))
        same((done.status, done.out, done.err), (0, "", f"note: 2 sessions in {path}\n"))
        same(stat.S_IMODE(os.stat(path).st_mode), 0o600)
        with open(path, encoding="utf-8") as file:
            same(file.read(), home.run("export").out)
        before = place.listing()
        has(home.run("export", "--to", path, "--json").error(1, "IO")["message"], "exists")
        home.run("export", "--to", place.at("no", "such", "place"), "--json").error(1, "IO")
        home.run("export", "nobody", "--to", place.at("new.jsonl"), "--json").error(1, "NOTFOUND")
        same({name: kind for name, kind in place.listing().items() if "conversation" not in name},
             {name: kind for name, kind in before.items() if "conversation" not in name})
        limit = (500, resource.getrlimit(resource.RLIMIT_FSIZE)[1])

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)

        done = home.run("--readonly", "export", "--to", place.at("new.jsonl"), "--json", preexec_fn=small)
        same((done.status, os.path.exists(place.at("new.jsonl"))), (1, False))
        same(home.run("export", "--to", place.at("quiet.jsonl"), "--quiet").err, "")


@test("export: damaged JSON in the file, and JSON with line breaks, stay on their line")
def _():
    with Place() as place:
        home = Home(place).fill()
        with contextlib.closing(sqlite3.connect(place.at("home", "conversation.db"))) as db:
            db.execute("UPDATE sessions SET model_config = ? WHERE id = ?", ('{\n "a" : [ 1 ,\t2 ],\r\n "b c": "d \\n e" }', LISBON))
            db.execute("UPDATE sessions SET model_config = '{broken' WHERE id = ?", (OSLO,))
            db.commit()
        lines = home.run("export").out.splitlines()
        same(len(lines), 2)
        has(lines[0], '"model_config":{"a":[1,2],"b c":"d \\n e"}')
        same(json.loads(lines[1])["model_config"], "{broken")


@test("import: bad lines are named and counted, the others taken")
def _():
    with Place() as place:
        home = Home(place)
        good = [json.dumps({"id": f"s{n}", "source": "cli", "started_at": n, "messages": [{"role": "user", "content": "x"}]})
                for n in range(4)]
        lines = [good[0], "", "not json", good[1] + "\r", '["array"]', '{"id":"x","source":"cli"}', "  ", good[2], '{"a":1',
                 '{"id":7,"source":"cli","started_at":1}', good[3] + "," + good[3], '{"id":"y"}],"sessions":[{}',
                 '{"id":"z","source":"cli","started_at":1,"nope":2}', good[3]]
        with open(place.at("in.jsonl"), "wb") as file:
            file.write("\n".join(lines).encode() + b'\n{"id":"\xff"}\n{"id":"a\0b"}\n\0')
        done = home.run("import", place.at("in.jsonl"))
        same((done.status, done.out), (1, "4 sessions with 4 messages imported, 0 skipped, 11 bad lines\n"))
        named = re.findall(rf"^stele: {re.escape(place.at('in.jsonl'))}:(\d+): (.*)$", done.err, re.M)
        same(sorted(int(number) for number, _ in named), [3, 5, 6, 9, 10, 11, 12, 13, 15, 16, 17])
        why = dict(named)
        same((why["3"], why["5"]), ("this is not JSON", "this is JSON, but no session"))
        has(why["6"], "started_at")
        has(why["10"], "id must be a text")
        has(why["13"], "nope")
        same(home.call("session_count"), {"count": 4})
        done = home.run("import", place.at("in.jsonl"), "--json")
        same((done.status, json.loads(done.out)["skipped"], json.loads(done.out)["bad"]), (1, 4, 11))
        errors = [json.loads(line)["error"] for line in done.err.splitlines()]
        same({error["code"] for error in errors}, {"INVALID"})


@test("import: of very many bad lines some are told, and all counted")
def _():
    with Place() as place:
        done = place.run("import", "-", text=b"x\n" * 1000)
        same((done.status, done.out), (1, "0 sessions with 0 messages imported, 0 skipped, 1000 bad lines\n"))
        same(done.err.count("standard input:"), 20)


@test("import: nothing, a file that is not there, a directory, a store that cannot be written")
def _():
    with Place() as place:
        home = Home(place)
        same(home.run("import", "-", text=b"").out, "0 sessions with 0 messages imported, 0 skipped\n")
        same(home.run("import", "-", text=b"\n\n \r\n").status, 0)
        home.run("import", place.at("nothing.jsonl"), "--json").error(1, "IO")
        done = home.run("import", place.path)
        same((done.status, done.out, "there are no transcripts" in done.err), (0, "", True))
        same(home.call("session_count"), {"count": 0})
        done = home.run("import", "-", "--readonly", text=b'{"id":"a","source":"cli","started_at":1}\n' * 3)
        same((done.status, done.out), (1, "0 sessions with 0 messages imported, 0 skipped\n"))
        same(done.err.count("\n"), 1)
        has(done.err, "read")
        same(home.call("session_count"), {"count": 0})


@test("import: parents that are not there, titles that are taken")
def _():
    with Place() as place:
        home = Home(place).fill()
        line = json.dumps({"id": "new", "source": "cli", "started_at": 5, "parent_session_id": "gone", "title": "Weather in Lisbon"})
        done = home.run("import", "-", text=line.encode())
        same((done.status, done.out), (0, "1 session with 0 messages imported, 0 skipped\n"))
        same(done.err.splitlines(), ["note: 1 session without the parent, which is not there",
                                     "note: 1 session with another number in the title, which was taken"])
        same(home.call("get_session", {"session_id": "new"})["title"], "Weather in Lisbon #2")


@test("import: children before their parents, and long lines")
def _():
    with Place() as place:
        home = Home(place).fill()
        big = "word " * 1_000_000
        home.call("create_session", {"session_id": "big", "source": "cli", "started_at": 2e9})
        home.place.run("call", "conversation.append_message", "-",
                       text=json.dumps({"session_id": "big", "role": "user", "content": big}).encode()).reply()
        text = home.run("export").out
        other = Home(place, "--home", place.at("other"))
        done = other.run("import", "-", text="".join(reversed(text.splitlines(True)[:2])).encode())
        same((done.status, done.out), (0, "2 sessions with 6 messages imported, 0 skipped\n"))
        same(other.call("get_session", {"session_id": OSLO})["parent_session_id"], LISBON)
        third = Home(place, "--home", place.at("third"))
        same(third.run("import", "-", text=text.encode()).status, 0)
        same(third.run("export").out, text)


@test("import: many batches, and export in little memory")
def _():
    with Place() as place:
        home = Home(place)
        lines = [json.dumps({"id": f"s{n:03}", "source": "cli", "started_at": n, "message_count": 20,
                             "messages": [{"role": "user", "content": f"{n} " + "text " * 4000, "timestamp": n + m}
                                          for m in range(20)]}) for n in range(100)]
        with open(place.at("in.jsonl"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        same(os.path.getsize(place.at("in.jsonl")) > 40_000_000, True)
        done = home.run("import", place.at("in.jsonl"))
        same((done.status, done.out), (0, "100 sessions with 2000 messages imported, 0 skipped\n"))
        status, shown = in_terminal(place, "import", place.at("in.jsonl"))
        same(status, 0)
        same(bool(re.search(r"\rimport \[#*-*\] +\d+ %", shown)), True)
        has(shown, "\r\x1b[K0 sessions with 0 messages imported, 100 skipped")
        process = subprocess.Popen([BIN, "export"], env=place.environment({}), stdout=subprocess.PIPE)
        most, ids = 0, []
        for line in process.stdout:
            ids.append(json.loads(line)["id"])
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                most = max(most, *(int(kilobytes) for kilobytes in re.findall(r"^VmHWM:\s+(\d+)", file.read(), re.M)), 0)
        process.stdout.close()
        same((process.wait(), ids), (0, [f"s{n:03}" for n in range(100)]))
        if "asan" not in BIN:  # its shadow memory is not ours
            same((most < 45_000, most), (True, most))
        path = place.at("stopped.jsonl")
        process = subprocess.Popen([BIN, "export", "--to", path], env=place.environment({}), stderr=subprocess.PIPE)
        while process.poll() is None and not (os.path.exists(path) and os.path.getsize(path)):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        told = process.communicate()[1].decode()  # it may have been faster
        same((process.returncode, os.path.exists(path), "stopped\n" in told),
             (1, False, True) if process.returncode else (0, True, False))


@test("import from a pipe that waits is ended by Ctrl-C")
def _():
    with Place() as place:
        Home(place).fill()
        os.mkfifo(place.at("in"))
        process = subprocess.Popen([BIN, "import", place.at("in")], env=place.environment({}), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,  # a shell ignores Ctrl-C for what it runs in the background
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        with open(place.at("in"), "wb") as pipe:  # opened by both
            pipe.write(b'{"id":"a","source":"cli","started_at":1}\n')
            pipe.flush()
            for _ in range(600):  # it may not wait for more yet; when it does, the signal ends it
                process.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(0.1)
                    break
        process.communicate()
        same(process.returncode, -signal.SIGINT)


# ---- index, reindex ----------------------------------------------------------------------------

@engine_test("index and reindex tell how many messages they indexed")
def _(home):
    done = home.run("index")
    same((done.status, done.err, done.out), (0, "", "conversation  6 indexed\n"))
    same(home.run("index").out, "conversation  0 indexed\n")
    home.call("append_message", {"session_id": OSLO, "role": "user", "content": "more"})
    same(home.run("index", "--json").reply(), [{"store": "conversation", "indexed": 1, "embedded": 0}])
    for words in ([], ["--rebuild"]):
        same(home.run("reindex", *words, "--json").reply(), [{"store": "conversation", "indexed": 7, "embedded": 0}])
    same(home.run("reindex").out, "conversation  7 indexed\n")
    same(len(home.run("search", "weather", "--json").reply()), 3)


@test("reindex --mode: into the store's file, and out of it")
def _():
    with Place() as place:
        home = Home(place).fill()
        done = home.run("reindex", "--mode", "sideways")
        same((done.status != 0, done.out), (True, ""))
        home.run("reindex", "--mode", b"\xff", "--json").error(2, "INVALID")
        if "conversation.reindex" not in [method["name"] for method in home.run("methods", "--json").reply()]:
            return
        same(done.status, 2)
        for words, reply in ((["compatible"], {"mode": "compatible", "indexed": 6}), (["stele"], {"mode": "stele", "indexed": 6}),
                             (["compatible", "--rebuild"], {"indexed": 6}), (["stele", "--rebuild"], {"indexed": 6})):
            same(home.run("reindex", "--mode", *words, "--json").reply(), reply)
            with contextlib.closing(sqlite3.connect(place.at("home", "conversation.db"))) as db:
                inline = db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'messages_fts_insert'").fetchone()
            same(inline, (1 if words[0] == "compatible" else 0,))
            same(len(home.run("search", "weather", "--json").reply()), 3)
        same(home.run("reindex", "--mode", "compatible").out, "6 messages indexed\n")


# ---- The README --------------------------------------------------------------------------------

@test("the README's commands for conversations")
def _():
    source = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    with Place() as place, open(os.path.join(source, "README.md"), encoding="utf-8") as file:
        [script] = [block for block in re.findall(r"^```sh\n(.*?)^```$", file.read(), re.S | re.M) if "stele search" in block]
        script = script.replace("build/stele", shlex.quote(BIN))
        done = subprocess.run(["bash", "-ec", script], cwd=place.path, env=place.environment({"TMPDIR": place.path}),
                              capture_output=True, text=True, timeout=60)
        same((done.returncode, done.stderr), (0, ""))
        has(done.stdout, ">>>")


if __name__ == "__main__":
    sys.exit(main())
