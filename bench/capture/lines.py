"""The lines of what is taken in: redaction, transcripts, claims."""

from table import Line, Rival, beside_lines


def redact_lines(f):
    for kind, name, goal in (("clean", "redaction of clean text", 1), ("suspect", "  with a word like token in every 40 bytes", None),
                             ("dirty", "  with a secret in every 16 KB", None)):
        yield Line(name, f"{f[kind + '_mb_per_s']:,.0f} MB/s", "200 MB/s", f[kind + "_mb_per_s"] / 200, at_least=goal, fixed=True)
    yield Line("  making the rules", f"{f['making_ms']:.1f} ms")


def transcripts_lines(f):
    yield Line(f"import {f['bytes'] / 1e6:,.0f} MB of transcripts, redacted", f"{f['mb_per_s']:.0f} MB/s", "60 MB/s",
               f["mb_per_s"] / 60, at_least=1, fixed=True)
    megabytes = f["bytes"] / 1e6
    yield Line("  beside its rows by a bare loop, and a script", f"{f['mb_per_s']:.0f} MB/s", f"{megabytes / f['limit_s']:.0f} MB/s",
               f["mb_per_s"] * f["limit_s"] / megabytes, more=True,
               rivals=(Rival("better-sqlite3", f"{megabytes / f['better_s']:.1f} MB/s", f["mb_per_s"] * f["better_s"] / megabytes),))
    limit, better = f["limit_cpu_s"] / f["bytes"] * 1e9, f["better_cpu_s"] / f["bytes"] * 1e9
    yield Line("  processor time", f"{f['cpu_s_per_gb']:.1f} s/GB", f"{limit:.1f} s/GB", limit / f["cpu_s_per_gb"], more=True,
               rivals=(Rival("better-sqlite3", f"{better:.1f} s/GB", better / f["cpu_s_per_gb"]),))
    yield Line("  memory", f"{f['peak_mb']:.0f} MB", "128 MB", f["peak_mb"] / 128, at_most=1, fixed=True,
               rivals=(Rival("better-sqlite3", f"{f['better_peak_mb']:.0f} MB", f["better_peak_mb"] / f["peak_mb"]),))


def enrich_lines(f):
    yield Line("enrichment by rules", f"{f['rules_per_s']:,.0f} events/s", "2,000 events/s", f["rules_per_s"] / 2000, at_least=1, fixed=True)
    for batch in ("10", "100"):
        yield Line(f"  with the store, {batch} claimed at a time", f"{f[f'store_{batch}_per_s']:,.0f} events/s", "2,000 events/s", f[f"store_{batch}_per_s"] / 2000)


def claims_lines(f):
    yield from beside_lines(f, "claim", f"claim a ticket and settle it, among {f['rows']:,.0f}", {"better": "better-sqlite3"})


REPEATED = {"redact": redact_lines, "enrich": enrich_lines}
