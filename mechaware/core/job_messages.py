"""Snakemake's messages about jobs, in lines that can be read: a job may read hundreds of files."""

import logging
import textwrap
from collections.abc import Sequence

_WIDTH = 160  # characters of a list of files, of a reason, or of a line of names of rules
_PART = 80  # characters of a part of a reason, such as `Missing output files: ...`
# The event of a job that runs or would run. Its record is shortened; the record of a failed job
# stays whole.
_JOB = "job_info"
# Beginnings of a dry run's long messages: names of all rules that it reruns, and ways to
# skip these rules.
_LONG = (
    "Reasons:\n",
    "Some jobs were triggered by provenance information",
    "Rules with provenance triggered jobs",
)


class ReadableJobs(logging.Filter):
    """Shortens the lists of files and the reason of each job, and breaks long lines of a dry run's
    messages.

    For Snakemake's logger, whose formatters print all that a record holds. It drops no record.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record in place. Always true."""
        fields = record.__dict__
        if fields.get("event") == _JOB:
            fields["input"] = first_files(fields["input"])
            fields["output"] = first_files(fields["output"])
            fields["reason"] = shorten_reason(fields["reason"])
        elif str(record.msg).startswith(_LONG):
            record.msg = "\n".join(_wrap(line) for line in record.msg.splitlines())
        return True


def first_files(files: Sequence[str]) -> list[str]:
    """The first files, as many as fit on a line but at least one.

    If some are left out, the last entry is `...` with the number of all files.
    """
    first: list[str] = []
    for file in files:
        if first and len(", ".join([*first, file])) > _WIDTH:
            return [*first, f"... ({len(files)} files)"]
        first.append(file)
    return first


def shorten_reason(reason: str) -> str:
    """A job's reason, whose parts are separated by `; `.

    `...` replaces the end of each part that is too long, then the end of the whole reason if it is
    still too long.
    """
    parts = [_cut(part, _PART) for part in reason.split("; ")]
    return _cut("; ".join(parts), _WIDTH)


def _cut(text: str, width: int) -> str:
    """The text with its end replaced by `...` if it has more than `width` characters.

    It is cut at a space; a longer text whose first `width` characters have no space is unchanged.
    """
    if len(text) <= width:
        return text

    # Cut only between words, so that a file's name stays whole.
    cut = text.rfind(" ", 0, width)
    return text if cut < 0 else f"{text[:cut]} ..."


def _wrap(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(
        line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
