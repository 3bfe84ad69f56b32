"""A census as one HTML file, which opens from a disk and sends no request.

Its Content-Security-Policy allows the page's own stylesheet and script, by their hashes, and nothing else. The script
only sorts and searches what the page shows without it. Names from Kafka are always text.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kafka_census import __version__
from kafka_census.reading.html.cells import TIME
from kafka_census.reading.html.numbers import difference
from kafka_census.reading.html.problems import told
from kafka_census.reading.html.read import Page
from kafka_census.reading.html.rows import chip, column_styles, in_page
from kafka_census.reading.html.sparkline import sparkline
from kafka_census.reading.html.verdict import verdict
from kafka_census.terminal.display import printable, printable_lines


def as_html(page: Page) -> str:
    """The whole file."""
    trends = [(number.by_census, trend) for number, _, trend in page.numbers if trend.known]
    problems = told(page)
    figures = [*trends, *(each for each in page.figures if each[1].known)]
    text = rendered(
        "page.html",
        [column_styles(figure.slug, figure.columns) for figure, _ in figures],
        page=page,
        head=page.head,
        at=TIME.text(page.head.at),
        problems=problems,
        verdict=verdict(page, problems),
        rows=in_page(figures),
    )
    return _without_dead_links(text)


def rendered(template: str, styles: Sequence[str], **values: object) -> str:
    """A template with the stylesheet and rules besides, the script, and the policy that allows both."""
    style, script = (files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    style = "\n".join([style, *styles, ""])
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}"
    return (
        _environment()
        .get_template(template)
        .render(
            style=Markup(style),  # noqa: S704 - ours
            script=Markup(script),  # noqa: S704 - ours
            policy=f"{policy}; base-uri 'none'; form-action 'none'",
            version=__version__,
            **values,
        )
    )


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _without_dead_links(html: str) -> str:
    """The page with the text alone where a link's row or section is not in it. In names every `<` is escaped."""
    there = set(re.findall(r'<[^>]* id="([^"]*)"', html))
    return re.sub(
        r'<a href="#([^"]*)">(.*?)</a>', lambda link: link[0] if link[1] in there else link[2], html, flags=re.DOTALL
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kafka_census.reading.html", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_shown,
    )
    environment.filters["lines"] = lambda text: Markup(escape(printable_lines(text)))  # noqa: S704 - escaped
    environment.globals.update(chip=chip, sparkline=sparkline, difference=difference)
    return environment


def _shown(value: object) -> object:
    """Make a text of the page printable; values that are HTML already stay unchanged."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
