#!/usr/bin/env python3
"""Writes the tables of docs/reliability.md from what was run.

    make test coverage mutation reliability      all of it

Each of these leaves a report in build/reports: tests.json (run_tests.py --report), coverage.json, mutation.json, fuzz.json
(tests/fuzz/run.py --report).  What a report does not speak of keeps its row, unless it is gone; so a new test needs no more than
`make test TEST_ARGS='--filter suite/name' && make reliability`.  A report with a failure is refused.

What a test is about is the first sentence of its file.
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(ROOT, "docs/reliability.md")
COLUMNS = {"tests": ("test", "what it shows", "cases", "watched by sanitizers"),
           "runs": ("run", "what it shows", "result")}
ROW = re.compile(r"^\| ([^|]+?) \|(.*)\|$", re.M)


class Refused(Exception):
    pass


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# ---- The document ----

def marks(table):
    return f"<!-- {table}: written by tools/reliability.py -->\n", f"<!-- end of {table} -->"


def rows_of(text, table):
    """{name: [cells]} of a table of the document."""
    begin, end = marks(table)
    body = text.split(begin, 1)[1].split(end, 1)[0]
    rows = {name: [cell.strip() for cell in cells.split("|")] for name, cells in ROW.findall(body)}
    rows.pop(COLUMNS[table][0], None)
    return {name: cells for name, cells in rows.items() if not set(name) <= set("-")}


def with_rows(text, table, rows):
    begin, end = marks(table)
    head, rest = text.split(begin, 1)
    tail = rest.split(end, 1)[1]
    lines = [COLUMNS[table], ["---"] * len(COLUMNS[table]), *([name, *rows[name]] for name in sorted(rows))]
    return head + begin + "".join(f"| {' | '.join(line)} |\n" for line in lines) + end + tail


# ---- What a test is about ----

def first_sentence(path):
    """Of a Python file's documentation, or of the comment at the top of a C file, behind its name."""
    text = read(path)
    if path.endswith(".py"):
        said = ast.get_docstring(ast.parse(text)) or ""
    else:
        comment = re.match(r"/\*(.*?)\*/", text, re.S)
        said = re.sub(r"^\*\*", "", comment[1] if comment else "", flags=re.M)
        said = re.sub(r"^\s*\S+ - ", "", said)
    paragraph = re.split(r"\n\s*\n", said.strip())[0]
    said = " ".join(paragraph.split()).replace("|", "/")  # which would end a cell
    sentence = re.match(r".*?[.?!](?= [A-Z`]|$)", said)
    return (sentence[0] if sentence else said).rstrip(".")


@dataclass
class Program:
    """A test program, as tests/meson.build defines it."""
    name: str  # suite/name
    path: str  # its source


def programs(build):
    """Those of a build directory."""
    def ask(what):
        return json.loads(subprocess.check_output(["meson", "introspect", what, build]))
    # Without the generated files of the registry, a program's first source is the one that is about it.
    sources = {name: [source for group in target["target_sources"] for source in group.get("sources", [])]
               for target in ask("--targets") for name in target["filename"]}
    for test in ask("--tests"):
        program, *arguments = test["cmd"]
        script = next((word for word in arguments if word.endswith(".py")), None)
        yield Program(f"{test['suite'][0].split(':')[-1]}/{test['name']}", script or sources[program][0])


def is_gone(name, known):
    """Neither in the build directory nor, for other options than this one has, in tests/meson.build."""
    suite, short = name.split("/")
    listed = read(os.path.join(ROOT, "tests/meson.build"))
    return name not in known and not re.search(rf"'{short}'" if suite in ("unit", "kill") else rf"'{suite}', '{short}'", listed)


# ---- The reports ----

def thousands(number):
    return f"{number:,}"


def count(result):
    """Cases, and what else it counted: `548 (93,978 faults)`."""
    counted = result.get("counted")
    return thousands(result["passed"]) + (f" ({thousands(counted[0])} {counted[1]})" if counted else "")


def add_tests(rows, report, known):
    for result in report:
        name, watched = result["name"], "asan" in result["build"]
        if result["failed"]:
            raise Refused(f"{name} failed in {result['build']}")
        cells = rows.setdefault(name, ["", "—", "—"])
        cells[2 if watched else 1] = count(result)
    for name in list(rows):
        if name in known:
            rows[name][0] = first_sentence(known[name])
        elif is_gone(name, known):
            del rows[name]


def coverage_row(report):
    def share(of, what):
        return f"{100 * of[what] / of['of_' + what]:.1f} % of the {what}"
    return ", ".join(f"`{directory}`: {share(of, 'lines')}, {share(of, 'branches')}" for directory, of in sorted(report.items()))


def mutation_row(report):
    missed = [one["what"] for one in report if one["outcome"] != "caught"]
    if missed:
        raise Refused(f"not caught: {'; '.join(missed)}")
    return f"{len(report)} bugs, all noticed"


def add_runs(rows, reports):
    if "coverage" in reports:
        rows["`make coverage`"] = ["How much of the engine and of the stores the tests reach", coverage_row(reports["coverage"])]
    if "mutation" in reports:
        about = first_sentence(os.path.join(ROOT, "tests/mutation/run.py"))
        rows["`make mutation`"] = [about, mutation_row(reports["mutation"])]
    for target, executions in reports.get("fuzz", {}).items():
        if executions is None:
            raise Refused(f"fuzz/{target} failed")
        about = first_sentence(os.path.join(ROOT, f"tests/fuzz/fuzz_{target}.c"))
        rows[f"fuzz/{target}"] = [about, f"{thousands(executions)} executions"]
    for name in [name for name in rows if name.startswith("fuzz/")]:
        if not os.path.exists(os.path.join(ROOT, f"tests/fuzz/fuzz_{name[5:]}.c")):
            del rows[name]


def read_reports(directory):
    found = {}
    for name in ("tests", "coverage", "mutation", "fuzz"):
        path = os.path.join(directory, f"{name}.json")
        if os.path.exists(path):
            found[name] = json.loads(read(path))
    if not found:
        raise Refused(f"there is no report in {directory}: run `make test` first")
    return found


def main():
    parser = argparse.ArgumentParser(description="Write the tables of docs/reliability.md from the reports of what was run.")
    parser.add_argument("--build-dir", action="append", metavar="DIR", help="whose tests there are; may be given several times")
    parser.add_argument("--reports", default=os.path.join(ROOT, "build/reports"), metavar="DIR", help="where the reports are")
    args = parser.parse_args()
    try:
        reports = read_reports(args.reports)
        known = {p.name: p.path for build in args.build_dir or ["build"] for p in programs(build)}
        text = read(DOCUMENT)
        tests, runs = rows_of(text, "tests"), rows_of(text, "runs")
        add_tests(tests, reports.get("tests", []), known)
        add_runs(runs, reports)
    except Refused as why:
        print(f"reliability: {why}", file=sys.stderr)
        return 1
    with open(DOCUMENT, "w", encoding="utf-8") as out:
        out.write(with_rows(with_rows(text, "tests", tests), "runs", runs))
    print(f"docs/reliability.md: {len(tests)} tests, {len(runs)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
