"""Fetching against a real local server, good and hostile."""

import contextlib
import gzip
import hashlib
import multiprocessing
import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from mechaware.claims.fetching import connections, downloads
from mechaware.claims.fetching.addresses import refused
from mechaware.claims.fetching.downloads import Limits, download
from mechaware.claims.fetching.sources import Services, fetch, title_similarity
from mechaware.errors import UserError

PDF = b"%PDF-1.7\n" + b"%" * 3000 + b"\n%%EOF\n"
IOI = "Interpretability in the Wild: a Circuit for Indirect Object Identification in GPT-2 small"
ROME = "Locating and Editing Factual Associations in GPT"
LIMITS = Limits(max_bytes=100_000, timeout_s=5.0, attempts=3, backoff_s=0.05, allow_private_addresses=True)


class Handler(BaseHTTPRequestHandler):
    """Answers by the first part of the path; the server's `seen` counts what was asked."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body: bytes, content_type: str = "application/pdf", status: int = 200, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        for name, text in ({"content_length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def do_GET(self):
        name = self.path.lstrip("/").split("/")[0].split("?")[0]
        self.server.seen[name] += 1
        self.server.hosts.append(self.headers["Host"])
        self.server.times.append(time.monotonic())
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            getattr(self, f"serve_{name}", self.serve_404)(self.server.seen[name])

    def serve_404(self, _):
        self.answer(b"no such page", "text/plain", 404)

    def serve_good(self, _):
        self.answer(PDF)

    def serve_busy(self, times):
        self.answer(PDF) if times > 1 else self.answer(b"later", "text/plain", 429, retry_after="1")

    def serve_dated(self, times):
        later = formatdate(time.time() + 2, usegmt=True)
        self.answer(PDF) if times > 1 else self.answer(b"later", "text/plain", 503, retry_after=later)

    def serve_closed(self, _):
        self.answer(b"tomorrow", "text/plain", 429, retry_after="86400")

    def serve_broken(self, _):
        self.answer(b"oh", "text/plain", 500)

    def serve_flaky(self, times):
        if times > 1:
            self.answer(PDF)
        else:
            self.close_connection = True  # without a word

    def serve_empty(self, _):
        self.answer(b"")

    def serve_page(self, _):
        self.answer(b"<html><body>Please log in</body></html>", "text/html; charset=utf-8")

    def serve_latin(self, _):
        self.answer("<p>caf\u00e9</p>".encode("latin-1"), "text/html; charset=ISO-8859-1")

    def serve_liar(self, _):
        self.answer(b"<html><body>Please log in</body></html>", "application/pdf")

    def serve_short(self, _):
        self.answer(PDF, content_length=str(len(PDF) + 1000))

    def serve_vast(self, _):
        self.answer(PDF, content_length="9999999999")

    def serve_endless(self, _):
        self.send_response(200)
        self.send_header("Content-Type", "application/pdf")
        self.end_headers()
        self.close_connection = True
        while True:
            self.wfile.write(PDF)

    def serve_bomb(self, _):
        self.answer(gzip.compress(PDF + bytes(50_000_000)), content_encoding="gzip")

    def serve_packed(self, _):
        self.answer(gzip.compress(PDF), content_encoding="gzip")

    def serve_cut(self, _):
        self.answer(gzip.compress(PDF)[:-12], content_encoding="gzip")

    def serve_strange(self, _):
        self.answer(PDF, content_encoding="br")

    def serve_drip(self, _):
        self.send_response(200)
        self.send_header("Content-Type", "application/pdf")
        self.end_headers()
        self.close_connection = True
        for _ in range(200):
            self.wfile.write(b"%")
            time.sleep(0.1)

    def serve_drippingheaders(self, _):
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(100):
            self.wfile.write(b"X-%d: y\r\n" % number)
            time.sleep(0.1)

    def serve_slowhops(self, times):
        time.sleep(0.25)
        self.redirect(f"/slowhops/{times}")

    def redirect(self, location: str) -> None:
        self.answer(b"", "text/plain", 302, location=location)

    def serve_moved(self, _):
        self.redirect("/good/2")

    def serve_loop(self, _):
        self.redirect("/loop")

    def serve_tofile(self, _):
        self.redirect("file:///etc/passwd")

    def serve_toftp(self, _):
        self.redirect("ftp://example.org/paper.pdf")

    def serve_toprivate(self, _):
        self.redirect(f"http://localhost:{self.server.server_address[1]}/good")

    def serve_tometadata(self, _):
        self.redirect("http://169.254.169.254/latest/meta-data/")

    def serve_api(self, _):
        identifier = self.path.split("id_list=")[1].split("&")[0]
        title = {"2211.00593": IOI, "2202.05262": ROME, "cs/0112017": "An older paper"}.get(
            identifier.removesuffix("v1")
        )
        versioned = identifier if identifier.endswith("v1") else f"{identifier}v2"
        entry = f"<entry><id>http://arxiv.org/abs/{versioned}</id><title>{title}</title></entry>" if title else ""
        feed = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'
        self.answer(feed.encode(), "application/atom+xml")

    def serve_pdf(self, _):
        self.answer(PDF)

    def serve_v2(self, _):
        self.answer(b'{"notes": [{"content": {"title": {"value": "%s"}}}]}' % IOI.encode(), "application/json")

    def serve_v1(self, _):
        self.answer(b'{"notes": [{"content": {"title": "%s"}}]}' % ROME.encode(), "application/json")

    def serve_none(self, _):
        self.answer(b'{"notes": []}', "application/json")


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: Counter[str] = Counter()
        self.hosts: list[str] = []
        self.times: list[float] = []

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


def services(server: Server, interval_s: float = 0.0, api: str = "v2") -> Services:
    return Services(server.url, server.url, (f"{server.url}/none", f"{server.url}/{api}"), interval_s)


def local(host: str, port: int, *_, **__):
    """A resolver for which every name that is no address is the local server."""
    address = host if host[:1].isdigit() else "127.0.0.1"
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]


# What comes through


@pytest.mark.parametrize("name", ["good", "moved", "packed", "flaky"])
def test_a_pdf_is_stored_byte_by_byte(server: Server, tmp_path: Path, name: str) -> None:
    fetched = fetch("pdf", f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)
    assert fetched.document == tmp_path / "paper" / "document.pdf"
    assert hashlib.sha256(fetched.document.read_bytes()).digest() == hashlib.sha256(PDF).digest()
    assert [path.name for path in (tmp_path / "paper").iterdir()] == ["document.pdf"]


def test_a_page_is_stored_in_unicode_whatever_its_server_sends(server: Server, tmp_path: Path) -> None:
    fetched = fetch("html", f"{server.url}/latin", "", tmp_path / "paper", limits=LIMITS)
    assert fetched.document.name == "document.html"
    assert fetched.document.read_text("utf-8-sig") == "<p>caf\u00e9</p>"


@pytest.mark.parametrize(("given", "stored"), [("a.PDF", "pdf"), ("a.htm", "html"), ("a.md", "txt"), ("a.txt", "txt")])
def test_a_local_file_is_copied_under_the_name_of_its_kind(tmp_path: Path, given: str, stored: str) -> None:
    (tmp_path / given).write_bytes(b"some bytes \xff")
    fetched = fetch("file", str(tmp_path / given), "", tmp_path / "paper")
    assert fetched.document == tmp_path / "paper" / f"document.{stored}"
    assert fetched.document.read_bytes() == b"some bytes \xff"


def test_a_new_fetch_replaces_the_old_document_whole(server: Server, tmp_path: Path) -> None:
    fetch("html", f"{server.url}/page", "", tmp_path / "paper", limits=LIMITS)
    fetch("pdf", f"{server.url}/good", "", tmp_path / "paper", limits=LIMITS)
    assert [path.name for path in (tmp_path / "paper").iterdir()] == ["document.pdf"]


# Titles


@pytest.mark.parametrize(
    ("identifier", "title"), [("2211.00593", IOI), ("2211.00593v1", IOI), ("cs/0112017", "An Older Paper")]
)
def test_an_arxiv_paper_comes_with_its_title_checked(
    server: Server, tmp_path: Path, identifier: str, title: str
) -> None:
    fetched = fetch("arxiv", identifier, title.upper(), tmp_path / "p", limits=LIMITS, services=services(server))
    assert fetched.title is not None
    assert fetched.title.lower() == title.lower()
    assert fetched.url == f"{server.url}/pdf/{identifier}"


def test_an_identifier_that_arxiv_does_not_know_is_refused(server: Server, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such paper"):
        fetch("arxiv", "9901.00001", IOI, tmp_path / "p", limits=LIMITS, services=services(server))


def test_an_identifier_of_another_paper_is_refused_with_both_titles(server: Server, tmp_path: Path) -> None:
    """The slip of section 4.1: 2202.05262 was listed as Knowledge Neurons and is ROME."""
    expected = "Knowledge Neurons in Pretrained Transformers"
    with pytest.raises(UserError) as caught:
        fetch("arxiv", "2202.05262", expected, tmp_path / "p", limits=LIMITS, services=services(server))
    assert expected in str(caught.value)
    assert ROME in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "p").exists()
    assert not server.seen["pdf"]


@pytest.mark.parametrize("identifier", ["2211.0593x", "../2211.00593", "2211.00593&x=1", "", "https://arxiv.org/abs/1"])
def test_what_is_no_arxiv_identifier_is_not_asked_for(server: Server, tmp_path: Path, identifier: str) -> None:
    with pytest.raises(UserError, match="no arXiv identifier"):
        fetch("arxiv", identifier, IOI, tmp_path / "p", limits=LIMITS, services=services(server))
    assert not server.seen


def test_an_arxiv_paper_needs_a_title_to_check(server: Server, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no title to check"):
        fetch("arxiv", "2211.00593", " ", tmp_path / "p", limits=LIMITS, services=services(server))


def test_openreview_asks_both_generations_of_its_api(server: Server, tmp_path: Path) -> None:
    found = fetch("openreview", "NpsVSN6o4ul", IOI, tmp_path / "p", limits=LIMITS, services=services(server))
    assert found.title == IOI
    with pytest.raises(UserError, match="expected"):
        fetch("openreview", "NpsVSN6o4ul", IOI, tmp_path / "q", limits=LIMITS, services=services(server, api="v1"))


@pytest.mark.parametrize("api", ["none", "nowhere", "broken", "good", "closed"])
def test_an_openreview_paper_is_taken_unchecked_where_the_api_tells_nothing(
    server: Server, tmp_path: Path, api: str
) -> None:
    known = services(server, api=api)
    assert fetch("openreview", "NpsVSN6o4ul", IOI, tmp_path / "p", limits=LIMITS, services=known).title is None
    assert (tmp_path / "p/document.pdf").read_bytes() == PDF


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (IOI, IOI.lower().replace(":", " -"), True),
        (IOI, "Interpretability in the wild", True),  # the subtitle left out
        (
            IOI,
            r"Interpretability in the {Wild}: A circuit for indirect object identification in GPT-2 \emph{Small}",
            True,
        ),
        ("Na\u00efve caf\u00e9 models", "Naive cafe models", True),
        (IOI, ROME, False),
        ("Copy Suppression: understanding a head", "Copy Suppression: a theory of markets in time of war", False),
        ("Attention", "Attention is all you need", False),
        ("", "", False),
    ],
)
def test_titles_are_compared_by_their_words(first: str, second: str, same: bool) -> None:
    assert (title_similarity(first, second) >= 85) == same
    assert title_similarity(first, second) == title_similarity(second, first)


INTERVAL_S = 1.5


def _fetch_at(url: str, out: Path) -> None:
    fetch("arxiv", "2211.00593", IOI, out, limits=LIMITS, services=Services(arxiv=url, arxiv_interval_s=INTERVAL_S))


def test_requests_to_arxiv_keep_their_interval_across_processes(server: Server, tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    both = [spawn.Process(target=_fetch_at, args=(server.url, tmp_path / name)) for name in "ab"]
    for process in both:
        process.start()
    for process in both:
        process.join()
        assert process.exitcode == 0
    waits = [later - earlier for earlier, later in zip(server.times[:-1], server.times[1:], strict=True)]
    assert len(waits) == 3
    assert min(waits) > 0.9 * INTERVAL_S  # seen by the server: a busy machine delays some requests


# What does not


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("page", "a web page where a PDF was expected"),
        ("liar", "does not begin as one"),
        ("empty", "empty"),
        ("nowhere", "404"),
        ("endless", "more than 100000 bytes"),
        ("vast", "more than 100000 bytes"),
        ("bomb", "more than 100000 bytes"),
        ("strange", "encoding br"),
        ("loop", "more than 5 redirects"),
        ("tofile", "not http or https"),
        ("toftp", "not http or https"),
        ("api?id_list=2211.00593&", "application/atom.xml where a PDF"),
    ],
)
def test_a_bad_answer_is_refused_at_once_in_one_line(server: Server, tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        fetch("pdf", f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    assert server.seen[name.split("?")[0]] == (6 if name == "loop" else 1)


@pytest.mark.parametrize(("name", "says"), [("broken", "500"), ("short", "connection failed"), ("cut", "body is cut")])
def test_a_passing_error_is_tried_as_often_as_allowed(server: Server, tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(UserError, match=rf"{says}.*attempt 3"):
        fetch("pdf", f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)
    assert server.seen[name] == 3
    assert server.times[2] - server.times[0] >= 0.05 + 0.1  # the waits double
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "least_s"), [("busy", 1.0), ("dated", 1.0)])  # a date has whole seconds only
def test_retry_after_is_honoured(server: Server, tmp_path: Path, name: str, least_s: float) -> None:
    fetch("pdf", f"{server.url}/{name}", "", tmp_path / "paper", limits=LIMITS)
    assert server.seen[name] == 2
    assert server.times[1] - server.times[0] >= least_s * 0.95


def test_a_wait_of_a_day_ends_the_command(server: Server, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="asks to wait 86400 s"):
        fetch("pdf", f"{server.url}/closed", "", tmp_path / "paper", limits=LIMITS)
    assert server.seen["closed"] == 1


@pytest.mark.parametrize("name", ["drip", "drippingheaders", "slowhops"])
def test_whatever_is_slow_ends_at_the_total_time_out(server: Server, tmp_path: Path, name: str) -> None:
    ends_in_time(f"{server.url}/{name}", tmp_path)


def ends_in_time(url: str, folder: Path) -> None:
    """A time-out of 0.6 s ends a fetch that would take longer, and there is no second attempt."""
    limits = Limits(timeout_s=0.6, allow_private_addresses=True)
    start = time.monotonic()
    with pytest.raises(UserError, match=r"not finished after 0\.6 s"):
        fetch("pdf", url, "", folder / "paper", limits=limits)
    assert time.monotonic() - start < 1.0


def test_a_look_up_of_a_name_that_takes_long_ends_at_the_time_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(10) and [])
    ends_in_time("http://paper.example/", tmp_path)
    released.set()


def test_a_server_that_does_not_shake_hands_ends_at_the_time_out(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ends_in_time(f"https://127.0.0.1:{silent.getsockname()[1]}/", tmp_path)


def test_an_address_that_does_not_answer_is_tried_again(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of three attempts has three seconds left, and the address 0.1 s of them."""
    monkeypatch.setattr(connections, "CONNECT_S", 0.1)
    tried = []

    def connect(address, timeout, **_):
        tried.append(timeout)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(UserError, match=r"no connection came about \(attempt 3\)"):
        fetch("pdf", f"{server.url}/good", "", tmp_path / "paper", limits=LIMITS)
    assert tried == [0.1] * 3


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    with pytest.raises(UserError, match=f"{port}.*connection failed.*refused"):
        fetch("pdf", f"http://127.0.0.1:{port}/", "", tmp_path / "paper", limits=LIMITS)


@pytest.mark.parametrize("location", ["missing.pdf", "paper.docx", "folder.pdf"])
def test_a_local_file_that_is_none_is_named(tmp_path: Path, location: str) -> None:
    (tmp_path / "folder.pdf").mkdir()
    (tmp_path / "paper.docx").write_text("words")
    with pytest.raises(UserError, match=location):
        fetch("file", str(tmp_path / location), "", tmp_path / "paper")
    assert not (tmp_path / "paper").exists()


# Where an address may lead


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f000001", "127.1", "0177.0.0.1", "[::ffff:127.0.0.1]"]
)
def test_no_spelling_of_the_own_machine_is_connected_to(server: Server, host: str) -> None:
    with pytest.raises(UserError, match="not public"):
        download(f"http://{host}:{server.server_address[1]}/good", Limits())
    assert not server.seen


@pytest.mark.parametrize("name", ["toprivate", "tometadata"])
def test_a_redirect_to_a_private_address_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The first hop is allowed as if it were public; the second is not."""
    allowed: Callable[[str], bool] = lambda address: server.seen[name] > 0 and refused(address)  # noqa: E731
    monkeypatch.setattr(downloads, "refused", allowed)
    with pytest.raises(UserError, match="not public"):
        download(f"{server.url}/{name}", Limits(timeout_s=5.0))
    assert server.seen == {name: 1}


def test_a_name_with_one_private_address_among_public_ones_is_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def both(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in ("93.184.215.14", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", both)
    with pytest.raises(UserError, match=r"127\.0\.0\.1, which is not public"):
        download(f"http://paper.example:{server.server_address[1]}/good", Limits(timeout_s=2.0))
    assert not server.seen


def test_the_address_that_was_checked_is_the_one_connected_to(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that changes its address after the first answer: it is asked once, and connections name that address."""
    port, asked, connected = server.server_address[1], [], []

    def rebinding(host, *_, **__):
        asked.append(host)
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14" if len(asked) == 1 else "127.0.0.1", port))
        ]

    def connect(address, *_, **__):
        connected.append(address)
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(UserError, match="connection failed"):
        download(f"http://paper.example:{port}/good", Limits(attempts=1))
    assert asked == ["paper.example"]
    assert connected == [("93.184.215.14", port)]


def test_a_server_is_told_the_name_that_was_asked_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", local)
    port = server.server_address[1]
    download(f"http://Paper.Example:{port}/good", LIMITS)
    assert server.hosts == [f"paper.example:{port}"]


def test_a_proxy_in_the_environment_is_not_used(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert download(f"{server.url}/good", LIMITS).body == PDF


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/a.pdf",
        "//example.org/a.pdf",
        "paper.pdf",
        "http://",
        "http://user:secret@example.org/",
        "http://example.org:99999/",
        "http://[::1/",
        "gopher://127.0.0.1:70/_x",
    ],
)
def test_what_is_no_plain_web_address_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"not http or https|no host|is no address"):
        fetch("pdf", url, "", tmp_path / "paper", limits=Limits(attempts=1))


def test_line_breaks_in_an_address_cannot_write_headers(server: Server) -> None:
    with pytest.raises(UserError):
        download(f"{server.url}/nowhere HTTP/1.1\r\nX-Injected: yes\r\n\r\n", LIMITS)
    assert not server.seen["good"]
    assert sum(server.seen.values()) <= 1
