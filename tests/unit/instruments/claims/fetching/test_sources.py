"""`fetch` and `download` against a local HTTP server that answers well, badly or with hostility.

First the server and what it answers; then the tests, by subject.
"""

import contextlib
import gzip
import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.fetching import downloads, sources
from mechaware.instruments.claims.fetching.downloads import Limits, download
from mechaware.instruments.claims.fetching.papers import Source
from mechaware.instruments.claims.fetching.sources import _is_same_title, fetch

PDF = b"%PDF-1.7\n" + b"%" * 3000 + b"\n%%EOF\n"
IOI = "Interpretability in the Wild: a Circuit for Indirect Object Identification in GPT-2 small"
ROME = "Locating and Editing Factual Associations in GPT"
LIMITS = Limits(max_bytes=100_000, timeout_s=60.0, attempts=3, allow_private_addresses=True)


# The server's fixed answers, by the first part of the requested path: body, content type, status.
# arXiv and OpenReview serve their PDFs under /pdf, so the tests that imitate them need "pdf".
ANSWERS = {
    "good": (PDF, "application/pdf", 200),
    "pdf": (PDF, "application/pdf", 200),
    "unnamed": (PDF, "application/octet-stream", 200),
    "liar": (b"<html><body>Please log in</body></html>", "application/pdf", 200),
    "page": (b"<html><body>Please log in</body></html>", "text/html; charset=utf-8", 200),
    "latin": ("<p>caf\u00e9</p>".encode("latin-1"), "text/html; charset=ISO-8859-1", 200),
    # Python has codecs of these names, but none is the character set of a page.
    "rot13": (b"<p>6f68", "text/html; charset=rot13", 200),
    "base64": (b"<p>6f68", "text/html; charset=base64", 200),
    "hex": (b"<p>6f68", "text/html; charset=hex", 200),
    "zlib": (b"<p>6f68", "text/html; charset=zlib", 200),
    "idna": (b"<p>6f68", "text/html; charset=idna", 200),
    "text": (b"# A paper", "text/markdown", 200),
    "empty": (b"", "application/pdf", 200),
    "broken": (b"oh", "text/plain", 500),
    "nowhere": (b"no such page", "text/plain", 404),
}
# Where the server redirects to, by the first part of the requested path.
REDIRECTS = {
    "moved": "/good/2",
    "loop": "/loop",
    "tofile": "file:///etc/passwd",
    "toftp": "ftp://example.org/paper.pdf",
    "tometadata": "http://169.254.169.254/latest/meta-data/",
}
# The titles in arXiv's catalogue, by identifier.
TITLES = {
    "2211.00593": IOI,
    "2211.00593v1": IOI,
    "2202.05262": ROME,
    "cs/0112017": "An older paper",
}


class Handler(BaseHTTPRequestHandler):
    """Answers a request by the first part of its path: "good" for "/good/2?x=1".

    A part that is in neither `ANSWERS` nor `REDIRECTS` has a method `serve_<part>`. The method gets
    the number of requests that the part has had, this one included.
    """

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(
        self,
        body: bytes,
        content_type: str = "application/pdf",
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send a whole answer. `headers` may replace the length of the body."""
        length = {"Content-Length": str(len(body))}
        self.begin(content_type, status, length | (headers or {}))
        self.wfile.write(body)

    def begin(
        self,
        content_type: str,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send the status and the headers of an answer. The connection closes after its body."""
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self.close_connection = True

    def redirect(self, location: str) -> None:
        self.answer(b"", "text/plain", 302, {"Location": location})

    def do_GET(self):
        name = self.path.lstrip("/").split("/")[0].split("?")[0]
        self.server.counts[name] += 1
        self.server.log.append(self.path)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            if name in ANSWERS:
                self.answer(*ANSWERS[name])
            elif name in REDIRECTS:
                self.redirect(REDIRECTS[name])
            else:
                serve = getattr(self, f"serve_{name}")
                serve(self.server.counts[name])

    def serve_busy(self, count):
        if count > 1:
            self.answer(PDF)
        else:
            self.answer(b"later", "text/plain", 429)

    def serve_flaky(self, count):
        if count > 1:
            self.answer(PDF)
        else:
            # Close the connection without an answer.
            self.close_connection = True

    def serve_short(self, _):
        self.answer(PDF, headers={"Content-Length": str(len(PDF) + 1000)})

    def serve_endless(self, _):
        self.begin("application/pdf")
        while True:
            self.wfile.write(PDF)

    def serve_bomb(self, _):
        packed = gzip.compress(PDF + bytes(50_000_000))
        self.answer(packed, headers={"Content-Encoding": "gzip"})

    def serve_packed(self, _):
        self.answer(gzip.compress(PDF), headers={"Content-Encoding": "gzip"})

    def serve_drip(self, _):
        self.begin("application/pdf")
        for _ in range(200):
            self.wfile.write(b"%")
            time.sleep(0.1)

    def serve_slowhops(self, count):
        time.sleep(0.25)
        self.redirect(f"/slowhops/{count}")

    def serve_toprivate(self, _):
        self.redirect(f"http://localhost:{self.server.server_address[1]}/good")

    def serve_api(self, _):
        identifier = self.path.split("id_list=")[1].split("&")[0]
        entry = ""
        if identifier in TITLES:
            title = TITLES[identifier]
            entry = f"<entry><id>http://arxiv.org/abs/1</id><title>{title}</title></entry>"
        feed = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'
        self.answer(feed.encode(), "application/atom+xml")


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """A server on a free port of this machine.

    - `counts`: the number of requests, by the first part of their path.
    - `log`: the paths of the requests, in order. The fixture `arxiv` adds its waits.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.counts: Counter[str] = Counter()
        self.log: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds for which `download` would sleep before each attempt. It does not sleep."""
    seconds: list[float] = []
    monkeypatch.setattr(downloads, "time", SimpleNamespace(sleep=seconds.append))
    return seconds


@pytest.fixture
def arxiv(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """The server in arXiv's place. Its log also has the wait before each request, cut to 0.05 s."""

    def wait(seconds: float) -> None:
        # Long enough for a thread that ignores the lock to send its request meanwhile.
        time.sleep(0.05)
        server.log.append(f"waited {seconds:g} s")

    monkeypatch.setattr(sources, "ARXIV", server.url)
    monkeypatch.setattr(sources, "time", SimpleNamespace(sleep=wait))
    return server


def _address_record(address: str, port: int | None):
    """An address of a host over TCP, as `socket.getaddrinfo` gives it."""
    return (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port))


def resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
    """Let every host name have these addresses."""

    def look_up(_host: str, port: int | None, *_, **__):
        return [_address_record(address, port) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


# Documents that are stored


@pytest.mark.parametrize("name", ["good", "moved", "packed", "flaky", "busy", "unnamed"])
@pytest.mark.parametrize("source", ["pdf", "html"])
def test_a_pdf_is_stored_byte_by_byte(
    server: Server, tmp_path: Path, name: str, source: Source
) -> None:
    document = fetch(source, f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)

    assert document == tmp_path / "paper" / "document.pdf"
    assert document.read_bytes() == PDF
    assert [path.name for path in (tmp_path / "paper").iterdir()] == ["document.pdf"]


@pytest.mark.parametrize(
    ("name", "stored", "text"),
    [("text", "document.txt", "# A paper"), ("latin", "document.html", "<p>caf\u00e9</p>")],
)
def test_a_page_is_stored_in_utf_8_whatever_its_server_sends(
    server: Server, tmp_path: Path, name: str, stored: str, text: str
) -> None:
    document = fetch("html", f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)

    assert document.name == stored
    # With a byte-order mark if the server names a character set (`download`).
    assert document.read_text("utf-8-sig") == text


@pytest.mark.parametrize(
    ("given", "stored"), [("a.PDF", "pdf"), ("a.htm", "html"), ("a.md", "txt"), ("a.tex", "txt")]
)
def test_a_local_file_is_copied_with_the_suffix_of_its_kind(
    tmp_path: Path, given: str, stored: str
) -> None:
    (tmp_path / given).write_bytes(b"some bytes \xff")

    document = fetch("file", str(tmp_path / given), "", tmp_path / "paper")

    assert document == tmp_path / "paper" / f"document.{stored}"
    assert document.read_bytes() == b"some bytes \xff"


def test_an_openreview_paper_is_fetched_as_pdf(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "OPENREVIEW", server.url)

    document = fetch("openreview", "NpsVSN6o4ul", "", tmp_path / "p", limits=LIMITS)

    assert document.read_bytes() == PDF
    assert server.log == ["/pdf?id=NpsVSN6o4ul"]


# arXiv


@pytest.mark.parametrize(
    ("identifier", "title"),
    [("2211.00593", IOI), ("2211.00593v1", IOI), ("cs/0112017", "An Older Paper")],
)
def test_an_arxiv_paper_with_the_expected_title_is_stored(
    arxiv: Server, tmp_path: Path, identifier: str, title: str
) -> None:
    document = fetch("arxiv", identifier, title.upper(), tmp_path / "p", limits=LIMITS)

    assert document.read_bytes() == PDF
    assert arxiv.counts == {"api": 1, "pdf": 1}


@pytest.mark.parametrize(
    ("identifier", "title", "message"),
    [
        ("9901.00001", IOI, "arXiv has no such paper"),
        # The slip of section 4.1: 2202.05262 was listed as Knowledge Neurons and is ROME.
        ("2202.05262", "Knowledge Neurons", f"its title is '{ROME}', expected 'Knowledge Neurons'"),
        ("2211.0593x", IOI, "no arXiv identifier"),
        ("../2211.00593", IOI, "no arXiv identifier"),
        ("2211.00593&x=1", IOI, "no arXiv identifier"),
        ("", IOI, "no arXiv identifier"),
    ],
)
def test_an_identifier_without_a_paper_or_with_another_title_is_refused(
    arxiv: Server, tmp_path: Path, identifier: str, title: str, message: str
) -> None:
    with pytest.raises(UserError) as caught:
        fetch("arxiv", identifier, title, tmp_path / "p", limits=LIMITS)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "p").exists()
    assert not arxiv.counts["pdf"]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (IOI, IOI.lower().replace(":", " -"), True),
        # Without the subtitle.
        (IOI, "Interpretability in the wild", True),
        (
            IOI,
            "Interpretability in the {Wild}: A circuit for indirect object identification in GPT-2 Small",
            True,
        ),
        ("Na\u00efve caf\u00e9 models", "Naive cafe models", True),
        (IOI, ROME, False),
        (
            "Copy Suppression: understanding a head",
            "Copy Suppression: a theory of markets in time of war",
            False,
        ),
        ("Attention", "Attention is all you need", False),
    ],
)
def test_titles_are_compared_by_their_words(first: str, second: str, same: bool) -> None:
    assert _is_same_title(first, second) == _is_same_title(second, first) == same


def test_two_fetchers_of_arxiv_keep_its_interval_together(arxiv: Server, tmp_path: Path) -> None:
    """The fetchers are two threads. Each opens the lock file itself, as a process would."""

    def fetch_ioi(folder: str) -> Path:
        return fetch("arxiv", "2211.00593", IOI, tmp_path / folder, limits=LIMITS)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(fetch_ioi, ["first", "second"]))

    # Each of the two papers takes two requests, one for its title and one for its PDF. The log is
    # wait, request, wait, request and so on.
    logged_waits = arxiv.log[::2]
    requests = arxiv.log[1::2]
    assert logged_waits == ["waited 3 s"] * 4
    assert len(requests) == 4
    assert requests.count("/pdf/2211.00593") == 2


# Answers that are refused


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("page", "no PDF where one was expected, perhaps a log-in"),
        ("liar", "no PDF where one was expected"),
        ("empty", "no PDF where one was expected"),
        ("nowhere", "the server answered 404"),
        ("endless", "more than 100000 bytes"),
        ("bomb", "more than 100000 bytes"),
        ("rot13", "correct the address"),
        ("base64", "correct the address"),
        ("hex", "correct the address"),
        ("zlib", "correct the address"),
        ("idna", "correct the address"),
        ("loop", "redirects"),
        ("tofile", "unsupported protocol 'file://'"),
        ("toftp", "unsupported protocol 'ftp://'"),
    ],
)
def test_a_bad_answer_is_refused_at_once_in_one_line(
    server: Server, tmp_path: Path, name: str, message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        fetch("pdf", f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    # A loop ends after the first request and `MAX_REDIRECTS` redirects.
    assert server.counts[name] == (1 + 5 if name == "loop" else 1)


@pytest.mark.parametrize(
    ("name", "message"),
    [("broken", "the server answered 500"), ("short", "closed connection")],
)
def test_after_a_passing_error_a_download_is_tried_again_with_doubling_waits(
    server: Server, tmp_path: Path, waits: list[float], name: str, message: str
) -> None:
    with pytest.raises(UserError, match=rf"{message}.*attempt 3"):
        fetch("pdf", f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)
    assert server.counts[name] == 3
    assert waits == [0, 2, 4]
    assert list(tmp_path.iterdir()) == []


def test_an_error_without_a_message_is_named_by_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_url: str, _limits: Limits) -> None:
        raise httpx.ReadError("")

    monkeypatch.setattr(downloads, "_get", fail)

    with pytest.raises(UserError, match=r"good: ReadError \(attempt 3\); check the address"):
        download("http://paper.example/good", LIMITS)


@pytest.mark.parametrize("name", ["drip", "slowhops"])
def test_a_slow_answer_ends_at_the_time_out_of_the_whole_attempt(
    server: Server, tmp_path: Path, name: str
) -> None:
    """No single byte or redirect takes 0.6 s, but the whole answer would take longer.

    There is no second attempt.
    """
    limits = Limits(timeout_s=0.6, allow_private_addresses=True)

    with pytest.raises(UserError, match=r"not finished after 0\.6 s"):
        fetch("pdf", f"{server.url}/{name}", "", tmp_path / "paper", limits=limits)
    assert server.log.count(f"/{name}") == 1


# Where an address may lead


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "2130706433",
        "0x7f000001",
        "127.1",
        "0177.0.0.1",
        "[::ffff:127.0.0.1]",
    ],
)
def test_this_machine_is_not_connected_to_however_its_address_is_written(
    server: Server, host: str
) -> None:
    with pytest.raises(UserError, match=r"not public|Invalid IPv4 address"):
        download(f"http://{host}:{server.server_address[1]}/good", Limits())
    assert not server.counts


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.1",
        "169.254.169.254",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104
        "fe80::1",
        "fd00::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:a00:1::",
        "224.0.0.1",
        "ff0e::1",
    ],
)
def test_a_name_with_one_address_that_is_not_public_is_refused(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    resolve_to(monkeypatch, "93.184.215.14", address)

    with pytest.raises(
        UserError, match=rf"paper\.example has the address {address}, which is not public"
    ):
        download("http://paper.example/good", Limits(timeout_s=2.0))


@pytest.mark.parametrize("name", ["toprivate", "tometadata"])
def test_a_redirect_to_a_private_address_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The first request is allowed, as if this machine had a public address."""
    check_address = downloads._check_address

    def check_all_but_the_first(address: str, url: httpx.URL) -> None:
        if url.path != f"/{name}":
            check_address(address, url)

    monkeypatch.setattr(downloads, "_check_address", check_all_but_the_first)

    with pytest.raises(UserError, match="not public"):
        download(f"{server.url}/{name}", Limits(timeout_s=5.0))
    assert server.counts == {name: 1}


def test_a_name_that_becomes_private_after_the_check_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first look-up is for the check, the second for the connection.
    addresses = iter(["93.184.215.14", "127.0.0.1"])

    def look_up(_host: str, port: int | None, *_, **__):
        return [_address_record(next(addresses), port)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)

    with pytest.raises(UserError, match=r"127\.0\.0\.1, which is not public"):
        download(f"http://paper.example:{server.server_address[1]}/good", Limits())


def test_a_proxy_in_the_environment_is_not_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing listens on port 9.
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert download(f"{server.url}/good", LIMITS) == (".pdf", PDF)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a.pdf",
        "http://",
        f"http://{'a' * 64}.org/",
        "http://example.org/a HTTP/1.1\r\nX-Injected: yes",
    ],
)
def test_an_address_that_is_not_on_the_web_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="correct the address"):
        fetch("pdf", url, "", tmp_path / "paper", limits=LIMITS)
