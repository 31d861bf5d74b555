"""The lines and the charts of growth: what users do with more and more messages, in Stele, at the limit of its engine, and in what
one would pick instead."""

from plot import Chart
from table import Line, Rival, beside_lines, short

# One line each, warm; those of the second list also cold: the first thing that a new process does.
WHAT = {"words": "search: two words", "common": "search: a word in 85 % of them", "chinese": "search: one or two Chinese characters",
        "list": "list sessions", "read": "read a conversation of 1,000 messages", "page": "read the last 50 of a conversation",
        "export": "export everything", "append": "append"}
COLD = [name for name in WHAT if name != "export"]
FILES = {"original": "the original", "better": "better-sqlite3"}
DATABASE = {"plain": "plain PostgreSQL"}


def fill_lines(f, title, sides):
    def rate(side):
        return f"{f[f'{side}_fill_per_s']:,.0f} msg/s"
    named = [side for side in sides if f"{side}_fill_per_s" in f]
    limit = f.get("limit_fill_per_s")
    yield Line(f"{title}: import and index", rate("stele"), rate("limit") if limit else "", f["stele_fill_per_s"] / limit if limit else None,
               more=True, rivals=tuple(Rival(sides[side], rate(side), f["stele_fill_per_s"] / f[f"{side}_fill_per_s"]) for side in named))
    named = [side for side in named if f"{side}_bytes_per_byte" in f]
    yield Line("  bytes on the disk per byte of text", short(f["stele_bytes_per_byte"]), short(f["limit_bytes_per_byte"]) if limit else "",
               f["limit_bytes_per_byte"] / f["stele_bytes_per_byte"] if limit else None, more=True,
               rivals=tuple(Rival(sides[side], short(f[f"{side}_bytes_per_byte"]), f[f"{side}_bytes_per_byte"] / f["stele_bytes_per_byte"])
                            for side in named))


def lines_of(f, title, sides):
    yield from fill_lines(f, title, sides)
    for name, what in WHAT.items():
        if f"stele_{name}_p50" in f:
            yield from beside_lines(f, name, f"  {what}", sides, costs="plain" not in sides)  # of a server only the client's part would be told
    for name in COLD:
        if f"stele_cold_{name}_p50" in f:
            yield from beside_lines(f, f"cold_{name}", f"  cold: {WHAT[name]}", sides, costs=False)


def growth_lines(f):
    yield from lines_of(f, f"{f['rows']:,.0f} messages", FILES)


def listing_lines(f):
    yield from lines_of(f, f"{f['sessions']:,.0f} sessions of 10 messages", FILES)


def postgres_lines(f):
    yield from lines_of(f, f"PostgreSQL, {f['rows']:,.0f} messages", DATABASE)


def charts(figures):
    """How a time grows, from {benchmark: figures}: there must be two sizes of them."""
    found = sorted((f for name, f in figures.items() if name.startswith("growth-")), key=lambda f: f["rows"])
    if len(found) < 2:
        return
    for name, what in WHAT.items():
        sides = {"stele": "Stele", "limit": "limit", **FILES}
        lines = {title: [(f["rows"], f[f"{side}_{name}_p50"]) for f in found if f"{side}_{name}_p50" in f] for side, title in sides.items()}
        if lines["Stele"]:
            yield Chart(what, {title: points for title, points in lines.items() if points}, "ms")
