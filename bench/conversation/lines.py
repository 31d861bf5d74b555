"""The lines of the conversation store: appending, importing, indexing, searching, upkeep."""

from table import Line, Rival, spread


def import_lines(f):
    def rate(name):
        return f"{f[name]:,.0f} msg/s"
    rows, megabytes = f["rows"], f["raw_bytes"] / 1e6
    yield Line(f"import and index {rows:,.0f} messages, {megabytes:.0f} MB", rate("import_and_index_per_s"), "5,000 msg/s",
               f["import_and_index_per_s"] / 5000, at_least=1, fixed=True)
    yield Line("  import alone", rate("import_per_s"))
    yield Line("  index alone", f"{rate('index_per_s')}, {f['index_bytes_per_s'] / 1e6:.1f} MB/s", "8,000 msg/s",
               f["index_per_s"] / 8000, at_least=1, fixed=True)
    yield Line("  index and merge", rate("index_and_merge_per_s"))
    yield Line("  processor time, index and merge", f"{f['index_cpu_us_per_row']:.0f} us/msg", "125 us/msg",
               f["index_cpu_us_per_row"] / 125)
    yield Line("  size of store and index", f"{f['size_ratio'] * megabytes:.0f} MB", f"{megabytes:.0f} MB of text",
               f["size_ratio"], at_most=1.9, fixed=True)


def append_lines(f):
    for way, name in (("call", "stele_call"), ("typed", "prepare, bind, step")):
        yield Line(f"append, durability full: {name}", f"{f[way + '_per_s']:,.0f}/s", f"{f['bare_per_s']:,.0f}/s",
                   f[way + "_ratio"], at_least=0.8)
        yield Line("  processor time", f"{f[way + '_cpu_us']:.0f} us", f"{f['bare_cpu_us']:.0f} us",
                   f[way + "_cpu_us"] / f["bare_cpu_us"])
    yield Line(f"  p99 at {f['late_rows']:,.0f} messages", spread(f, "late"),
               f"3 ms (bare beside it {f['late_bare_p99']:.1f})", f["late_p99"] / 3, at_most=1, fixed=True)


def appenders_lines(f):
    limit = max(100, 3 * f["eight_slowest_sync_ms"])
    yield Line("8 processes append, a ninth indexes", f"{f['eight_per_s']:,.0f}/s", f"{f['lone_per_s']:,.0f}/s alone",
               f["ratio"], at_least=0.6)
    yield Line("  longest append", f"{f['eight_max']:.0f} ms (p50 {f['eight_p50']:.1f}, p99 {f['eight_p99']:.1f})",
               f"{limit:.0f} ms (slowest sync {f['eight_slowest_sync_ms']:.0f})", f["eight_max"] / limit, at_most=1, fixed=True)
    yield Line("  calls that failed", f"{f['eight_failures']:.0f}", "0", f["eight_failures"], at_most=0)
    yield Line("  messages lost, or not indexed", f"{f['lost']:.0f}, {f['not_indexed']:.0f}", "0",
               abs(f["lost"]) + abs(f["not_indexed"]), at_most=0)


def search_lines(f):
    for name, what, limit in (("mixed", "mixed queries", 10), ("common", "a word in 85 % of them", 20),
                              ("chinese", "one or two Chinese characters", 10)):
        yield Line(f"search {f['rows']:,.0f} messages: {what}", spread(f, name), f"p99 {limit} ms",
                   f[name + "_p99"] / limit, at_most=1, fixed=True)
        yield Line("  processor time", spread(f, name + "_cpu"), f"p99 {limit} ms", f[name + "_cpu_p99"] / limit)
    yield Line(f"search {f['rows']:,.0f} messages as one types, with facets", spread(f, "typing"), "p99 50 ms",
               f["typing_p99"] / 50, at_most=1, fixed=True)
    yield Line("  processor time", spread(f, "typing_cpu"), "p99 50 ms", f["typing_cpu_p99"] / 50)
    yield Line(f"search {f['rows']:,.0f} messages: a part of a word", spread(f, "substring"))
    yield Line("  processor time", spread(f, "substring_cpu"))


def upkeep_lines(f):
    yield Line("replace 1,000 messages", f"{f['replace_p50']:.0f} ms (max {f['replace_max']:.0f})", "50 ms",
               f["replace_p50"] / 50, at_most=1, fixed=True)
    yield Line("  processor time", f"{f['replace_cpu_p50']:.0f} ms", "50 ms", f["replace_cpu_p50"] / 50)
    yield Line(f"prune {f['pruned']:,.0f} messages: longest append of another",
               f"{f['pruned_max']:.0f} ms (p99 {f['pruned_p99']:.1f})",
               f"50 ms (slowest sync {f['pruned_slowest_sync_ms']:.0f}, longest without pruning {f['alone_max']:.0f})",
               f["pruned_max"] / 50, at_most=1, fixed=True,
               rivals=(Rival("the original", f"{f['original_pruned_max']:,.0f} ms", f["original_pruned_max"] / f["pruned_max"]),))


def convert_lines(f):
    yield Line(f"convert {f['rows']:,.0f} messages to compatible: longest append of another",
               f"{f['into_max']:.0f} ms (p99 {f['into_p99']:.1f})", f"slowest sync {f['into_slowest_sync_ms']:.0f} ms")
    yield Line("  and back", f"{f['back_max']:.0f} ms (p99 {f['back_p99']:.1f})",
               f"slowest sync {f['back_slowest_sync_ms']:.0f} ms")


SCALE_LIMIT = 20  # ms, p99


def scale_lines(figures):
    """All methods of one engine after the other; what is held against the limit is the time spent computing, which a busy machine does not change."""
    for engine in ("sqlite", "postgres"):
        f = {name.removeprefix(f"{engine}_"): value for name, value in figures.items() if name.startswith(f"{engine}_")}
        if not f:
            continue
        yield Line(f"among {f['rows']:,.0f} messages, {engine}: p99", "computing (p50, max; by the clock)", f"{SCALE_LIMIT} ms")
        for name in sorted(key.removesuffix("_cpu_p99") for key in f if key.endswith("_cpu_p99")):
            yield Line(f"  {name.replace('_', ' ')}",
                       f"{f[name + '_cpu_p99']:.2f} ms ({f[name + '_cpu_p50']:.2f}, {f[name + '_cpu_max']:.1f}; {f[name + '_p99']:.1f})", "",
                       f[name + "_cpu_p99"] / SCALE_LIMIT, at_most=1, fixed=True)


REPEATED = {"search": search_lines, "append": append_lines, "appenders": appenders_lines, "convert": convert_lines}
