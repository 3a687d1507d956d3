"""A page opened in a browser, with its requests to the network and its messages."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

# The last three keep Chromium from requests of its own.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Chromium; the test is skipped where there is none."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=QUIET)
        yield browser
        browser.close()


class Visit:
    """A page that is opened.

    - `requests`: the addresses that it asked for.
    - `messages`: the texts of its console, its errors and its dialogs.
    """

    def __init__(self, page: Page, html: Path) -> None:
        self.page = page
        self.requests: list[str] = []
        self.messages: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: self.messages.append(dialog.message))
        page.goto(html.as_uri())
