"""The development of a number as a small line without axes, as inline SVG with the colours of the page's stylesheet."""

from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

_WIDTH, _HEIGHT, _MARGIN = 120, 24, 2


def sparkline(values: Sequence[float | None], title: str) -> Markup | None:
    """A line from the lowest to the highest value, interrupted where a value is not known; None below two values."""
    known = [value for value in values if value is not None]
    if len(known) < 2:  # noqa: PLR2004 - a line has two ends
        return None
    low, height = min(known), max(known) - min(known)
    points = [
        None
        if value is None
        else (
            _MARGIN + (_WIDTH - 2 * _MARGIN) * number / (len(values) - 1),
            _HEIGHT / 2 if height == 0 else _HEIGHT - _MARGIN - (_HEIGHT - 2 * _MARGIN) * (value - low) / height,
        )
        for number, value in enumerate(values)
    ]
    runs = [[point for point in run if point] for there, run in groupby(points, key=bool) if there]
    lines = (" ".join(f"{x:.1f},{y:.1f}" for x, y in (run if len(run) > 1 else run * 2)) for run in runs)
    drawn = Markup().join(Markup('<polyline points="{}"/>').format(line) for line in lines)
    svg = Markup('<svg class="spark" viewBox="0 0 {} {}" role="img"><title>{}</title>{}</svg>')
    return svg.format(_WIDTH, _HEIGHT, title, drawn)
