#!/usr/bin/env python3
"""The interactive `stele`: driven through a terminal of the test's own, and looked at on its screen.  Prints TAP."""

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time

from place import Database, Place, WITHOUT_POSTGRES, engines, has, in_terminal, lacks, main, same, test
from screen import Session

UP, DOWN, RIGHT, LEFT, HOME, END = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
PAGE_UP, PAGE_DOWN, ESCAPE, ENTER, TAB, F1 = "\x1b[5~", "\x1b[6~", "\x1b", "\r", "\t", "\x1bOP"
CTRL_C, CTRL_R, CTRL_Y, CTRL_U, CTRL_Z = "\x03", "\x12", "\x19", "\x15", "\x1a"
ALT_STORE, ALT_KIND, ALT_ROLE, ALT_PROJECT, ALT_SINCE, ALT_NONE = ("\x1b" + letter for letter in "skoptx")
HOSTILE = "before\x1b[2J\x1b]0;owned\x07\x1b[31mred\x9b5m \x08\x08 \u202eturned behind"


def say(place, where, session, role, content, age=0, **more):
    place.run(*where, "call", "conversation.append_message",
              json.dumps({"session_id": session, "role": role, "content": content, "timestamp": time.time() - age, **more}))


def fill(place, where=()):
    """Two conversations, a command and a note."""
    for name in ("jam", "tea"):
        place.run(*where, "call", "conversation.create_session", json.dumps({"session_id": name, "source": "cli"}))
    say(place, where, "jam", "user", "Where is the marmalade?", 400)
    say(place, where, "jam", "assistant", "The marmalade is behind the honey.\n" + "Look there first.\n" * 30 + "Nobody eats marmalade now.", 390)
    say(place, where, "jam", "user", "Found it.", 380)
    say(place, where, "tea", "user", "Which tea is left?", 300)
    say(place, where, "tea", "assistant", "Only the green one, 緑茶 and cafe\u0301.", 290)
    place.run(*where, "call", "capture.insert_event",
              json.dumps({"terminal": "t", "command": "cook marmalade --slowly", "cwd": "/kitchen", "hostname": "h", "shell": "zsh"}))
    place.run(*where, "call", "assistant.save_note", json.dumps({"title": "Breakfast", "content": "Marmalade on toast"}))


@engines("what is typed is found at once; the preview follows; a session is opened and left; filters narrow")
def _(place, where):
    fill(place, where)
    with Session(place, *where) as s:
        s.sees("type to search", "Marmalade on toast", "Which tea is left?")  # what happened last
        s.type("marma")  # a word that is not finished
        s.sees("> marma", "Where is the marmalade?", "cook marmalade", "Marmalade on toast")
        s.sees_no("Which tea is left?")
        s.type("lade honey")
        s.sees("> marmalade honey")
        s.chosen("assistant")
        s.sees("── assistant", "The marmalade is behind the honey.", "Look there first.")  # the preview
        s.type("\x17")  # without the last word
        s.sees("cook marmalade")
        s.wait(lambda screen: screen.lines()[0].split()[-1:] == ["4"], "all hits")
        s.type(HOME)
        rows = [line for line in s.screen.lines()[2:] if line[2:].startswith(("just now", "6 min"))]
        for number, row in enumerate(rows):  # whatever is chosen is in the preview
            s.chosen(row[2:40])
            s.sees(f"── {row[15:].split()[0]}")
            s.type(UP if number == 3 else DOWN)
        s.type(ALT_STORE)
        s.wait(lambda screen: "[store: any]" not in screen.text(), "a filter")
        for _ in range(20):
            if "[store: conversation]" in s.screen.text():
                break
            shown = chip(s.screen, "store")
            s.type(ALT_STORE)
            s.wait(lambda screen, shown=shown: chip(screen, "store") != shown, "another store")
        s.sees("[store: conversation]", "Where is the marmalade?")
        s.sees_no("cook marmalade", "Marmalade on toast")
        s.type(ALT_ROLE)
        s.sees("[role: user]")
        s.sees_no("behind the honey")
        s.chosen("user")
        s.type(ENTER)
        s.sees("session jam", "── user", "Where is the marmalade?", "── assistant", "The marmalade is behind the honey.")
        s.type(RIGHT)
        s.sees_no("Where is the marmalade?")
        s.type("n")
        s.wait(lambda screen: "Nobody eats marmalade now." in screen.text(), "the next match")
        s.type(ESCAPE)
        s.sees("[role: user]", "> marmalade")
        s.type("x")  # letters are keys after a session was read
        s.sees("[role: any]", "cook marmalade")
        s.type(CTRL_C)
        s.ends()


@contextlib.contextmanager
def locked(database, table):
    """Nobody reads the table, until what this gives is called."""
    client = subprocess.Popen(["psql", "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", "-At", database.url], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)

    def say(sql):
        client.stdin.write(sql + "\n")
        client.stdin.flush()
    say(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE; SELECT 'locked';")
    same(client.stdout.readline(), "locked\n")
    try:
        yield lambda: say("ROLLBACK;")
    finally:
        client.communicate()


def chip(screen, name):
    return screen.lines()[1].split(f"[{name}: ")[1].split("]")[0]


@test("a copy is what was said, to the byte, on the clipboard of the terminal")
def _():
    with Place() as place:
        fill(place)
        with Session(place) as s:
            s.type("green")
            s.chosen("緑茶")
            s.type(CTRL_Y)
            s.sees("copied", "OSC 52")
            s.type(ALT_PROJECT)
            s.wait(lambda screen: chip(screen, "project").startswith("..") and place.path.endswith(chip(screen, "project")[2:]), "this directory")
            s.type(ALT_NONE)
            s.chosen("緑茶")
            same(s.screen.clipboard, ["Only the green one, 緑茶 and cafe\u0301."])
            s.type(ENTER)
            s.sees("session tea", "Only the green one")
            s.type("y")
            s.wait(lambda screen: len(screen.clipboard) == 2, "the second copy")
            has(s.screen.clipboard[1], "Only the green one, 緑茶")
            s.type("q")
            s.sees("> green")
            s.type("q")
            s.ends()


@test("texts of any kind are shown and never obeyed, and keep their columns")
def _():
    with Place() as place:
        place.call("conversation.create_session", {"session_id": "x\x1b[5m", "source": "cli"})
        say(place, (), "x\x1b[5m", "user", HOSTILE, 10)
        say(place, (), "x\x1b[5m", "user", "雪" * 100 + " 🙂👨‍👩‍👧❤️ e\u0301\u0302\u0303 wide", 5)
        say(place, (), "x\x1b[5m", "tool", "a tool", 1, tool_name="T\x1b]52;c;b3duZWQ=\x07")
        for rows, columns in ((24, 80), (50, 200), (24, 81), (5, 20)):
            with Session(place, rows=rows, columns=columns) as s:
                s.wait(lambda screen: "[store: any]" in screen.text() and "> just" in screen.text(), "the list")
                for _ in range(3):
                    s.type(ENTER)
                    s.wait(lambda screen: "session x" in screen.text() and "── " in screen.text(), "the session")
                    s.type(ESCAPE)
                    s.wait(lambda screen: "[store: any]" in screen.text() and "> just" in screen.text(), "the list again")
                    s.type(DOWN)
                same(s.screen.clipboard, [])
                s.type(CTRL_C)
                s.ends()
        with Session(place) as s:
            s.type("turned")
            s.sees("before?[2J?]0;owned??[31mred", "?turned behind")


@test("another size is drawn anew, with the preview beside or below")
def _():
    with Place() as place:
        fill(place)
        with Session(place) as s:
            s.type("honey")
            s.sees("Look there first.", "─" * 80)
            s.resize(50, 200)
            s.wait(lambda screen: any("honey" in line and "│ ── assistant" in line for line in screen.lines()[2:3]), "the preview beside it")
            s.resize(24, 80)
            s.sees("Look there first.", "─" * 80)
            s.resize(3, 10)
            s.sees("too small")
            s.resize(24, 80)
            s.sees("> honey", "Look there first.")
            s.type(TAB + "v")
            s.sees_no("── assistant")
            s.type("v")
            s.sees("── assistant")
            s.type("q")
            s.ends()


@test("without colours none is used; TERM=dumb is refused; without a terminal there is the help")
def _():
    with Place() as place:
        fill(place)
        for words, env in ((["--no-color"], {}), ([], {"NO_COLOR": "1"})):
            with Session(place, *words, env=env) as s:
                s.type("honey")
                s.wait(lambda screen: "honey" in screen.styled({"0;1;4"}), "the match, underlined")
                same({style for style in s.screen.styles_used if any(30 <= int(n) < 50 for n in style.split(";"))}, set())
                s.type(CTRL_C)
                s.ends()
        with Session(place) as s:
            s.type("honey")
            s.wait(lambda screen: "honey" in screen.styled({"0;1;31"}), "the match, in colour")
            s.type(CTRL_C)
            s.ends()
        with Session(place, env={"LC_ALL": "C"}) as s:
            s.type("green")
            s.sees("-- assistant", "Only the green one, ?? and cafe?.", "-" * 80)
            same(max(s.said) < 0x80, True)
            s.type(CTRL_C)
            s.ends()
        for term in ("dumb", None):
            with Session(place, env={"TERM": term}) as s:
                s.ends(2)
                has(s.said.decode(), "cannot move its cursor", "stele search")
                lacks(s.said.decode(), "\x1b")
        has(place.run().out, "usage: stele COMMAND")
        same(place.run().status, 2)
        same(in_terminal(place)[0], 2)  # its input is none


@test("an empty home is a friendly place, and stays empty")
def _():
    with Place() as place:
        before = place.listing()
        with Session(place) as s:
            s.sees("Nothing is here yet.", "stele import", "Ctrl-C leaves.")
            s.type("anything")
            s.sees("Nothing was found.")
            s.type(ENTER + CTRL_Y + CTRL_R + UP + DOWN + END)
            s.sees("Nothing was found.")
            s.type(ESCAPE)
            s.sees("Nothing is here yet.")
            s.type("?")
            s.sees("Keys", "copy the text", "Esc back")
            s.type(ESCAPE)
            s.sees("Nothing is here yet.")
            s.type(CTRL_C)
            s.ends()
        same(place.listing(), before)


@test("whatever ends it, the terminal is as it was")
def _():
    with Place() as place:
        fill(place)
        for number, status in ((signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, 0), (signal.SIGSEGV, -signal.SIGSEGV),
                               (signal.SIGABRT, -signal.SIGABRT), (signal.SIGQUIT, -signal.SIGQUIT)):
            with Session(place) as s:
                s.sees("Which tea is left?")
                s.signal(number)
                s.ends(status)


@test("it stops and goes on")
def _():
    with Place() as place:
        fill(place)
        with Session(place) as s:
            s.type("honey")
            s.sees("Look there first.")
            for stop in (lambda: s.type(CTRL_Z), lambda: s.signal(signal.SIGTSTP)):
                stop()
                same(s.hears(), "stopped")
                s.drain()
                s.restored()
                s.signal(signal.SIGCONT)
                s.sees("> honey", "Look there first.")
                same("1049" in s.screen.modes, True)
            s.type(CTRL_C)
            s.ends()


@test("keys: editing, pasting, pages, ends, help; nothing typed is lost")
def _():
    with Place() as place:
        fill(place)
        for number in range(60):
            say(place, (), "tea", "user", f"line number {number:02}", 200 - number)
        with Session(place) as s:
            s.sees("line number 59")
            s.type("\x1b[200~line\nnumber\x1b[201~")
            s.sees("> line number")
            s.wait(lambda screen: screen.lines()[0].split()[-1:] == ["60"], "all of them")
            s.type(END)
            s.wait(lambda screen: screen.lines()[2:] and not any(line.startswith("> ") for line in screen.lines()[2:9]), "the last row")
            s.type(HOME)
            s.wait(lambda screen: screen.lines()[2].startswith("> "), "the first row")
            s.type(PAGE_DOWN)
            s.wait(lambda screen: not screen.lines()[2].startswith("> "), "the next page")
            s.type("\x10\x10\x0e")
            s.type(PAGE_UP * 3)
            s.wait(lambda screen: screen.lines()[2].startswith("> "), "the first row again")
            s.type("\x01" + "wörter " + "\x05" + "!" + LEFT + "\x7f")
            s.sees("> wörter line numbe!")
            s.type(CTRL_U)
            s.sees("> !")
            s.type(F1)
            s.sees("Keys", "Ctrl-R, r")
            s.type("q")
            s.sees("> !")
            s.type(ESCAPE)
            s.sees("type to search")
            s.type("quit")
            s.sees("> quit")
            s.type("\x1b[99;5u\x1b[1;5Z\x1bO?")  # keys that are none of ours
            s.type("e")
            s.sees("> quite")
            s.type(CTRL_C)
            s.ends()


@test("a key behind a query means what is found for it, however fast it is typed")
def _():
    with Place() as place:
        fill(place)
        with Session(place) as s:
            s.type("honey" + ENTER)
            s.sees("session jam", "The marmalade is behind the honey.")
            s.type(ESCAPE)
            s.sees("> honey")
            s.type("/" + CTRL_U + "green" + CTRL_Y)
            s.wait(lambda screen: screen.clipboard, "the copy")
            has(s.screen.clipboard[0], "Only the green one")
            s.type(CTRL_U + "nothinglikethis" + ENTER)
            s.sees("Nothing was found.")
            s.type(CTRL_C)
            s.ends()


@test("a session is gone on with in its own agent, in its directory; what has none says so")
def _():
    with Place() as place:
        fill(place)
        os.makedirs(place.at("bin"))
        os.makedirs(place.at("work dir"))
        agent = place.at("bin", "claude")
        with open(agent, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\necho "agent: $* in $(pwd)"\nexit 7\n')
        os.chmod(agent, stat.S_IRWXU)
        transcript = place.at("user", ".claude", "projects", "-work", "3f2a9c1e-0000-4000-8000-000000000001.jsonl")
        os.makedirs(os.path.dirname(transcript))
        with open(transcript, "w", encoding="utf-8") as file:
            file.write(json.dumps({"type": "user", "uuid": "u1", "parentUuid": None, "cwd": place.at("work dir"),
                                   "sessionId": "3f2a9c1e-0000-4000-8000-000000000001", "timestamp": "2026-01-31T12:00:00.000Z",
                                   "version": "2.0.0", "message": {"role": "user", "content": "make a quince jelly"}}) + "\n")
        same(place.run("import", "--quiet").status, 0)
        with Session(place, env={"PATH": place.at("bin") + ":" + os.environ["PATH"]}) as s:
            s.type("honey")
            s.chosen("assistant")
            s.type(CTRL_R)
            s.sees("did not come from a transcript")
            s.type(CTRL_U + "toast")
            s.chosen("note")
            s.type(CTRL_R)
            s.sees("only a conversation can be resumed")
            s.type(CTRL_U + "quince")
            s.chosen("quince")
            s.type(CTRL_R)
            s.ends(7)
            has(s.said.decode(), "claude --resume 3f2a9c1e-0000-4000-8000-000000000001",
                f"agent: --resume 3f2a9c1e-0000-4000-8000-000000000001 in {place.at('work dir')}")


@test("a long session is read from where it was found to both of its ends")
def _():
    with Place() as place:
        place.call("conversation.create_session", {"session_id": "long", "source": "cli"})
        place.call("conversation.replace_messages", {"session_id": "long", "messages": [
            {"role": "user", "content": f"message number {number}" + (" with a needle" if number == 100 else ""), "timestamp": 1e9 + number}
            for number in range(200)]})
        with Session(place) as s:
            s.type("needle")
            s.chosen("needle")
            s.type(ENTER)
            s.sees("session long", "message number 100 with")
            s.type(PAGE_DOWN * 10)  # beyond what was read at first
            s.sees("message number 1", "── user")
            s.sees_no("message number 100 with")
            s.type(END)
            s.sees("message number 199")
            s.type(HOME)
            s.sees("message number 0\n", "message number 3")
            for number in range(1, 61):  # more is read on the way
                s.type(RIGHT)
                s.wait(lambda screen, number=number: screen.lines()[2] == f"message number {number}" and "reading" not in screen.lines()[0],
                       f"message {number}")
            s.type(CTRL_C)
            s.ends()


if not WITHOUT_POSTGRES:
    @test("who types never waits for a search, nor who leaves; the last that was typed is what is found")
    def _():
        with Place() as place, Database() as database:
            where = ("--database", database.url)
            fill(place, where)
            with locked(database, "conversation.messages") as release, Session(place, *where) as s:
                s.sees("searching")
                for text in ("h", "ho", "hon", "hone", "honey"):
                    s.type(text[-1])
                    s.sees(f"> {text}", "searching")
                s.type(ALT_SINCE)
                s.sees("[since: 1d]", "searching")
                release()
                s.sees("behind the honey", "Look there first.")
                s.wait(lambda screen: screen.lines()[0].split() == [">", "honey", "1"], "what was typed last")
                s.type(CTRL_C)
                s.ends()
            with locked(database, "conversation.messages"), Session(place, *where) as s:
                s.sees("searching")
                s.type(CTRL_C)
                s.ends()


@test("the page of its keys has all of them")
def _():
    with Place() as place, Session(place, rows=50, columns=200) as s:
        s.type(F1)
        s.sees("Keys", "Ctrl-C, q")
        with open(os.path.join(os.environ["STELE_TEST_SOURCE"], "docs", "terminal.md"), encoding="utf-8") as file:
            page = file.read()
        for line in s.screen.lines()[1:-1]:
            for key in filter(None, line[:24].strip().split(", ")):
                has(page, f"`{key}`")


if __name__ == "__main__":
    sys.exit(main())
