#!/usr/bin/env python3
"""`make bench-check` notices a ratio that became worse, and nothing else, as told from made-up histories.  Prints TAP."""

import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("STELE_TEST_SOURCE", os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(SOURCE, "bench")]
import history  # noqa: E402
import results  # noqa: E402
from check import tap  # noqa: E402
from table import Line, Rival, keyed  # noqa: E402


def found(before, now):
    """The names of what is worse now, given what was kept: one line each, of the benchmark `b`."""
    kept = history.entry("2030-01-01", "c", {}, keyed("b", [before]))
    return [name for name, *_ in history.worsened(keyed("b", [now]), history.last_known([kept]))]


def expect(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got}, not {wanted}"


@tap.case
def more_than_a_part():
    """a ratio may become worse by 15 %, not by more, whichever way is better"""
    for kind in ({"at_least": 0.5}, {"more": True}):
        yield from expect(f"{kind}, a little", found(Line("x", "", ratio=1.0, **kind), Line("x", "", ratio=0.88, **kind)), [])
        yield from expect(f"{kind}, too much", found(Line("x", "", ratio=1.0, **kind), Line("x", "", ratio=0.86, **kind)), ["b: x"])
        yield from expect(f"{kind}, better", found(Line("x", "", ratio=1.0, **kind), Line("x", "", ratio=3.0, **kind)), [])
    yield from expect("less is better, a little", found(Line("x", "", ratio=1.0, at_most=2), Line("x", "", ratio=1.14, at_most=2)), [])
    yield from expect("less is better, too much", found(Line("x", "", ratio=1.0, at_most=2), Line("x", "", ratio=1.16, at_most=2)), ["b: x"])
    yield from expect("from nothing", found(Line("x", "", ratio=0.0, at_most=0), Line("x", "", ratio=1.0, at_most=0)), ["b: x"])


@tap.case
def counts_are_strict():
    """a line may say that less is let pass: instruction counts"""
    strict = {"more": True, "tolerance": 0.03}
    yield from expect("2 %", found(Line("x", "", ratio=1.0, **strict), Line("x", "", ratio=0.98, **strict)), [])
    yield from expect("5 %", found(Line("x", "", ratio=1.0, **strict), Line("x", "", ratio=0.95, **strict)), ["b: x"])


@tap.case
def information_is_not_judged():
    """a line without a target, and one that was never kept, are not judged"""
    yield from expect("no target", found(Line("x", "", ratio=1.0), Line("x", "", ratio=0.1)), [])
    yield from expect("a new line", found(Line("x", "", ratio=1.0, at_least=1), Line("y", "", ratio=0.1, at_least=1)), [])
    yield from expect("no ratio then", found(Line("x", ""), Line("x", "", ratio=0.1, at_least=1)), [])


@tap.case
def fixed_limits():
    """a line that is held against a fixed number is worse when it met its target and misses it now: machines differ"""
    def line(ratio):
        return Line("x", "", ratio=ratio, at_most=1, fixed=True)
    yield from expect("slower, still met", found(line(0.2), line(0.9)), [])
    yield from expect("missed now", found(line(0.8), line(1.2)), ["b: x"])
    yield from expect("missed before", found(line(1.2), line(2.0)), [])


@tap.case
def rivals_are_judged():
    """each rival of a line is judged by itself"""
    def line(original, better):
        return Line("x", "", rivals=(Rival("original", "", original), Rival("better", "", better)))
    yield from expect("one of two", found(line(3.0, 4.0), line(3.1, 2.0)), ["b: x, beside better"])


@tap.case
def newest_counts():
    """the newest run that has a line counts; a run of some benchmarks does not hide the others"""
    def kept(when, **ratios):
        return history.entry(when, "c", {}, {key: Line(key, "", ratio=ratio, at_least=1) for key, ratio in ratios.items()})
    known = history.last_known([kept("2030-01-01", a=1.0, b=2.0), kept("2030-01-02", a=3.0)])
    yield from expect("ratios", {key: line["ratio"] for key, line in known.items()}, {"a": 3.0, "b": 2.0})
    with tempfile.TemporaryDirectory() as place:
        for when in ("2030-01-02", "2030-01-01"):
            history.keep(kept(when, a=1.0), place)
        yield from expect("order", [entry["when"] for entry in history.entries(place)], ["2030-01-01", "2030-01-02"])


@tap.case
def partial_runs_are_merged():
    """figures are there as soon as a benchmark has ended, beside those of earlier runs"""
    with tempfile.TemporaryDirectory() as place:
        results.Results(place).put("a", [{"x": 1.0}, {"x": 3.0}, {"x": 5.0}], "2030-01-01", "old")
        later = results.Results(place)
        later.put("b", [{"y_max": 1.0}, {"y_max": 7.0}], "2030-01-02", "new")
        yield from expect("figures", results.Results(place).figures(), {"a": {"x": 3.0}, "b": {"y_max": 7.0}})
        yield from expect("what a commit has", [name for name in ("a", "b", "c") if later.has(name, "new")], ["b"])


if __name__ == "__main__":
    tap.main()
