"""Downloads from untrusted addresses: public ones only, within limits of bytes and time."""

import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import NamedTuple

import httpx

from mechaware.core.errors import UserError
from mechaware.instruments.claims.fetching.papers import begins_as_pdf

HEADERS = {
    "User-Agent": "mechaware (claim validity scores; one paper at a time)",
    "Accept-Encoding": "gzip",
    "Connection": "close",  # every redirect is a connection of its own, to be checked
}
MAX_REDIRECTS = 5
FIRST_WAIT_S = 2.0  # before the second attempt; each later wait is twice as long
# Statuses of HTTP after which another attempt may succeed.
RETRIED_STATUSES = (429, 500, 502, 503, 504)
TEXT_TYPES = ("text/plain", "text/markdown", "text/x-tex", "application/x-tex")
# Errors that no second attempt would avoid. A host with an empty label, or with a label of more
# than 63 letters, raises a `UnicodeError`. The name of a codec of Python that does not encode text,
# such as rot13, raises a `LookupError` or a `UnicodeError` if the server gives it as the character
# set.
FINAL_ERRORS = (
    httpx.InvalidURL,
    httpx.UnsupportedProtocol,
    httpx.TooManyRedirects,
    httpx.DecodingError,
    LookupError,
    UnicodeError,
)
NAT64 = ipaddress.ip_network("64:ff9b::/96")  # has an IPv4 address in its last 32 bits


class Document(NamedTuple):
    """A document: its suffix, .pdf, .html or .txt, or empty for any other type, and its bytes."""

    suffix: str
    content: bytes


@dataclass(frozen=True)
class Limits:
    """Limits of a download.

    - `max_bytes`: of the document when it is unpacked.
    - `timeout_s`: seconds of an attempt with its redirects.
    - `attempts`: the most attempts.
    - `allow_private_addresses`: whether hosts may have addresses that are not public.
    """

    max_bytes: int = 50_000_000
    timeout_s: float = 120.0
    attempts: int = 4
    allow_private_addresses: bool = False


def download(url: str, limits: Limits) -> Document:
    """The document at `url`, over http or https, within `limits`.

    A document that begins as a PDF is .pdf, whatever the server calls it. Web pages are .html and
    texts .txt; if the server names their character set, they are converted to UTF-8 with a
    byte-order mark, since a file does not keep the server's header. Any other document has no
    suffix.

    All addresses of every host, also of a redirect, must be public, and so must the address that
    was connected to. Proxies named in the environment are not used: they would hide the address.
    After an error of the connection or one of `RETRIED_STATUSES` the download is tried again, and
    each wait is twice as long as the one before.

    Raises `UserError`, in one line, for whatever prevents the download.
    """
    for attempt in range(limits.attempts):
        # Waits of 0, 2, 4, 8 ... seconds before the attempts.
        wait_s = FIRST_WAIT_S * 2 ** (attempt - 1) if attempt else 0
        time.sleep(wait_s)
        try:
            return _in_time(url, limits)
        except FINAL_ERRORS as error:
            raise UserError(
                f"{url}: {error}; correct the address, or enter the paper as a local file"
            ) from error
        except httpx.TransportError as error:
            failure = error
    reason = str(failure) or type(failure).__name__
    raise UserError(
        f"{url}: {reason} (attempt {limits.attempts}); check the address and the network "
        "and run again later, or download it by hand and enter it as a local file"
    ) from failure


def _in_time(url: str, limits: Limits) -> Document:
    """One attempt, in a thread of its own. Raises `UserError` after `limits.timeout_s`.

    The caller then goes on, although the thread may still wait for a slow look-up of the host, or
    for a server that sends a byte a second.
    """
    document: Future[Document] = Future()

    def work() -> None:
        try:
            document.set_result(_get(url, limits))
        except Exception as error:  # raised for the caller by `document.result`
            document.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        return document.result(limits.timeout_s)
    except TimeoutError:
        raise UserError(
            f"{url}: not finished after {limits.timeout_s:g} s; raise the time-out, or download it "
            "by hand and enter it as a local file"
        ) from None


def _get(url: str, limits: Limits) -> Document:
    """The answer to one request with its redirects.

    Raises `httpx.NetworkError` for one of `RETRIED_STATUSES`, and `UserError` for any other status
    but 200, for a body that is too long and for an address that is not public. Errors of the
    connection and `FINAL_ERRORS` are not caught.
    """
    checks: dict[str, list[Callable[..., None]]] = {
        "request": [_check_name],
        "response": [_check_connection],
    }
    client = httpx.Client(
        headers=HEADERS,
        timeout=limits.timeout_s,
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        # The checks are also made for each redirect.
        event_hooks={} if limits.allow_private_addresses else checks,
        trust_env=False,  # no proxies of the environment
    )
    with client, client.stream("GET", url) as answer:
        if answer.status_code in RETRIED_STATUSES:
            raise httpx.NetworkError(f"the server answered {answer.status_code}")
        if answer.status_code != 200:
            raise UserError(
                f"{url}: the server answered {answer.status_code}; check the address, or whether "
                "it asks for a log-in"
            )
        body = _read_body(url, answer, limits)
        if begins_as_pdf(body):
            return Document(".pdf", body)

        suffix = _suffix_by_type(answer.headers.get("content-type", ""))
        if suffix and answer.charset_encoding and answer.encoding:
            body = body.decode(answer.encoding, "replace").encode("utf-8-sig")
        return Document(suffix, body)


def _read_body(url: str, answer: httpx.Response, limits: Limits) -> bytes:
    """The body of an answer. Raises `UserError` as soon as it is longer than the limit."""
    body = bytearray()
    for chunk in answer.iter_bytes():
        body += chunk
        if len(body) > limits.max_bytes:
            raise UserError(
                f"{url}: more than {limits.max_bytes} bytes; raise the limit for so long a paper"
            )
    return bytes(body)


def _suffix_by_type(content_type: str) -> str:
    """The suffix of a document by the server's header: .html, .txt, or empty for any other type."""
    media_type = content_type.partition(";")[0].strip().lower()
    if "html" in media_type:
        return ".html"
    return ".txt" if media_type in TEXT_TYPES else ""


def _check_name(request: httpx.Request) -> None:
    """Refuse a host with an address that is not public, before anything is sent to it."""
    host = request.url.raw_host.decode("ascii")
    try:
        for *_, socket_address in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
            _check_address(str(socket_address[0]), request.url)
    except OSError as error:
        raise httpx.ConnectError(f"{host}: {error}") from error


def _check_connection(answer: httpx.Response) -> None:
    """Refuse an answer from an address that is not public.

    The host's name may have another address than at `_check_name`.
    """
    stream = answer.extensions["network_stream"]
    address = stream.get_extra_info("server_addr")[0]
    _check_address(address, answer.url)


def _check_address(address: str, url: httpx.URL) -> None:
    """Raise `UserError` for an address that is not public."""
    if not _is_public(ipaddress.ip_address(address)):
        raise UserError(
            f"{url}: {url.host} has the address {address}, which is not public; enter a public "
            "address, or set allow_private_addresses in the config"
        )


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address belongs to one host on the internet.

    If it contains an IPv4 address (6to4, NAT64), that address must also belong to one host.
    """
    contained = getattr(address, "sixtofour", None)
    if address in NAT64:
        contained = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if contained is not None and not _is_public(contained):
        return False
    return address.is_global and not address.is_multicast
