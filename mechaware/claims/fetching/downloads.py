"""Downloads from untrusted addresses, with limits on hosts, redirects, bytes and time."""

import email.message
import email.utils
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, NoReturn
from urllib.parse import quote, urljoin, urlsplit

import httpcore

from mechaware.claims.fetching.addresses import refused
from mechaware.claims.fetching.connections import DeadlineBackend
from mechaware.claims.fetching.encodings import (
    BrokenEncodingError,
    CutEncodingError,
    UnknownEncodingError,
    decoded,
)
from mechaware.errors import UserError

USER_AGENT = "mechaware (claim validity scores; one paper at a time)"
REDIRECTS = 5
LONGEST_WAIT_S = 120.0  # asked for by Retry-After; beyond it the command ends instead of sleeping
REDIRECT_STATUS = (301, 302, 303, 307, 308)
PASSING_STATUS = (429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Limits:
    """Limits of a download: decoded bytes, seconds of an attempt with redirects, attempts, seconds of first wait."""

    max_bytes: int = 50_000_000
    timeout_s: float = 120.0
    attempts: int = 4
    backoff_s: float = 2.0
    allow_private_addresses: bool = False


class Download(NamedTuple):
    """A body with the address that served it, its media type in lower case and its declared character set, if any."""

    url: str
    media_type: str
    charset: str | None
    body: bytes


class MissingError(UserError):
    """The server has nothing at this address, or nothing for us (4xx)."""


class UnreachableError(UserError):
    """No usable answer after all attempts, or not in time."""


class _PassingError(Exception):
    """A failure that another attempt may mend, after the seconds that the server asks for."""

    def __init__(self, reason: str, wait_s: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


def download(url: str, limits: Limits, *, before_request: Callable[[], None] = lambda: None) -> Download:
    """Get `url` within `limits`; `before_request` runs before each attempt.

    Only http and https are followed, at each redirect anew. A host is resolved once for a connection; all its
    addresses must be public (`allow_private_addresses` lifts that) and one of those very addresses is connected to, so
    that a name that changes its address between check and use gains nothing. Proxies named in the environment are not
    used: behind a proxy the address that is connected to could not be checked. Where the network is reachable through
    a proxy only, download the paper by hand and enter it as a local file. Errors of the server (429, 500, 502-504)
    and of the connection are tried again with doubling waits, or those of Retry-After; other answers are final.

    Raises `MissingError` for 4xx, `UnreachableError` when attempts or time are used up, and `UserError` for what is
    refused: another scheme, a private address, too many redirects, bytes or seconds, an unknown encoding.
    """
    for attempt in range(1, limits.attempts + 1):
        before_request()
        try:
            return _attempt(url, limits)
        except _PassingError as error:
            wait_s = max(error.wait_s, limits.backoff_s * 2 ** (attempt - 1))
            if attempt == limits.attempts or wait_s > LONGEST_WAIT_S:
                asked = f", which asks to wait {wait_s:.0f} s" if wait_s > LONGEST_WAIT_S else ""
                raise UnreachableError(
                    f"{url}: {error} (attempt {attempt}{asked}); check the address and the network and run again "
                    "later, or download it by hand and enter it as a local file"
                ) from error
            time.sleep(wait_s)
    raise AssertionError("a loop without attempts")


def _attempt(url: str, limits: Limits) -> Download:
    """Follow redirects to a final answer; each hop is a connection of its own that is checked on its own."""
    deadline = time.monotonic() + limits.timeout_s
    here = url
    for _ in range(REDIRECTS + 1):
        backend = DeadlineBackend(deadline, partial(_check_addresses, url, limits))
        try:
            with (
                httpcore.ConnectionPool(network_backend=backend) as pool,
                pool.stream("GET", _parse(here, url), headers=_headers(here)) as answer,
            ):
                headers = {name.decode("latin-1").lower(): text.decode("latin-1") for name, text in answer.headers}
                if answer.status in REDIRECT_STATUS and "location" in headers:
                    here = urljoin(here, headers["location"])
                    continue
                _check_status(url, answer.status, headers)
                return _read(url, here, headers, answer.iter_stream(), limits)
        except httpcore.TimeoutException as error:
            if time.monotonic() < deadline:  # an address that does not answer ends its own, shorter time
                raise _PassingError("no connection came about") from error
            raise UnreachableError(
                f"{url}: not finished after {limits.timeout_s:g} s; raise the time-out, or download it by hand and "
                "enter it as a local file"
            ) from error
        except (httpcore.NetworkError, httpcore.RemoteProtocolError) as error:
            raise _PassingError(f"the connection failed ({_reason(error)})") from error
        except httpcore.LocalProtocolError as error:
            raise UserError(f"{url}: {_reason(error)}; correct the address") from error
    raise UserError(f"{url}: more than {REDIRECTS} redirects, the last one to {here}; enter the final address")


def _check_addresses(url: str, limits: Limits, host: str, addresses: Sequence[str]) -> None:
    private = [] if limits.allow_private_addresses else list(filter(refused, addresses))
    if private:
        raise UserError(
            f"{url}: {host} has the address {private[0]}, which is not public; enter a public address, or set "
            "allow_private_addresses in the config"
        )


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _parse(here: str, url: str) -> httpcore.URL:
    """Split an address once, so that the host that is checked is the host that the request names."""
    via = "" if here == url else f" redirects to {here}"
    try:
        parts = urlsplit(here)
        port, host = parts.port, (parts.hostname or "").encode("idna")
    except (ValueError, UnicodeError) as error:
        raise UserError(f"{url}:{via} is no address ({_reason(error)}); correct it") from error
    if parts.scheme not in ("http", "https"):
        raise UserError(f"{url}:{via or ' is'} not http or https; enter an http(s) address, or a local file as `file`")
    if not host or parts.username is not None or parts.password is not None:
        raise UserError(f"{url}:{via or ' has'} no host, or a name or password in it; enter a plain http(s) address")
    target = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._") + (
        "?" + quote(parts.query, safe="/%:@!$&'()*+,;=~-._?[]") if parts.query else ""
    )
    return httpcore.URL(scheme=parts.scheme.encode(), host=host, port=port, target=target.encode("ascii"))


def _headers(here: str) -> list[tuple[str, str]]:
    parts = urlsplit(here)
    name = (parts.hostname or "").encode("idna").decode("ascii")
    host = f"[{name}]" if ":" in name else name
    return [
        ("Host", host if parts.port is None else f"{host}:{parts.port}"),
        ("User-Agent", USER_AGENT),
        ("Accept", "*/*"),
        ("Accept-Encoding", "identity"),
    ]


def _check_status(url: str, status: int, headers: Mapping[str, str]) -> None:
    if status in PASSING_STATUS:
        raise _PassingError(f"the server answered {status}", _retry_after(headers.get("retry-after", "")))
    if 400 <= status < 500:
        raise MissingError(f"{url}: the server answered {status}; check the address, or whether it asks for a log-in")
    if status != 200:
        raise UserError(f"{url}: the server answered {status}, which is no document; check the address")


def _retry_after(value: str) -> float:
    """Seconds that a Retry-After header asks for, given as a number or as a date; 0 if it says neither."""
    if re.fullmatch(r"\d{1,9}", value.strip()):
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def _read(url: str, here: str, headers: Mapping[str, str], chunks: Iterable[bytes], limits: Limits) -> Download:
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limits.max_bytes:
        _too_long(url, limits)
    body = bytearray()
    try:
        for chunk in decoded(headers.get("content-encoding", ""), chunks):
            body += chunk
            if len(body) > limits.max_bytes:
                _too_long(url, limits)
    except CutEncodingError as error:
        raise _PassingError(str(error)) from error
    except (UnknownEncodingError, BrokenEncodingError) as error:
        raise UserError(f"{url}: {error}; download it by hand and enter it as a local file") from error
    if not body:
        raise UserError(f"{url}: the answer is empty; check the address")
    content_type = email.message.Message()
    content_type["Content-Type"] = headers.get("content-type", "application/octet-stream")
    return Download(here, content_type.get_content_type(), content_type.get_content_charset(), bytes(body))


def _too_long(url: str, limits: Limits) -> NoReturn:
    raise UserError(f"{url}: more than {limits.max_bytes} bytes; raise the limit if such a long paper is wanted")
