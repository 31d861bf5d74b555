"""Pictures of what was measured, as SVG: how a time grows with what there is, and how ratios went from run to run."""

import html
import math

WIDTH, HEIGHT, LEFT, TOP, GAP = 260, 170, 56, 34, 30
COLOURS = ("#1f6f5c", "#b5542c", "#4a5fa5", "#8a6d1f")


class Chart:
    """Lines over a shared axis, both logarithmic: points of {name: [(x, y), ...]}."""

    def __init__(self, title, lines, unit):
        self.title, self.unit = title, unit
        self.lines = {name: [(x, y) for x, y in points if y and y > 0] for name, points in lines.items()}
        every = [point for points in self.lines.values() for point in points]
        self.x = _bounds([x for x, _ in every])
        self.y = _bounds([y for _, y in every])

    def _place(self, x, y):
        def part(value, low, high):
            return (math.log10(value) - low) / (high - low)
        return (LEFT + part(x, *self.x) * (WIDTH - LEFT - 10), HEIGHT - 24 - part(y, *self.y) * (HEIGHT - TOP - 24))

    def _grid(self):
        for power in range(math.ceil(self.y[0]), math.floor(self.y[1]) + 1):
            _, y = self._place(10 ** self.x[0], 10.0 ** power)
            yield f'<line x1="{LEFT}" x2="{WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
            yield f'<text x="{LEFT - 5}" y="{y + 3:.1f}" text-anchor="end">{10.0 ** power:g} {self.unit}</text>'
        for power in range(math.ceil(self.x[0]), math.floor(self.x[1]) + 1):
            x, _ = self._place(10.0 ** power, 10 ** self.y[0])
            yield f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="middle">{10 ** power:,}</text>'

    def svg(self):
        yield f'<text x="{LEFT}" y="13" font-weight="bold">{html.escape(self.title)}</text>'
        yield from self._grid()
        for (name, points), colour in zip(self.lines.items(), COLOURS):
            placed = [self._place(*point) for point in points]
            yield f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in placed)}"/>'
            for x, y in placed:
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
        at = LEFT
        for name, colour in zip(self.lines, COLOURS):
            yield f'<text x="{at}" y="26" fill="{colour}">{html.escape(name)}</text>'
            at += 8 + 6 * len(name)


def _bounds(values):
    """The powers of ten around them, a little apart where there is only one."""
    low, high = math.log10(min(values)), math.log10(max(values))
    return (low - 0.15, high + 0.15)


def page(charts, columns=3):
    """All charts in one picture."""
    rows = math.ceil(len(charts) / columns)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{columns * (WIDTH + GAP)}" height="{rows * (HEIGHT + GAP)}" '
           'font-family="sans-serif" font-size="10" fill="#333">')
    yield '<rect width="100%" height="100%" fill="#fff"/>'
    for n, chart in enumerate(charts):
        yield f'<g transform="translate({n % columns * (WIDTH + GAP) + GAP // 2},{n // columns * (HEIGHT + GAP) + GAP // 2})">'
        yield from chart.svg()
        yield "</g>"
    yield "</svg>"


def write(path, charts):
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in page(charts))
