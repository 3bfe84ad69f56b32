"""Headless Chromium, driven by its DevTools protocol through a pipe: a page's content, appearance and requests.

Debian's package chromium-headless-shell or chromium is enough (tests/platforms.py); no driver, no port. A test fails
where neither is installed: a page that no browser has rendered is not tested.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

_PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
_SECONDS = 60


class Tab:
    """A tab: `console` holds its messages, `requests` its requests.

    console   the messages of a browser's console, including errors and violations of the page's policy
    requests  URLs, that of the page first
    """

    def __init__(self, ours: int, theirs: int) -> None:
        self.console: list[str] = []
        self.requests: list[str] = []
        self._ours, self._theirs, self._numbers = ours, theirs, count(1)
        self._held, self._session, self._loaded = b"", "", False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def open(self, page: Path, width: int, *, dark: bool = False, media: str = "screen") -> None:
        """Load a page into a window of this width."""
        narrow = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=narrow)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.console.clear()
        self.requests.clear()
        self._loaded = False
        self.call("Page.navigate", url=page.absolute().as_uri())
        while not self._loaded:
            self._heed(self._message())

    def says(self, expression: str) -> Any:
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Send a command to the browser, or to the tab once it exists, and wait for the answer."""
        number = next(self._numbers)
        asked = {"id": number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._ours, json.dumps(asked).encode() + b"\0")
        while (reported := self._message()).get("id") != number:
            self._heed(reported)
        assert "error" not in reported, f"{method}: {reported['error']}"
        result: dict[str, Any] = reported["result"]
        return result

    def _heed(self, reported: dict[str, Any]) -> None:
        params = reported.get("params", {})
        match reported.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Log.entryAdded":
                self.console.append(params["entry"]["text"])
            case "Runtime.consoleAPICalled":
                self.console.append(f"console.{params['type']}")
            case "Runtime.exceptionThrown":
                self.console.append(params["exceptionDetails"]["text"])
            case "Page.javascriptDialogOpening":
                self.console.append(f"dialog: {params['message']}")
                raise AssertionError(f"the page opened a dialog: {params['message']}")

    def _message(self) -> dict[str, Any]:
        until = monotonic() + _SECONDS
        while b"\0" not in self._held:
            ready, _, _ = select([self._theirs], [], [], max(until - monotonic(), 0))
            assert ready, f"Chromium said nothing for {_SECONDS} s"
            some = os.read(self._theirs, 1 << 20)
            assert some, "Chromium ended"
            self._held += some
        message, _, self._held = self._held.partition(b"\0")
        reported: dict[str, Any] = json.loads(message)
        return reported


def program() -> str:
    found = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    assert found, "Chromium is not installed: apt-get install chromium-headless-shell (or chromium)"
    return found


@contextmanager
def chromium() -> Iterator[Tab]:
    to_read, ours = os.pipe()
    theirs, to_write = os.pipe()
    # Chromium expects the pipe at descriptors 3 and 4.
    given = f'exec "$@" 3<&{to_read} 4>&{to_write}'
    with TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        command = ["bash", "-c", given, "chromium", program(), *_FLAGS, f"--user-data-dir={profile}"]
        with subprocess.Popen(
            command, pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as browser:
            os.close(to_read)
            os.close(to_write)
            try:
                yield Tab(ours, theirs)
            finally:
                os.close(ours)
                browser.terminate()
                browser.wait(timeout=_SECONDS)
                os.close(theirs)
