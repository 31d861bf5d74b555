"""The lines of what is taken in: redaction, transcripts."""

from table import Line


def redact_lines(f):
    for kind, name, goal in (("clean", "redaction of clean text", 1), ("suspect", "  with a word like token in every 40 bytes", None),
                             ("dirty", "  with a secret in every 16 KB", None)):
        yield Line(name, f"{f[kind + '_mb_per_s']:,.0f} MB/s", "200 MB/s", f[kind + "_mb_per_s"] / 200, at_least=goal)
    yield Line("  making the rules", f"{f['making_ms']:.1f} ms")


def transcripts_lines(f):
    yield Line(f"import {f['bytes'] / 1e6:,.0f} MB of transcripts, redacted", f"{f['mb_per_s']:.0f} MB/s", "60 MB/s",
               f["mb_per_s"] / 60, at_least=1)
    yield Line("  processor time", f"{f['cpu_s_per_gb']:.1f} s/GB")
    yield Line("  memory", f"{f['peak_mb']:.0f} MB", "128 MB", f["peak_mb"] / 128, at_most=1)


def enrich_lines(f):
    yield Line("enrichment by rules", f"{f['rules_per_s']:,.0f} events/s", "2,000 events/s", f["rules_per_s"] / 2000, at_least=1)
    for batch in ("10", "100"):
        yield Line(f"  with the store, {batch} claimed at a time", f"{f[f'store_{batch}_per_s']:,.0f} events/s", "2,000 events/s", f[f"store_{batch}_per_s"] / 2000)


LINES = {"redact": redact_lines, "enrich": enrich_lines, "transcripts": transcripts_lines}
