"""The lines of the telemetry store, and of what every call costs."""

from table import Line, Rival, beside_lines


def insert_lines(f):
    for way, name in (("call", "stele_call"), ("stele", "prepare, bind, step")):
        stele, bare = f[f"{way}_rows_per_s"], f["limit_rows_per_s"]
        yield Line(f"insert {f['rows']:,.0f} rows, batches of 100: {name}", f"{stele:,.0f} rows/s",
                   f"{bare:,.0f} rows/s", f[f"{way}_ratio"], at_least=0.9)
    yield from beside_lines(f, "batch", "  a batch", {"better": "better-sqlite3"})


def database_lines(f):
    yield Line(f"PostgreSQL: insert {f['rows']:,.0f} rows, batches of 100", f"{f['stele_rows_per_s']:,.0f} rows/s",
               rivals=(Rival("plain PostgreSQL", f"{f['plain_rows_per_s']:,.0f} rows/s", f["stele_ratio"]),))
    yield from beside_lines(f, "batch", "  a batch", {"plain": "plain PostgreSQL"}, costs=False)


def query_lines(f):
    def spread(name):
        return f"{f[name + '_p50']:.1f} ms (p95 {f[name + '_p95']:.1f}, max {f[name + '_max']:.1f})"
    yield Line(f"listener summary, {f['rows']:,.0f} rows", spread("listener_summary"), "30 ms",
               f["listener_summary_p50"] / 30, at_most=1, fixed=True)
    yield Line("  processor time", f"{f['listener_summary_cpu_ms']:.1f} ms", "30 ms", f["listener_summary_cpu_ms"] / 30)
    for key in f:
        if key.endswith("_p50") and key != "listener_summary_p50":
            name = key.removesuffix("_p50")
            yield Line(f"  {name.replace('_', ' ')}", spread(name))


def writers_lines(f):
    limit = max(100, 3 * f["eight_slowest_sync_ms"])
    yield Line("8 writers, durability full", f"{f['eight_per_s']:,.0f}/s",
               f"{f['lone_per_s']:,.0f}/s alone", f["ratio"], at_least=0.6)
    yield Line("  longest call", f"{f['eight_max']:.0f} ms (p50 {f['eight_p50']:.1f}, p99 {f['eight_p99']:.1f})",
               f"{limit:.0f} ms (slowest sync {f['eight_slowest_sync_ms']:.0f})", f["eight_max"] / limit, at_most=1, fixed=True)
    yield Line("  calls that failed", f"{f['eight_failures']:.0f}", "0", f["eight_failures"], at_most=0)
    yield Line("  the same with SQLite's busy timeout alone", "",
               f"{f['bare_per_s']:,.0f}/s, p99 {f['bare_p99']:.1f}, max {f['bare_max']:,.0f} ms",
               f["eight_per_s"] / f["bare_per_s"])


def overhead_lines(f):
    for way, name in (("json", "stele_call"), ("typed", "bind, step, reset")):
        yield Line(f"one write in memory: {name}", f"{f[way + '_us']:.2f} us", f"{f['bare_us']:.2f} us",
                   f[f"{way}_us"] / f["bare_us"])


REPEATED = {"query": query_lines, "writers": writers_lines, "overhead": overhead_lines}
