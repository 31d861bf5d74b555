#!/usr/bin/env python3
"""Redaction of what is stored: nothing is left of a secret in any file; it can be stopped and continued, and others
write meanwhile.  And the command line of it.  Prints TAP."""

import json
import os
import random
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "cli")]
from capture import samples  # noqa: E402
from place import BIN, Place, has, lacks, main, same, test  # noqa: E402


def secret(seed=1):
    return samples.TOKENS["github-token"](random.Random(seed))


def files_with(place, needle):
    """The files of the home that hold some bytes, whatever the case of their letters."""
    found = []
    for name in sorted(os.listdir(place.home)):
        with open(os.path.join(place.home, name), "rb") as file:
            if needle.lower().encode() in file.read().lower():
                found.append(name)
    return found


def fill(place, count, token, every=10):
    """A session with messages, some of which hold the secret, among them long ones."""
    messages = []
    for n in range(count):
        text = f"message {n} about apples" + " and pears" * (n % 700)
        if n % every == 0:
            text = f"{text} {token} {text}"
        messages.append({"role": "user", "content": text})
    lines = json.dumps({"id": "s", "source": "cli", "started_at": 1, "title": f"with {token}", "messages": messages})
    path = place.at("in.jsonl")
    with open(path, "w") as file:
        file.write(lines + "\n")
    same(place.run("import", path, "-q").status, 0)


def check_gone(place, token, part):
    same(files_with(place, token), [])
    same(files_with(place, part), [])
    same(place.call("conversation.search_messages", {"query": token}).reply(), [])
    same(len(place.call("conversation.search_messages", {"query": "apples", "limit": 5}).reply()), 5)


@test("nothing is left in the store, its log and its index")
def _():
    with Place() as place:
        token = secret()
        fill(place, 300, token)
        same(len(place.call("conversation.search_messages", {"query": token, "limit": 50}).reply()), 30)
        has(" ".join(files_with(place, token)), "conversation.db")
        reply = place.call("conversation.redact_stored").reply()
        same((reply["messages"], reply["sessions"], reply["count"], reply["purged"]), (30, 1, 31, True))
        check_gone(place, token, token[8:30])


@test("nor in search tables that are in the store itself")
def _():
    with Place() as place:
        token = secret(2)
        fill(place, 100, token)
        same(place.run("reindex", "--mode", "compatible", "-q").status, 0)
        same(place.call("conversation.redact_stored").reply()["messages"], 10)
        check_gone(place, token, token[8:30])
        # nor as the words and parts of words that such tables keep, which are in lower case
        same(files_with(place, token[4:16]), [])


@test("nor of messages that were deleted before")
def _():
    with Place() as place:
        token = secret(3)
        fill(place, 100, token)
        place.call("conversation.create_session", {"session_id": "t", "source": "cli"})
        place.call("conversation.append_message", {"session_id": "t", "role": "user", "content": f"apples {token}"})
        same(place.call("conversation.delete_session", {"session_id": "s"}).status, 0)
        same(place.call("conversation.redact_stored").reply()["messages"], 1)
        same(files_with(place, token), [])


@test("whoever is stopped is continued")
def _():
    with Place() as place:
        token = secret(4)
        fill(place, 4000, token, every=2)
        process = subprocess.Popen([BIN, "redact", "apply"], env=place.environment({}), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:  # somewhere in the middle, or too late: both must be right
            if place.call("conversation.get_meta", {"key": "stele_redaction"}).reply():
                process.send_signal(signal.SIGINT)
                break
        _, err = process.communicate(timeout=60)
        if process.returncode:
            has(err.decode(), "another call does the rest")
            same(place.call("conversation.get_meta", {"key": "stele_redaction"}).reply() is None, False)
        same(place.run("redact", "apply", "-q").status, 0)
        same(place.call("conversation.get_meta", {"key": "stele_redaction"}).reply(), None)
        check_gone(place, token, token[8:30])


@test("others write meanwhile, and lose nothing")
def _():
    with Place() as place:
        token = secret(5)
        fill(place, 1500, token, every=2)
        process = subprocess.Popen([BIN, "redact", "apply", "-q"], env=place.environment({}), stdout=subprocess.DEVNULL)
        ids = []
        while process.poll() is None:
            ids.append(place.call("conversation.append_message", {"session_id": "s", "role": "user", "content": "meanwhile"}).reply()["id"])
        same(process.returncode, 0)
        kept = place.call("conversation.get_messages", {"session_id": "s"}).reply()
        same([m["id"] for m in kept if m["content"] == "meanwhile"], ids)
        same(len(kept), 1500 + len(ids))


@test("the command shows what it finds")
def _():
    with Place() as place:
        token = secret(6)
        done = place.run("redact", "test", f"a {token} b")
        same((done.status, done.out, done.err), (0, "a [REDACTED] b\n", "note: redacted: github-token 1\n"))
        done = place.run("redact", "test", text=f"one\ntwo {token}\n".encode())
        same((done.status, done.out), (0, "one\ntwo [REDACTED]\n"))
        with open(place.at("sample"), "w") as file:
            file.write(f"x={token}")
        same(place.run("redact", "test", place.at("sample"), "--json").reply()["text"], "x=[REDACTED]")
        has(place.run("redact", "rules").out, "RULE", "github-token", "assigned-secret")
        same(place.run("redact", "test", "nothing").err, "note: nothing to redact\n")
        has(place.run("redact", "test", "a", "b").err, "too many arguments")
        has(place.run("redact", "burn").err, "redact: there is no burn")
        has(place.run("redact", "rules", "--dry-run").err, "redact rules: something is missing, or too much")


@test("a dry run changes nothing")
def _():
    with Place() as place:
        token = secret(7)
        fill(place, 50, token)
        before = place.call("conversation.export_session", {"session_id": "s"}).out
        done = place.run("redact", "apply", "--dry-run")
        same((done.status, done.out), (0, "6 secrets would be taken out of 5 messages and 1 session\n"))
        same(place.call("conversation.export_session", {"session_id": "s"}).out, before)
        done = place.run("redact", "apply")
        same((done.status, done.out), (0, "6 secrets taken out of 5 messages and 1 session\n"))
        lacks(place.call("conversation.export_session", {"session_id": "s"}).out, token)


@test("rules of the user are read from the home, or from a file that is named")
def _():
    with Place() as place:
        os.mkdir(place.home)
        with open(os.path.join(place.home, "redact.toml"), "w") as file:
            file.write("[[rule]]\nname = 'fruit'\nregex = 'apple'\nreplacement = '<fruit>'\n")
        same(place.run("redact", "test", "an apple", "-q").out, "an <fruit>\n")
        with open(place.at("other.toml"), "w") as file:
            file.write("[[rule]]\nname = 'fruit'\nregex = 'pear'\n")
        same(place.run("redact", "test", "apple, pear", "-q", "--redact", place.at("other.toml")).out, "apple, [REDACTED]\n")
        done = place.run("redact", "test", "x", "--redact", place.at("none.toml"))
        same(done.status, 1)
        has(done.err, "none.toml cannot be read")
        with open(place.at("other.toml"), "w") as file:
            file.write("[[rule]]\nname = 'fruit'\nregex = '('\n")
        done = place.run("redact", "test", "x", "--redact", place.at("other.toml"))
        has(done.err, "line 3: rule fruit: regex")
        same(done.out, "")


if __name__ == "__main__":
    sys.exit(main())
