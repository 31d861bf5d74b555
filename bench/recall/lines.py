"""The lines of questions by words and meaning."""

from table import Line, Rival, short

WAYS = {"all": "a question by words and meaning, among {messages:,.0f} messages", "role": "  of one role", "time": "  of a sixth of the time",
        "user": "  of one user's chats"}


def rivals(f):
    """Medians: of the other way fewer questions are asked."""
    if "better_all_p50" not in f:
        return ()
    return (Rival("FTS5 and sqlite-vec", f"{short(f['better_all_p50'])} ms, p99 {short(f['better_all_p99'])} ms", f["better_all_p50"] / f["all_p50_ms"]),)


def recall_lines(f):
    for way, name in WAYS.items():
        yield Line(name.format(**f), f"p99 {f[way + '_p99_ms']:.0f} ms (median {short(f[way + '_p50_ms'])})", "60 ms", f[way + "_p99_ms"] / 60, at_most=1,
                   fixed=True, rivals=rivals(f) if way == "all" else ())
        yield Line("  found less than it asked for", f"{f[way + '_short']:.0f} times of 1,000")
    yield Line("  to index and embed all", f"{f['index_s'] + f['embed_s']:.0f} s")
