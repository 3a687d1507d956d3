"""Where a row of docs/measured comes from: its last four columns."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from exhibits.report.reported import commit_of
from mechaware.core.provenance import this_machine

_SHORT_COMMIT = 8  # hexadecimal digits


class Origin(NamedTuple):
    """The last four columns of a row that was measured by hand.

    - `date`: the day in UTC, in ISO 8601.
    - `device`: the machine in words (`this_machine`).
    - `commit`: the first eight digits of the commit of the code.
    - `command`: what to type to measure the row again.
    """

    date: str
    device: str
    commit: str
    command: str


def origin_today(
    git: Mapping[str, Any], file: str, command: str, *, device: str | None = None
) -> Origin:
    """The origin of what is measured today.

    Args:
        git: The state of the code that measures: `git_state()`, or the part `git` of a provenance
            record.
        file: What a message calls the table or the record.
        command: What to type to measure it again.
        device: The machine that measured; default: this one.

    Raises:
        UserError: The state names no commit, or files differ from it (`commit_of`).
    """
    commit = commit_of(git, file, command)
    return Origin(
        date=datetime.now(UTC).date().isoformat(),
        device=device or this_machine(),
        commit=commit[:_SHORT_COMMIT],
        command=command,
    )
