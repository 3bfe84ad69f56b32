"""A census as one HTML file, which opens from a disk, runs no script, and sends no request.

Its Content-Security-Policy allows the page's own stylesheet, by its hash, and nothing else. Names from Kafka are always
text.
"""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kafka_census import __version__
from kafka_census.reading.html.cells import TEXT, TIME
from kafka_census.reading.html.charts import drawn
from kafka_census.reading.html.read import Page
from kafka_census.terminal.display import printable, printable_lines


def as_html(page: Page) -> str:
    """The whole file."""
    style = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return (
        _environment()
        .get_template("page.html")
        .render(
            page=page,
            head=page.head,
            style=Markup(style),  # noqa: S704 - ours
            policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
            at=TIME.text(page.head.at),
            version=__version__,
        )
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
    environment.globals.update(drawn=drawn, name=TEXT.text)
    return environment


def _shown(value: object) -> object:
    """Make a text of the page printable; values that are HTML already stay unchanged."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
