"""Charts as SVG that stands in the page: no script, no style of its own, colours from the page's stylesheet.

pygal draws: it is small, needs nothing that a census does not, and its SVG has classes that CSS can reach, so that a
chart is dark where the page is. Matplotlib's has colours in every shape, Plotly's and Vega's need a script or an
engine of 100 MB. What pygal adds for its own script and style is taken out.
"""

import sys
from collections.abc import Sequence
from datetime import datetime
from xml.etree.ElementTree import Comment, Element

import pygal
from markupsafe import Markup

from kafka_census.html.cells import Form
from kafka_census.html.figure import Chart, Figure
from kafka_census.sql.session import Row

# On import pygal hooks itself into every import of the process, for its maps, and Python 3.11 warns of such a hook.
sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, pygal.PluginImportFixer)]

_SHAPE = {"bars": pygal.Bar, "lines": pygal.Line}
_WIDTH, _HEIGHT = 460, 250
_LABELS = 4
"""Times on the axis that fit side by side."""
_FOR_ITS_SCRIPT: tuple[object, ...] = (Comment, "defs", "desc", "title")


def drawn(figure: Figure, rows: Sequence[Row]) -> Markup | None:
    """The chart of a figure; None where it has none, or no two points that a line could join, or nothing to draw."""
    chart = figure.chart
    if chart is None or len(rows) < (2 if chart.kind == "lines" else 1):
        return None
    titles = [column.title for column in figure.columns]
    series = {name: [row[titles.index(name)] for row in rows] for name in chart.series}
    if all(value is None for values in series.values() for value in values):
        return None
    form = figure.columns[titles.index(chart.series[0])].form
    labels = [_label(row[0], figure.columns[0].form) for row in rows]
    return Markup(_svg(chart, figure.title, labels, series, form))  # noqa: S704 - pygal escapes what it is given


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
    """Of a time no year and no zone: an axis has little room."""
    return f"{value:%m-%d %H:%M}" if isinstance(value, datetime) else form.text(value)


def _bare(root: Element, title: str) -> Element:
    """The drawing with its name for screen readers, and without what is for pygal's script and style."""
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
