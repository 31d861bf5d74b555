#!/usr/bin/env python3
"""Redaction from the outside: every kind of secret goes, wherever it stands; nothing else does.  Prints TAP."""

import json
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from capture import samples  # noqa: E402
from check import tap  # noqa: E402
from method import doors  # noqa: E402

SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
SEED = int(os.environ.get("STELE_TEST_SEED", "4"))
ROUNDS = int(os.environ.get("STELE_TEST_ROUNDS", "3"))
MARK = "[REDACTED]"


class Redactor:
    """The method stele.redact behind the player."""

    def __init__(self, rules=None):
        self.rules = rules

    def __enter__(self):
        self.player = doors.Player().__enter__()
        options = {"home": ":memory:"}
        if self.rules is not None:
            options["redaction"] = self.rules
        self.player.ask(("open", json.dumps(options)))
        return self

    def __exit__(self, *how):
        self.player.ask(("close",))
        self.player.__exit__(*how)

    def answer(self, text, as_json=False):
        [found] = self.player.ask(("call", "stele.redact", json.dumps({"text": text, "json": as_json})))
        return found

    def redact(self, text, as_json=False):
        word, reply = self.answer(text, as_json)
        if word != "ok":
            raise doors.Broken(f"{text[:200]!r}: {reply}")
        return reply


def check(redactor, rule, secret, text, as_json=False):
    """What is wrong with the redaction of a text that holds a secret."""
    reply = redactor.redact(text, as_json)
    rules = [found["rule"] for found in reply["rules"]]
    if secret in reply["text"] or MARK not in reply["text"]:
        yield f"{rule}: not redacted: {text[:300]!r} -> {reply['text'][:300]!r}"
    elif rule not in rules:
        yield f"{rule}: redacted as {rules}: {text[:300]!r}"
    elif redactor.redact(reply["text"], as_json)["text"] != reply["text"]:
        yield f"{rule}: changed again the second time: {reply['text'][:300]!r}"
    elif reply["given_up"]:
        yield f"{rule}: a pattern was given up: {text[:300]!r}"


@tap.case
def _():
    """a token of every service goes, wherever it stands"""
    rng = random.Random(SEED)
    with Redactor() as redactor:
        for rule, make in samples.TOKENS.items():
            for context in samples.CONTEXTS * ROUNDS:
                secret = make(rng)
                yield from check(redactor, rule, secret, context.format(secret))


@tap.case
def _():
    """a secret goes that only its place tells"""
    rng = random.Random(SEED)
    with Redactor() as redactor:
        for rule, make, context in samples.PLACED * (3 * ROUNDS):
            secret = make(rng)
            around = "before\n{}\nafter" if rng.random() < 0.5 else "{}"
            yield from check(redactor, rule, secret, around.format(context.format(secret)))


@tap.case
def _():
    """what a name calls a secret goes, however it is assigned"""
    rng = random.Random(SEED)
    with Redactor() as redactor:
        for name in samples.NAMES:
            for form in samples.ASSIGNMENTS * ROUNDS:
                secret = samples.some(rng, rng.choice([samples.ALNUM, samples.HEX, samples.URLSAFE]), rng.choice([24, 32, 40]))
                yield from check(redactor, "assigned-secret", secret, form.format(name=name, value=secret))


@tap.case
def _():
    """a password of several kinds of characters goes, however short"""
    rng = random.Random(SEED)
    with Redactor() as redactor:
        for _ in range(100 * ROUNDS):
            secret = samples.some(rng, samples.ALNUM, 8) + rng.choice("!#%*+^~") + str(rng.randint(0, 9))
            form = rng.choice(['password: "{}"', "DB_PASSWORD={}", "--password '{}'", '{{"passwd": "{}"}}', "Password={};"])
            yield from check(redactor, "assigned-secret", secret, form.format(secret))


@tap.case
def _():
    """in JSON names tell, escapes hide nothing, and it stays JSON"""
    rng = random.Random(SEED)
    with Redactor() as redactor:
        for name in samples.NAMES:
            secret = samples.some(rng, samples.ALNUM, 32)
            for value in ({name: secret}, {"a": [{name: secret, "b": 1}]}, {name: [secret]}, {"arguments": json.dumps({name: secret})}):
                text = json.dumps(value, indent=rng.choice([None, 1]))
                yield from check(redactor, "assigned-secret", secret, text, as_json=True)
                json.loads(redactor.redact(text, True)["text"])
        for rule, make in samples.TOKENS.items():
            secret = make(rng)
            hidden = "".join(f"\\u{ord(c):04x}" if rng.random() < 0.5 else c for c in secret)
            for text in (f'{{"x":"é {secret} ü","n":1e5}}', f'["{hidden}"]', f'{{"{secret}":null}}'):
                reply = redactor.redact(text, True)["text"]
                if secret in json.dumps(json.loads(reply)) or MARK not in reply:
                    yield f"{rule}: {text!r} -> {reply!r}"


@tap.case
def _():
    """nothing goes where a placeholder, a variable or code stands"""
    with Redactor() as redactor:
        for line in samples.placeholders():
            reply = redactor.redact(line)
            if reply["count"]:
                yield f"{line!r} -> {reply['text']!r}"
            reply = redactor.redact(json.dumps({"line": line}), True)
            if reply["count"]:
                yield f"in JSON: {line!r} -> {reply['text']!r}"


@tap.case
def _():
    """nothing goes of ids, hashes, images and words about secrets"""
    rng = random.Random(SEED)
    with Redactor() as redactor:
        for _ in range(10 * ROUNDS):
            for line in samples.neutral(rng):
                reply = redactor.redact(line)
                if reply["count"]:
                    yield f"{line[:200]!r} -> {reply['text'][:200]!r} {reply['rules']}"


@tap.case
def _():
    """nothing goes of 1,500 commit messages and commands, nor of any line of this project"""
    rng = random.Random(SEED)
    lines = samples.commits(rng, 1500)
    with Redactor() as redactor:
        for line in lines:
            reply = redactor.redact(line)
            if reply["count"]:
                yield f"{line!r} -> {reply['text']!r}"
        for path, text in [*samples.own_texts(SOURCE), ("log", samples.own_log(SOURCE))]:
            if redactor.redact(text)["count"]:
                for line in text.splitlines():
                    reply = redactor.redact(line)
                    if reply["count"]:
                        yield f"{path}: {line!r} {reply['rules']}"


@tap.case
def _():
    """rules of the user: their own replacement, exceptions, built-in rules left out"""
    rng = random.Random(SEED)
    token, other = samples.TOKENS["github-token"](rng), samples.TOKENS["npm-token"](rng)
    rules = """
# ours
[builtin]
disable = ["npm-token", "assigned-secret"]
[allow]
literals = ["%s"]
[[rule]]
name = "staff"
regex = 'staff-(?<secret>\\d{4})'
replacement = "<staff>"
literals = ["staff-"]
[[rule]]
name = "colour"
regex = "colou?r"
""" % token[10:20]
    with Redactor(rules) as redactor:
        for text, wanted in ((f"x {token} y", None), (f"x {other} y", None), ("staff-1234 and staff-5678", "staff-<staff> and staff-<staff>"),
                             ("the color and colour", f"the {MARK} and {MARK}"), (f"password={other[4:20]}", None)):
            found = redactor.redact(text)["text"]
            if found != (text if wanted is None else wanted):
                yield f"{text!r} -> {found!r}"
        [(_, listed)] = redactor.player.ask(("call", "stele.redaction_rules", "{}"))
        if [r["name"] for r in listed if not r["builtin"]] != ["staff", "colour"] or not any(r["disabled"] for r in listed):
            yield f"{listed[-3:]}"


@tap.case
def _():
    """a mistake in the user's rules is told with its line and rule, and nothing is redacted without them"""
    for rules, wanted in (("x", "line 1"), ("[[rule]]\nname='a'\nregex='('", "line 3: rule a: regex"), ("[[rule]]\nname='a'", "line 1: rule a needs a regex"),
                          ("[builtin]\ndisable=['no']", "line 2: there is no built-in rule no"), ("[rules]\n", "line 1: the file has no rules"),
                          ("[[rule]]\nname='jwt'\nregex='x'", "line 2: there is a rule jwt already"), ("[allow]\nregex='x'", "line 2: regex must be a list"),
                          ("[[rule]]\nname='a'\nregex='x'\nreplacement=''", "line 4: rule a: replacement")):
        with Redactor(rules) as redactor:
            word, reply = redactor.answer("x")
            if word != "error" or reply["code"] != "INVALID" or wanted not in reply["message"]:
                yield f"{rules!r}: {reply}"


@tap.case
def _():
    """a pattern that would take for ever is given up, and its text redacted"""
    with Redactor("[[rule]]\nname='slow'\nregex='(a+)+$'") as redactor:
        reply = redactor.redact("a" * 5000 + "b")
        if reply["given_up"] < 1 or reply["text"] != MARK:
            yield f"{reply}"


if __name__ == "__main__":
    tap.main()
