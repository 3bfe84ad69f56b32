"""Charts as inline SVG: no script, no style of their own, colours from the page's stylesheet.

pygal draws the charts: it is small, has no further dependencies, and its SVG has classes for CSS, so that charts
follow the dark setting of the page. Matplotlib writes colours into every shape; Plotly and Vega need a script or an
engine of 100 MB. The elements for pygal's own script and style are removed.
"""

from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Comment, Element

from markupsafe import Markup

from kafka_census.private.pygal import pygal
from kafka_census.reading.html.cells import Form
from kafka_census.reading.html.figure import Chart, Figure
from kafka_census.reading.sql.session import Row

_SHAPE = {"bars": pygal.Bar, "lines": pygal.Line}
_WIDTH, _HEIGHT = 460, 250
_LABELS = 4
"""Number of times that fit side by side on the axis."""
_FOR_ITS_SCRIPT: tuple[object, ...] = (Comment, "defs", "desc", "title")


def drawn(figure: Figure, rows: Sequence[Row]) -> Markup | None:
    """The chart of a figure; None without a chart, without rows, or without two points for a line."""
    chart = figure.chart
    if chart is None or len(rows) < (2 if chart.kind == "lines" else 1):
        return None
    titles = [column.title for column in figure.columns]
    series = {name: [row[titles.index(name)] for row in rows] for name in chart.series}
    if all(value is None for values in series.values() for value in values):
        return None
    form = figure.columns[titles.index(chart.series[0])].form
    labels = [_label(row[0], figure.columns[0].form) for row in rows]
    return Markup(_svg(chart, figure.title, labels, series, form))  # noqa: S704 - pygal escapes its input


def _svg(chart: Chart, title: str, labels: Sequence[str], series: dict[str, list[object]], form: Form) -> str:
    canvas = _SHAPE[chart.kind](
        width=_WIDTH,
        height=_HEIGHT,
        js=(),
        no_prefix=True,
        disable_xml_declaration=True,
        show_legend=len(series) > 1,
        legend_at_bottom=True,
        legend_box_size=10,
        margin=6,
        margin_right=28,
        spacing=8,
        include_x_axis=True,
        show_x_guides=False,
        max_scale=5,
        dots_size=2.5,
        value_formatter=form.text,
        x_label_rotation=0,
        truncate_label=16,
        allow_interruptions=True,
    )
    canvas.x_labels = list(labels)
    if chart.kind == "lines":
        canvas.x_labels_major = list(labels)[:: -(-len(labels) // _LABELS)]
        canvas.show_minor_x_labels = False
    for name, values in series.items():
        canvas.add(name, values)
    canvas.add_xml_filter(lambda root: _bare(root, title))
    return str(canvas.render(is_unicode=True))


def _label(value: object, form: Form) -> str:
    """A label of the axis; times have no year and no zone, because an axis has little room."""
    return f"{value:%m-%d %H:%M}" if isinstance(value, datetime) else form.text(value)


def _bare(root: Element, title: str) -> Element:
    """The drawing with a name for screen readers, without the elements for pygal's script and style."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in _FOR_ITS_SCRIPT:
                parent.remove(child)
    for each in root.iter():
        each.attrib.pop("style", None)
    root.attrib.pop("id", None)
    root.set("role", "img")
    named = Element("title")
    named.text = title
    root.insert(0, named)
    return root
