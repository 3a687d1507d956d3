"""Where a row of a table in docs/measured comes from: the row's last four columns."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from exhibits.report.reported import commit_of
from mechaware.core.provenance import this_machine

_SHORT_COMMIT = 8  # hexadecimal digits


class Origin(NamedTuple):
    """The last four columns of a row that was measured outside the workflow.

    - `date`: the day of the measurement in UTC, in ISO 8601.
    - `device`: the machine in words (`this_machine`).
    - `commit`: the first eight digits of the commit of the code that measured.
    - `command`: what to type to measure the row again.
    """

    date: str
    device: str
    commit: str
    command: str


def origin_today(
    git: Mapping[str, Any], file: str, command: str, *, device: str | None = None
) -> Origin:
    """The origin of a row that is measured today.

    Args:
        git: The state of the code that measures: `git_state()`, or the part `git` of a provenance
            record.
        file: The file that an error message names: the table that gets the row, or the file that
            the provenance record is of.
        command: What to type to measure the row again.
        device: The machine that measured; by default this machine.

    Raises:
        UserError: The state names no commit, or the code has changes that no commit holds.
    """
    commit = commit_of(git, file, command)
    return Origin(
        date=datetime.now(UTC).date().isoformat(),
        device=device or this_machine(),
        commit=commit[:_SHORT_COMMIT],
        command=command,
    )
