"""The table of the benchmarks: what was measured, what it is held against, and the target for their ratio."""

from dataclasses import dataclass


@dataclass
class Line:
    """One line of the table.  at_least or at_most is the target for the ratio; neither: for information."""
    what: str
    stele: str
    bare: str = ""
    ratio: float = None
    at_least: float = None
    at_most: float = None

    def target(self):
        if self.at_least is not None:
            return f">= {self.at_least:g}"
        return f"<= {self.at_most:g}" if self.at_most is not None else ""

    def met(self):
        if self.at_least is None and self.at_most is None:
            return ""
        good = self.ratio >= self.at_least if self.at_least is not None else self.ratio <= self.at_most
        return "yes" if good else "NO"

    def cells(self):
        return [self.what, self.stele, self.bare, "" if self.ratio is None else f"{self.ratio:.2f}",
                self.target(), self.met()]


def print_table(lines):
    table = [["what", "Stele", "bare, or limit", "ratio", "target", "met"], *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
