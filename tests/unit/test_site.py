"""docs/ is a site: every page is in it, every link and anchor is right, and no page loads anything from elsewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make site` builds it: a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(DOCS), str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


def test_every_page_of_docs_is_in_the_site_and_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    """Scripts, styles, fonts and images are files of the site; links that a reader follows may lead out of it."""
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert all((site / page).is_file() for page in pages)
    loaded = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["'](https?:)?//""")
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page


def test_the_search_works_without_a_server(site: Path) -> None:
    """Its index is a script, and it shows no summaries: browsers let no page of a folder fetch a file."""
    assert '<script src="searchindex.js"' in (site / "search.html").read_text(encoding="utf-8")
    assert "SHOW_SEARCH_SUMMARY: false" in (site / "_static" / "documentation_options.js").read_text(encoding="utf-8")
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert index.startswith("Search.setIndex(")
    assert all(f'"{path.stem}"' in index for path in DOCS.glob("*.md"))
