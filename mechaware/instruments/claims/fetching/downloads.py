"""Downloads from untrusted addresses: public ones only, within limits of bytes and time."""

import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

import httpx

from mechaware.core.errors import UserError
from mechaware.instruments.claims.fetching.papers import begins_as_pdf

HEADERS = {
    "User-Agent": "mechaware (claim validity scores; one paper at a time)",
    "Accept-Encoding": "gzip",
    "Connection": "close",  # every redirect is a connection of its own, to be checked
}
REDIRECTS = 5
FIRST_WAIT_S = 2.0  # before the second attempt; each later wait is twice as long
PASSING_STATUS = (429, 500, 502, 503, 504)
TEXT_TYPES = ("text/plain", "text/markdown", "text/x-tex", "application/x-tex")
# Errors that no second attempt would avoid. A host with an empty label, or with a label of more than 63 letters, raises
# a `UnicodeError`. A character set that Python has but that is none of text, as rot13, raises one of the last two.
FINAL = (
    httpx.InvalidURL,
    httpx.UnsupportedProtocol,
    httpx.TooManyRedirects,
    httpx.DecodingError,
    LookupError,
    UnicodeError,
)
NAT64 = ipaddress.ip_network("64:ff9b::/96")  # IPv4 addresses in the last 32 bits

Document = tuple[str, bytes]  # its suffix, as ".pdf", and its bytes


@dataclass(frozen=True)
class Limits:
    """Limits of a download: bytes when unpacked, seconds of an attempt with its redirects, and attempts."""

    max_bytes: int = 50_000_000
    timeout_s: float = 120.0
    attempts: int = 4
    allow_private_addresses: bool = False


def download(url: str, limits: Limits) -> Document:
    """Get `url` over http or https within `limits`: the suffix of what came, and its bytes.

    What begins as a PDF is .pdf, whatever the server calls it. A web page is .html and in UTF-8 with a byte-order mark
    where the server names its character set: a file has no such header. Text is .txt; anything else has no suffix.

    All addresses of every host, also of a redirect, must be public, and so must the address that was connected to.
    Proxies named in the environment are not used: they would hide the address. After an error of the connection or of
    the server (429, 500, 502 to 504) the download is tried again, with doubling waits.

    Raises `UserError`, in one line, for whatever prevents it.
    """
    for attempt in range(limits.attempts):
        wait_s = FIRST_WAIT_S * 2 ** (attempt - 1) if attempt else 0
        time.sleep(wait_s)
        try:
            return _in_time(url, limits)
        except FINAL as error:
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
    """One attempt, in a thread of its own: a slow look-up, or a server that sends a byte a second, holds up only that.

    Raises `UserError` after `limits.timeout_s`.
    """
    answer: Future[Document] = Future()

    def work() -> None:
        try:
            answer.set_result(_get(url, limits))
        except Exception as error:  # for the caller
            answer.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    try:
        return answer.result(limits.timeout_s)
    except TimeoutError:
        raise UserError(
            f"{url}: not finished after {limits.timeout_s:g} s; raise the time-out, or download it by hand and enter "
            "it as a local file"
        ) from None


def _get(url: str, limits: Limits) -> Document:
    """One request with its redirects.

    Raises `httpx.NetworkError` for a status that may pass, and `UserError` for any other status but 200, for a body
    that is too long and for an address that is not public. Errors of the connection and those of `FINAL` are not
    caught.
    """
    checks: dict[str, list[Callable[..., None]]] = {
        "request": [_check_name],
        "response": [_check_connection],
    }
    client = httpx.Client(
        headers=HEADERS,
        timeout=limits.timeout_s,
        follow_redirects=True,
        max_redirects=REDIRECTS,
        event_hooks={} if limits.allow_private_addresses else checks,  # also for each redirect
        trust_env=False,
    )
    with client, client.stream("GET", url) as answer:
        if answer.status_code in PASSING_STATUS:
            raise httpx.NetworkError(f"the server answered {answer.status_code}")
        if answer.status_code != 200:
            raise UserError(
                f"{url}: the server answered {answer.status_code}; check the address, or whether it asks for a log-in"
            )
        body = _received(url, answer, limits)
        if begins_as_pdf(body):
            return ".pdf", body

        suffix = _suffix(answer.headers.get("content-type", ""))
        if suffix and answer.charset_encoding and answer.encoding:
            body = body.decode(answer.encoding, "replace").encode("utf-8-sig")
        return suffix, body


def _received(url: str, answer: httpx.Response, limits: Limits) -> bytes:
    """The body of an answer. Raises `UserError` as soon as it is longer than the limit."""
    received = bytearray()
    for chunk in answer.iter_bytes():
        received += chunk
        if len(received) > limits.max_bytes:
            raise UserError(
                f"{url}: more than {limits.max_bytes} bytes; raise the limit for so long a paper"
            )
    return bytes(received)


def _suffix(content_type: str) -> str:
    """The suffix of a document by the header of the server: .html, .txt, or none for anything else."""
    media_type = content_type.partition(";")[0].strip().lower()
    if "html" in media_type:
        return ".html"
    return ".txt" if media_type in TEXT_TYPES else ""


def _check_name(request: httpx.Request) -> None:
    """Refuse a host with an address that is not public, before anything is sent to it."""
    host = request.url.raw_host.decode("ascii")
    try:
        for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
            _check_address(str(entry[4][0]), request.url)
    except OSError as error:
        raise httpx.ConnectError(f"{host}: {error}") from error


def _check_connection(answer: httpx.Response) -> None:
    """Refuse an answer from an address that is not public: the name may have changed its address since the check."""
    _check_address(answer.extensions["network_stream"].get_extra_info("server_addr")[0], answer.url)


def _check_address(address: str, url: httpx.URL) -> None:
    """Raise `UserError` for an address that is not public."""
    if not _is_public(ipaddress.ip_address(address)):
        raise UserError(
            f"{url}: {url.host} has the address {address}, which is not public; enter a public address, or set "
            "allow_private_addresses in the config"
        )


def _is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address belongs to one host on the internet, and so does the IPv4 address that it may contain."""
    held = getattr(address, "sixtofour", None)
    if address in NAT64:
        held = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return all(each.is_global and not each.is_multicast for each in (address, held) if each)
