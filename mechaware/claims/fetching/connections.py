"""Connections that end at a deadline, whatever the other side does: look-up, connect, TLS, every read and write."""

import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpcore

CONNECT_S = 15.0  # for one address, so that a dead one leaves time for the next
WRITTEN_AT_ONCE = 16384  # bytes: the time that is left is computed anew for each piece


class DeadlineBackend(httpcore.NetworkBackend):
    """Connects for httpcore until `deadline`, a time of `time.monotonic`.

    A host is resolved once for a connection. `check` gets the host and all its addresses, and raises if one of them
    is not to be connected to; the connection then goes to one of those very addresses, so that a name that changes its
    address between check and use gains nothing. After the deadline everything raises `httpcore.TimeoutException`.
    """

    def __init__(self, deadline: float, check: Callable[[str, Sequence[str]], None] = lambda *_: None) -> None:
        self.deadline, self.check = deadline, check

    def connect_tcp(self, host: str, port: int, *_: Any, **__: Any) -> httpcore.NetworkStream:
        """A connection to the first address that answers, each of which has `CONNECT_S`."""
        addresses = resolve(host, port, self.deadline)
        self.check(host, addresses)
        failure: Exception = httpcore.ConnectError(f"{host}: no address")
        for address in addresses:
            try:
                stream = httpcore.SyncBackend().connect_tcp(
                    address, port, timeout=min(time_left(self.deadline), CONNECT_S)
                )
                return _DeadlineStream(stream, self.deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure


class _DeadlineStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self.stream, self.deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self.stream.read(max_bytes, time_left(self.deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        for start in range(0, len(buffer), WRITTEN_AT_ONCE):
            self.stream.write(buffer[start : start + WRITTEN_AT_ONCE], time_left(self.deadline))

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore.NetworkStream:
        secure = self.stream.start_tls(ssl_context, server_hostname, time_left(self.deadline))
        return _DeadlineStream(secure, self.deadline)

    def get_extra_info(self, info: str) -> Any:
        return self.stream.get_extra_info(info)


def resolve(host: str, port: int, deadline: float) -> list[str]:
    """The addresses of a host, without repeats. Raises httpcore's `ConnectError`, or `ConnectTimeout` at the deadline.

    The look-up has no time limit of its own: it runs in a thread, which is left behind if it does not return.
    """
    answer: queue.SimpleQueue[list[str] | httpcore.ConnectError] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.put(list(dict.fromkeys(str(entry[4][0]) for entry in found)))
        except (OSError, UnicodeError) as error:
            answer.put(httpcore.ConnectError(f"{host}: {error}"))

    threading.Thread(target=look_up, daemon=True).start()
    try:
        addresses = answer.get(timeout=time_left(deadline))
    except queue.Empty:
        raise httpcore.ConnectTimeout(f"{host}: its address was not found in time") from None
    if isinstance(addresses, httpcore.ConnectError):
        raise addresses
    return addresses


def time_left(deadline: float) -> float:
    """Seconds until the deadline. Raises `httpcore.ReadTimeout` after it."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the deadline has passed")
    return left
