"""The lines of the search for near vectors."""

from table import Line, Rival, short, spread


def near_lines(f):
    what = f"the 10 nearest of {f['rows']:,.0f} x 768"
    for kind, name, goal in (("clusters", f"{what}, overlapping clusters, processor time", 0.99), ("noise", "  near noise", 0.95)):
        yield Line(name, f"{f[kind + '_search_ms']:.1f} ms", f"{f[kind + '_bare_ms']:.1f} ms", 1 / f[kind + "_ratio"], more=True,
                   at_least=0.66 if f["rows"] >= 1_000_000 else None)
        yield Line("  of the truly nearest are found", f"{f[kind + '_recall']:.3f}", "", f[kind + "_recall"], at_least=goal)
    if "sqlite_vec_near_cpu_p50" in f:
        yield Line("  beside sqlite-vec, processor time", spread(f, "stele_near_cpu"), rivals=(Rival(
            "sqlite-vec", f"{short(f['sqlite_vec_near_cpu_p50'])} ms, {f['sqlite_vec_near_rss_mb']:.0f} MB", f["sqlite_vec_near_cpu_p50"] / f["stele_near_cpu_p50"]),))
        yield Line("    of what it finds are found", f"{f['agreed']:.3f}")
