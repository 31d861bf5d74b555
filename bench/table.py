"""The table of the benchmarks: what was measured, what it is held against, and the target for their ratio."""

from dataclasses import dataclass

TOLERANCE = 0.15  # how much worse a ratio may become before `make bench-check` says so, as a part of what it was


def spread(f, name, unit="ms"):
    """The times of single calls, from the figures NAME_p50 and so on."""
    return f"{short(f[name + '_p50'])} {unit} (p95 {short(f[name + '_p95'])}, p99 {short(f[name + '_p99'])}, max {short(f[name + '_max'])})"


def short(number):
    """Three digits that count."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}" if number >= 0.1 else f"{number:.3f}"


@dataclass
class Rival:
    """What one would pick instead, in the same run.  The ratio says how many times as fast, or as small, Stele is."""
    name: str
    figure: str
    ratio: float

    def cell(self):
        return f"{self.name} {self.figure} (x {short(self.ratio)})"


@dataclass
class Line:
    """One line of the table.  at_least or at_most is the target for the ratio; neither: for information, and then more is better
    where `more` says so."""
    what: str
    stele: str
    bare: str = ""
    ratio: float = None
    at_least: float = None
    at_most: float = None
    more: bool = False              # without a target: the ratio is checked all the same, more is better
    fixed: bool = False             # held against a number, not against something that was measured in the same run
    tolerance: float = TOLERANCE
    rivals: tuple = ()

    def target(self):
        if self.at_least is not None:
            return f">= {self.at_least:g}"
        return f"<= {self.at_most:g}" if self.at_most is not None else ""

    def good(self, ratio):
        """Does a ratio meet the target?  None: there is none."""
        if ratio is None or (self.at_least is None and self.at_most is None):
            return None
        return ratio >= self.at_least if self.at_least is not None else ratio <= self.at_most

    def met(self):
        return {None: "", True: "yes", False: "NO"}[self.good(self.ratio)]

    def worse_than(self, ratio):
        """How much worse this ratio is than another, as a part of that: 0.2 is a fifth worse.  None: nobody says which is better, or
        it is held against a fixed number and the target is met as it was: another machine is not a worse program."""
        if self.ratio is None or ratio is None or (self.at_least is None and self.at_most is None and not self.more):
            return None
        if self.fixed and (self.good(self.ratio) or not self.good(ratio)):
            return None
        before, now = (self.ratio, ratio) if self.at_most is not None else (ratio, self.ratio)
        return before / now - 1 if now else (float("inf") if before else 0.0)

    def cells(self):
        return [self.what, self.stele, self.bare, "" if self.ratio is None else short(self.ratio), self.target(), self.met(),
                "; ".join(rival.cell() for rival in self.rivals)]


def beside_lines(f, name, what, sides, costs=True):
    """The line of what Stele did, from the figures stele_NAME_p50 and so on, beside those of the limit and of the sides, {its
    prefix: its name}, that did it; and one of what that costs."""
    yield _beside(f, name, what, sides, lambda side: spread(f, f"stele_{name}") if side == "stele" else f"{short(f[f'{side}_{name}_p50'])} ms")
    if costs:
        def cost(side):
            memory = f.get(f"{side}_{name}_rss_mb")
            return f"{short(f[f'{side}_{name}_cpu_p50'])} ms" + (f", {memory:.0f} MB" if memory else "")
        margin = " " * (len(what) - len(what.lstrip()) + 2)
        yield _beside(f, f"{name}_cpu", f"{margin}processor time and memory", sides, cost)


def _beside(f, name, what, sides, cell):
    def ratio(side):
        return f[f"{side}_{name}_p50"] / f[f"stele_{name}_p50"]
    there = [side for side in ("limit", *sides) if f"{side}_{name}_p50" in f]
    limit = "limit" in there
    return Line(what, cell("stele"), cell("limit") if limit else "", ratio("limit") if limit else None, more=True,
                rivals=tuple(Rival(sides[side], cell(side), ratio(side)) for side in there if side != "limit"))


HEAD = ["what", "Stele", "limit", "ratio", "target", "met", "what one would pick instead"]


def keyed(benchmark, lines):
    """{name: line} of one benchmark's lines: what is indented belongs to the line above it that is not."""
    named, above = {}, ""
    for line in lines:
        if not line.what.startswith(" "):
            above = line.what
        own = [benchmark, above] if line.what == above else [benchmark, above, line.what.strip()]
        key, n = ": ".join(own), 2
        while key in named:
            key, n = f"{': '.join(own)} ({n})", n + 1
        named[key] = line
    return named


def print_table(lines):
    table = [HEAD, *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
