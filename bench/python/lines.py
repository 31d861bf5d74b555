"""The lines of the Python package."""

from table import Line


def python_lines(f):
    above = f["call_us"] - f["c_us"]
    yield Line("Python: one write in memory", f"{f['call_us']:.2f} us", f"{f['c_us']:.2f} us from C", f["call_us"] / f["c_us"])
    yield Line("  above the C call", f"{above:.2f} us", "5 us", above / 5, at_most=1, fixed=True)
    yield Line("  twenty rows", f"{f['rows_us']:.1f} us")
