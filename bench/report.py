"""docs/performance.md: the table of a run and its pictures take the place of those that stand between the two marks."""

import os

import plot
from machine import sentence
from table import HEAD

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(TOP, "docs", "performance.md")
PICTURE = "performance.svg"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def table(lines):
    def row(cells):
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield row(HEAD)
    yield "|" + "---|" * len(HEAD)
    for line in lines:
        cells = line.cells()
        indented = cells[0].startswith(" ")
        yield row([("&nbsp;&nbsp;" if indented else "") + cells[0].strip(), *cells[1:]])


def elsewhere(measured, commit):
    """Which benchmarks were measured at another commit: {commit: names}."""
    others = {}
    for name, one in measured.items():
        if one["commit"] != commit:
            others.setdefault(one["commit"], []).append(name)
    return others


def section(kept, measured, lines, has_picture):
    yield BEGIN
    yield f"Measured {kept['when'][:10]} at `{kept['commit']}`: {sentence(kept['machine'])}."
    for commit, names in elsewhere(measured, kept["commit"]).items():
        yield f"At `{commit}`: {', '.join(sorted(names))}."
    yield ""
    if has_picture:
        yield f"![How times grow with the messages there are]({PICTURE})"
        yield ""
    yield from table(lines)
    yield END


def write(kept, measured, lines, charts):
    """Put the figures into the document; measured: what each benchmark found, and at which commit."""
    if charts:
        plot.write(os.path.join(os.path.dirname(DOCUMENT), PICTURE), charts)
    with open(DOCUMENT) as file:
        before, _, rest = file.read().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise RuntimeError(f"{DOCUMENT} lacks the marks {BEGIN} and {END}")
    with open(DOCUMENT, "w") as file:
        file.write(before + "\n".join(section(kept, measured, lines, bool(charts))) + after)
