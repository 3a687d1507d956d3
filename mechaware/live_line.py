"""A line at the foot of a terminal while Snakemake runs: jobs done and running, and the time left."""

import atexit
import logging
import sys
import threading
from typing import Any, TextIO

from tqdm import tqdm

MOST_NAMED = 3  # running jobs
FORMAT = "{desc}: {n_fmt} of {total_fmt} jobs |{bar:20}| {elapsed}, about {remaining} left{postfix}"


class LiveLine(logging.Handler):
    """Follows Snakemake's log records. Time left is that of jobs as long as those before them."""

    def __init__(self, total: int, stream: TextIO) -> None:
        super().__init__()
        self._running: dict[int, str] = {}
        self._bar: Any = tqdm(
            total=total, desc="done", file=stream, bar_format=FORMAT, leave=False, dynamic_ncols=True, smoothing=0
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Note that a job starts or ends. Other records pass."""
        event = getattr(getattr(record, "event", None), "value", None)
        if event == "job_info":
            self._running[record.__dict__["jobid"]] = record.__dict__["rule_name"]
        elif event in ("job_finished", "job_error"):
            self._running.pop(record.__dict__["job_id" if event == "job_finished" else "jobid"], None)
        elif event == "progress":
            self._bar.total, self._bar.n = record.__dict__["total"], record.__dict__["done"]
        else:
            return
        self._bar.set_postfix_str(self._named(), refresh=False)
        self.refresh()

    def refresh(self) -> None:
        """Write the line anew."""
        self._bar.refresh()

    def close(self) -> None:
        """Take the line away."""
        self._bar.close()
        super().close()

    def _named(self) -> str:
        names = list(self._running.values())
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return f"now {', '.join(names[:MOST_NAMED])}{more}" if names else ""


def show_live_line(logger: logging.Logger, total: int) -> None:
    """Show the line below what `logger` writes to standard error, for `total` jobs; nothing if that is no terminal."""
    stream = sys.stderr
    if not stream.isatty():
        return
    for handler in logger.handlers:
        if getattr(handler, "stream", None) is stream:
            _write_above(handler)
    live = LiveLine(total, stream)
    logger.addHandler(live)
    ended = threading.Event()

    def each_second() -> None:
        while not ended.wait(1):
            live.refresh()

    def end() -> None:
        ended.set()
        live.close()

    threading.Thread(target=each_second, daemon=True).start()
    atexit.register(end)


def _write_above(handler: logging.Handler) -> None:
    """Have the line cleared while the handler writes."""
    emit = handler.emit

    def emit_above(record: logging.LogRecord) -> None:
        with tqdm.external_write_mode(file=handler.stream):  # type: ignore[attr-defined]
            emit(record)

    handler.emit = emit_above  # type: ignore[method-assign]
