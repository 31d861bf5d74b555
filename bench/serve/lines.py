"""The lines of the server, with 64 connections."""

from table import Line, Rival


def rival(f, name):
    return (Rival("Node with better-sqlite3", f"{f[f'better_{name}_per_s']:,.0f}/s (p99 {f[f'better_{name}_p99_ms']:.1f} ms)",
                  f[f"{name}_per_s"] / f[f"better_{name}_per_s"]),)


def serve_lines(f):
    yield Line("server: a small method", f"{f['small_per_s']:,.0f}/s (p99 {f['small_p99_ms']:.1f} ms)", "20,000/s",
               f["small_per_s"] / 20000, at_least=1, fixed=True, rivals=rival(f, "small"))
    yield Line("server: a row", f"{f['rows_per_s']:,.0f}/s (p99 {f['rows_p99_ms']:.1f} ms)", rivals=rival(f, "rows"))
    yield Line("server: durable writes", f"{f['writes_per_s']:,.0f}/s (p99 {f['writes_p99_ms']:.1f} ms)",
               f"{f['loop_per_s']:,.0f}/s, a commit per call", f["ratio"], at_least=3, rivals=rival(f, "writes"))
    for name in ("small", "rows", "writes"):
        yield Line(f"  processor time, {name}", f"{f[name + '_cpu_us']:.0f} us each")
    yield Line("  memory of its own, at rest", f"{f['at_rest_mb']:.0f} MB", "30 MB", f["at_rest_mb"] / 30, at_most=1, fixed=True)
    yield Line("  after the load", f"{f['own_mb']:.0f} MB ({f['rss_mb']:.0f} MB in all)")
    yield Line("  doing nothing", f"{f['idle_percent']:.2f} % of a processor")
