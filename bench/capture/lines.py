"""The lines of what is taken in: redaction."""

from table import Line


def redact_lines(f):
    for kind, name, goal in (("clean", "redaction of clean text", 1), ("suspect", "  with a word like token in every 40 bytes", None),
                             ("dirty", "  with a secret in every 16 KB", None)):
        yield Line(name, f"{f[kind + '_mb_per_s']:,.0f} MB/s", "200 MB/s", f[kind + "_mb_per_s"] / 200, at_least=goal)
    yield Line("  making the rules", f"{f['making_ms']:.1f} ms")


LINES = {"redact": redact_lines}
