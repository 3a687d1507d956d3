"""Why a run of Snakemake failed, from the logs that it wrote: job errors, or a locked folder."""

from pathlib import Path

# The words for a locked folder in Snakemake's own log.
_REFUSED = "Directory cannot be locked"


def was_refused_by_lock(folder: Path, since: float) -> bool:
    """Whether a run of Snakemake in `folder` was stopped by the lock of another run.

    The other run is still going on, or was killed. `since` is when the stopped run began, in
    seconds since 1970. The logs of Snakemake written since then are searched, not the lock files: a
    run that makes other files keeps its locks in the same folder.
    """
    logs = (folder / ".snakemake/log").glob("*.snakemake.log")
    written = [log for log in logs if log.stat().st_mtime >= since]
    return any(_REFUSED in log.read_text(encoding="utf-8", errors="replace") for log in written)


def errors_of_jobs(logs: Path, since: float) -> list[str]:
    """The error of each log below the folder `logs`, in the order of the logs' paths.

    Only logs count that were written at `since` (seconds since 1970) or later. A log without an
    error adds nothing. An error that a user can correct is the log's last line. Without such a
    line, the error is the line that names the exception in the log's last traceback, followed by
    the path of the log.
    """
    errors = []
    for log in sorted(logs.rglob("*.log")):
        if log.stat().st_mtime < since:
            continue
        text = log.read_text(encoding="utf-8", errors="replace")
        last_line = text.rstrip().rpartition("\n")[2]
        if last_line.startswith("error: "):
            errors.append(last_line)
        elif exception := _last_exception(text):
            errors.append(f"error: {exception}; the whole traceback is in {log}")
    return errors


def _last_exception(log: str) -> str:
    """The exception of the last traceback in a log, such as `KeyError: 'id'`.

    Only the first line of its message is returned. Empty for a log without a traceback.
    """
    _, traceback, lines = log.rpartition("Traceback (most recent call last):\n")
    if not traceback:
        return ""
    # The calls are on indented lines; the first line that is not indented names the exception.
    return next((line for line in lines.splitlines() if line and not line.startswith(" ")), "")
