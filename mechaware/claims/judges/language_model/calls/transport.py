"""HTTP for litellm with limits: a reply has a most size and a deadline, and a redirect is not followed."""

import json
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

import httpcore
import httpx

from mechaware.claims.fetching.connections import DeadlineBackend
from mechaware.claims.fetching.encodings import decoded
from mechaware.claims.judges.language_model.calls.normalising import normalised

LARGEST_REPLY = 10_000_000  # bytes; 131,072 tokens, the most that a judge asks for, are less than a tenth
SHOWN = 80  # characters of a reply that is no JSON object


class RedirectedError(Exception):
    """The provider answers with a redirect. Following it would send the prompt, and perhaps the key, elsewhere."""


class MalformedReplyError(Exception):
    """A reply that is no chat completion: cut, too large, late, or something else than a JSON object."""


@dataclass
class Exchange:
    """One attempt of a call: what came of it on the wire, which litellm does not say.

    `failure` is why there is no reply, `usage` the tokens that a reply's own `usage` names.
    """

    deadline: float
    failure: Exception | None = None
    usage: Mapping[str, Any] | None = None


class LimitedTransport(httpx.BaseTransport):
    """Sends litellm's requests, one connection each, while an attempt is under way.

    Names are looked up, connections made, requests sent and replies read until the attempt's deadline. Uses the proxy
    that the environment names for the address.
    """

    def __init__(self) -> None:
        self._exchange: Exchange | None = None

    @contextmanager
    def attempt(self, timeout_s: float) -> Iterator[Exchange]:
        """Allow requests for so many seconds together."""
        self._exchange = Exchange(time.monotonic() + timeout_s)
        try:
            yield self._exchange
        finally:
            self._exchange = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The whole reply; an error in its body counts as the reply's status.

        What goes wrong is kept in the attempt, because litellm replaces it, and raised as httpx's `TransportError`.
        """
        exchange = self._exchange
        if exchange is None:
            raise httpx.TransportError("a request of litellm's own")
        try:
            return _read(_receive(request, exchange.deadline), exchange)
        except httpcore.TimeoutException as error:
            late = time.monotonic() >= exchange.deadline
            exchange.failure = MalformedReplyError("no whole reply in time" if late else "no connection came about")
            raise httpx.ReadTimeout(str(exchange.failure), request=request) from error
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
            exchange.failure = MalformedReplyError(f"the connection failed ({error})")
        except (RedirectedError, MalformedReplyError, ValueError) as error:  # ValueError: the body's encoding
            exchange.failure = error
        raise httpx.ReadError(str(exchange.failure), request=request)


def _receive(request: httpx.Request, deadline: float) -> httpx.Response:
    """The reply with its body, unpacked, and at most `LARGEST_REPLY` bytes of it in memory."""
    url = request.url
    target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"accept-encoding"]
    pool = httpcore.ConnectionPool(
        ssl_context=_ssl_context(), proxy=_proxy(url), network_backend=DeadlineBackend(deadline)
    )
    with (
        pool,
        pool.stream(
            request.method, target, headers=[*headers, (b"Accept-Encoding", b"identity")], content=request.read()
        ) as reply,
    ):
        received = httpx.Headers(reply.headers)
        if 300 <= reply.status < 400:
            raise RedirectedError(received.get("location", "nowhere"))
        body = bytearray()
        for chunk in decoded(received.pop("content-encoding", ""), reply.iter_stream()):
            body += chunk
            if len(body) > LARGEST_REPLY:
                raise MalformedReplyError(f"a reply of more than {LARGEST_REPLY} bytes")
        return httpx.Response(reply.status, headers=received, content=bytes(body), request=request)


def _read(response: httpx.Response, exchange: Exchange) -> httpx.Response:
    """The reply, if it is a JSON object or an error; one that is an error despite its status gets the error's."""
    if not response.is_success:
        return response
    try:
        content = json.loads(response.content)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        media_type = response.headers.get("content-type", "no media type")
        beginning = response.content[:SHOWN].decode("utf-8", "replace")
        raise MalformedReplyError(f"{media_type} where a JSON object was expected: {beginning!r}")
    content = normalised(content)
    exchange.usage = content.get("usage")
    status = _status(content["error"]) if content.get("error") else response.status_code
    return httpx.Response(status, headers=_of_json(response.headers), json=content, request=response.request)


def _of_json(headers: httpx.Headers) -> list[tuple[str, str]]:
    """The headers without those that say how the body was sent."""
    return [(name, value) for name, value in headers.items() if name not in ("content-length", "content-type")]


def _status(error: object) -> int:
    """The HTTP status that an error names as its code; 500 if it names none."""
    code = str(error.get("code")) if isinstance(error, dict) else ""
    return int(code) if code.isdecimal() and 400 <= int(code) < 600 else 500


@cache
def _ssl_context() -> Any:
    return httpx.create_ssl_context()  # honours SSL_CERT_FILE and SSL_CERT_DIR


def _proxy(url: httpx.URL) -> httpcore.Proxy | None:
    """The proxy for an address, by the environment's http_proxy, https_proxy, all_proxy and no_proxy."""
    proxies = urllib.request.getproxies()
    address = proxies.get(url.scheme) or proxies.get("all")
    if not address or urllib.request.proxy_bypass(url.netloc.decode("ascii")):
        return None
    parts = urlsplit(address if "://" in address else f"http://{address}")
    place = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    auth = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
    return httpcore.Proxy(f"{parts.scheme}://{place}{port}", auth=auth)
