#!/usr/bin/env python3
"""The format of the method tests, tested: what matches, what does not, what is refused.  Prints TAP."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from check import tap  # noqa: E402
from method import results, script  # noqa: E402

# expected, found
MATCHING = [
    ('{"a":1}', {"a": 1}), ('{"a":1}', {"a": 1.0}), ('{"a":1.50}', {"a": 1.5}), ('{"a":1e3}', {"a": 1000}),
    ('{"a":*}', {"a": {"b": [1]}}), ("*", None), ("null", None), ("true", True), ("[]", []), ("{}", {}),
    ('{"a":1,...}', {"b": 2, "a": 1}), ("{...}", {"b": 2}), ("[1,...]", [1, 2, 3]), ("[...]", []), ("[1,...]", [1]),
    ('{"a":$x,"b":$x}', {"a": 5, "b": 5.0}),
    ('{"a":$x,"b":{"c":$x}}', {"a": [1, {"d": None}], "b": {"c": [1, {"d": None}]}}),
    ('"a \\"b\\" -> $x ... ü\\u00fc"', 'a "b" -> $x ... üü'), ('{"b":2,"a":1}', {"a": 1, "b": 2}),
    ("9007199254740993", 9007199254740993), ("[[],[{}]]", [[], [{}]]),
]
DIFFERENT = [
    ('{"a":1}', {"a": 2}), ('{"a":1}', {"a": 1, "b": 2}), ('{"a":1,...}', {"b": 2}), ('{"a":null}', {}),
    ("{}", {"a": 1}), ("[1]", [1, 2]), ("[1,2]", [1]), ("[1,2,...]", [1]), ("[1,2]", [2, 1]), ("[]", {}), ("{}", []),
    ("null", {}), ("{}", None), ("1", True), ("true", 1), ("0", False), ('"1"', 1), ("0", None), ("[...]", None),
    ("{...}", None), ("null", 0), ("9007199254740993", 9007199254740992), ("1", 1.0000001),
    ('{"a":$x,"b":$x}', {"a": 1, "b": 2}), ('{"a":$x,"b":$x}', {"a": 1, "b": True}),
    ('{"a":$x,"b":$x}', {"a": [1], "b": [1, 2]}), ('{"a":$x,"b":$x}', {"a": {"c": 1}, "b": {"c": 1, "d": 2}}),
    ('{"a":{"b":1,...},"c":*}', {"a": {"b": 1}}),
]
UNREADABLE = ['{"a":1', '{"a" 1}', "{a:1}", "[1 2]", "[1,,2]", "[1] 2", '{...,"a":1}', "[..., 1]", "", "'a'", '{"a":}',
              "nil", '{"a":1,"b"}', "[1}"]
SCRIPTS = {
    "x.y {} -> 1": "a call before the first ==",
    "== a": "has no call",
    "== a\nx.y {} -> 1\n== a\nx.y {} -> 1": "the title is used twice",
    "== a\nx.y {} 1": "there is no ->",
    "== a\nx.y -> 1": "METHOD ARGUMENTS",
    "== a\n[mysql] x.y {} -> 1": "METHOD ARGUMENTS",
    "== a\nx.y {} -> {": "t:2: ",
    "== a\nx.y {} -> 1 \\": "ends in a backslash",
}


@tap.case
def _():
    """what is the same matches"""
    for expected, found in MATCHING:
        try:
            script.match(script.read_expectation(expected), found, {})
        except script.Mismatch as error:
            yield f"{expected}: {error}"


@tap.case
def _():
    """what is different does not"""
    for expected, found in DIFFERENT:
        try:
            script.match(script.read_expectation(expected), found, {})
            yield f"{expected} matched {json.dumps(found)}"
        except script.Mismatch:
            pass


@tap.case
def _():
    """what cannot be read is refused"""
    for expected in UNREADABLE:
        try:
            yield f"{expected} was read as {script.read_expectation(expected)}"
        except script.BadScript:
            pass
    for text, reason in SCRIPTS.items():
        try:
            script.read("t", text)
            yield f"was read: {text}"
        except script.BadScript as error:
            if reason not in str(error):
                yield f"{text}: {error}"


@tap.case
def _():
    """cases, engines, continued lines and arrows in strings"""
    cases = script.read("t", '# x\n\n== one\n[sqlite] a.b  {"c":"->", \\\n  "d":$x}  -> {"e":"$y ->"}\n'
                             '[postgres] a.c {} -> !IO some -> text\n== two\na.d {"e":  -> !INVALID\n')
    first, second = cases[0].calls
    found = (first.where, first.method, first.args, first.expected, len(cases[0].calls_on("sqlite")), second.expected,
             cases[1].calls[0].args, cases[1].calls[0].expected)
    wanted = ("t:4", "a.b", '{"c":"->",   "d":$x}', script.Object({"e": "$y ->"}), 1,
              script.Failure("IO", "some -> text"), '{"e":', script.Failure("INVALID", ""))
    if found != wanted:
        yield f"{found}"
        yield f"{wanted}"


@tap.case
def _():
    """names are put into arguments, but not into strings"""
    call = script.Call("t:1", "", "a.b", '{"a":$x,"b":"$x \\"$x","c":[$y]}', None)
    found = call.args_with({"x": "q\"ü", "y": {"z": 1}})
    if found != '{"a":"q\\"ü","b":"$x \\"$x","c":[{"z": 1}]}':
        yield found
    try:
        yield call.args_with({"x": 1})
    except script.BadScript:
        pass


def declare(shape, *fields):
    method = {"name": "telemetry.m", "store": "telemetry", "shape": shape, "results": list(fields)}
    return results.Declarations([method], os.path.dirname(os.path.dirname(HERE)))


@tap.case
def _():
    """a reply that the declaration does not allow is found"""
    kinds = {"text": ("a", 1), "int": (1, 1.5), "real": (1, "1"), "bool": (True, 1), "time": (1.5, "2025-01-01"),
             "json": ({}, None), "jsontext": ("[1]", "[1"), "uuid": ("01234567-89ab-cdef-0123-456789abcdef", "a"),
             "blob": ("YQ==", "YQ"), "vector": ([1, 2.5], [None]), "duration": (1, "1s"), "query": ("a", ["a"]),
             "record": ({}, []), "date": ("2026-01-31", "2026-1-31"), "cron": ("@daily", 1), "timezone": ("UTC", 0)}
    for kind, (good, bad) in kinds.items():
        for value, nullable, allowed in ((good, False, True), (bad, False, kind == "json"), (None, True, True),
                                         (None, False, kind == "json")):
            field = {"name": "f", "type": kind, **({"nullable": True} if nullable else {})}
            try:
                declare("one", field).check("telemetry.m", {"f": value})
                if not allowed:
                    yield f"{kind}: {value!r} was let through"
            except results.Undeclared as error:
                if allowed:
                    yield f"{error}"


@tap.case
def _():
    """a reply of another shape, or with other members, is found"""
    a, b = {"name": "a", "type": "int"}, {"name": "b", "type": "int"}
    both = {"a": 1, "b": 2}
    wrong = [("one", []), ("one", [both]), ("one", {"a": 1}), ("one", {**both, "c": 3}), ("one", {"b": 2, "a": 1}),
             ("many", both), ("many", None), ("many", [None]), ("many", [both, {"a": 1}]), ("none", None)]
    right = [("one", both), ("one", None), ("many", []), ("many", [both]), ("none", both)]
    for number, (shape, reply) in enumerate(wrong + right):
        try:
            declare(shape, a, b).check("telemetry.m", reply)
            found = False
        except results.Undeclared:
            found = True
        if found != (number < len(wrong)):
            yield f"{shape}: {reply}"


if __name__ == "__main__":
    tap.main()
