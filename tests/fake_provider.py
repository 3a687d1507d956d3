"""An OpenAI-compatible server on a loopback port that answers as a test scripts it,
badly too, and logs every call.
"""

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import yaml


@dataclass(frozen=True)
class Reply:
    """One answer on the wire. `body` None is a chat completion that says `content`."""

    content: str | None = ""
    finish_reason: str = "stop"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"
    # None: one for every four characters of the prompt, but at least 100.
    prompt_tokens: int | None = None
    completion_tokens: int = 10
    wait_s: float = 0.0  # before anything is sent
    cut_after: int | None = None  # bytes of the body, after which the connection is closed


def said(content: object, **more: Any) -> Reply:
    """A good reply: the text, or the object as JSON."""
    return Reply(content=content if isinstance(content, str) else json.dumps(content), **more)


def failed(status: int, message: str = "no", **headers: str) -> Reply:
    """An error as providers put it; `Retry_After="1"` becomes the header Retry-After."""
    body = json.dumps(
        {"error": {"message": message, "type": "error", "code": str(status)}}
    ).encode()
    return Reply(
        status=status,
        body=body,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


def failed_in_success(message: str, code: object = None) -> Reply:
    """An error as some routers put it: in the body of status 200."""
    return Reply(body=json.dumps({"error": {"message": message, "code": code}}).encode())


@dataclass(frozen=True)
class Call:
    """What arrived."""

    path: str
    headers: dict[str, str]  # names in lower case
    request: dict[str, Any]


class FakeProvider:
    """Answers the n-th call with the n-th reply of its script, later calls with `otherwise`.

    `otherwise` may be a function of the call; without it a call too many is answered 400 and fails
    the caller. `url` is the `api_base`, `calls` the log.
    """

    def __init__(
        self,
        script: Iterable[Reply] = (),
        *,
        otherwise: Reply | Callable[[Call], Reply] | None = None,
    ) -> None:
        self.calls: list[Call] = []
        self._script = list(script)
        self._otherwise = otherwise or failed(400, "a call that the test did not expect")
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> "FakeProvider":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, call: Call) -> Reply:
        """Log the call and choose its reply."""
        with self._lock:
            self.calls.append(call)
            if len(self.calls) <= len(self._script):
                return self._script[len(self.calls) - 1]
        return self._otherwise(call) if callable(self._otherwise) else self._otherwise

    def wait(self, seconds: float) -> None:
        """Sleep, but not past the end of the test."""
        self._closing.wait(seconds)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else header and body, two writes, cost 40 ms a call

            def do_POST(self) -> None:
                request = json.loads(
                    self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}"
                )
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = provider.answer(Call(self.path, headers, request))
                provider.wait(reply.wait_s)
                body = completion(reply, request) if reply.body is None else reply.body
                try:
                    self._send(reply, body)
                except (BrokenPipeError, ConnectionResetError):  # the caller has given up
                    self.close_connection = True

            def _send(self, reply: Reply, body: bytes) -> None:
                self.send_response(reply.status)
                sent = {
                    "Content-Type": reply.content_type,
                    "Content-Length": str(len(body)),
                } | reply.headers
                for name, value in sent.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body[: reply.cut_after])
                if reply.cut_after is not None:
                    self.close_connection = True

            def log_message(self, *message: Any) -> None:
                pass

        return Handler


def judge_entry(name: str, url: str, **more: object) -> str:
    """Lines of config/judges.yaml for a judge of this server."""
    entry = {
        "kind": "provider",
        "label": name,
        "model": "openai/m",
        "api_base": url,
        "attempts": 2,
        "timeout_s": 20,
    }
    return f"\n{yaml.safe_dump({name: entry | more})}"


def completion(reply: Reply, request: dict[str, Any]) -> bytes:
    """The body of a chat completion."""
    model = request.get("model", "")
    prompt_tokens = reply.prompt_tokens
    if prompt_tokens is None:
        texts = (str(message["content"]) for message in request.get("messages", ()))
        prompt_tokens = max(100, sum(map(len, texts)) // 4)
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": f"{model}-as-served",
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": reply.content},
                    "finish_reason": reply.finish_reason,
                }
            ],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": reply.completion_tokens,
                "total_tokens": prompt_tokens + reply.completion_tokens,
            },
        }
    ).encode()
