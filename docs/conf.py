"""How Sphinx builds docs/ as a site: `make site`, offline."""

project = "kafka-census"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = project
myst_heading_anchors = 4
nitpicky = True
