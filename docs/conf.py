"""How Sphinx builds docs/ as a site: `make site`, offline."""

from pygments.lexers.special import TextLexer
from sphinx.highlighting import lexers

project = "kafka-census"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = project
myst_heading_anchors = 4
nitpicky = True
lexers["mermaid"] = TextLexer()  # GitHub draws the picture; the site shows its text
html_show_search_summary = False  # a summary is fetched, which browsers refuse to pages of a folder (file://)
