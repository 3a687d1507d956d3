"""The errors that a failed run leaves in its logs."""

import os
import subprocess
import sys
from pathlib import Path

from mechaware.doors.command.failures import errors_of_jobs


def test_the_error_of_a_failed_job_is_its_logs_last_line(tmp_path: Path) -> None:
    old = tmp_path / "claims/old.log"
    old.parent.mkdir()
    old.write_text("error: of a run before\n")
    os.utime(old, (1000.0, 1000.0))
    (tmp_path / "claims/judge.log").write_text("asked\nerror: judge mine: no reply; try again\n")
    (tmp_path / "claims/finished.log").write_text("error: a line of a reply\n2 of 2 answered\n")

    assert errors_of_jobs(tmp_path, 2000.0) == ["error: judge mine: no reply; try again"]


def test_the_error_of_a_traceback_is_the_exceptions_first_line_and_the_path_of_the_log(
    tmp_path: Path,
) -> None:
    """The job fails in handling an error, with a message of two lines."""
    job = "try:\n    {}['id']\nexcept KeyError:\n    raise ValueError('no id\\nin 3 rows')\n"
    failed = subprocess.run(
        [sys.executable, "-c", job], capture_output=True, text=True, check=False
    )
    log = tmp_path / "measure.log"
    log.write_text(f"measured 2 of 3\n{failed.stderr}")

    assert "KeyError: 'id'" in failed.stderr
    assert errors_of_jobs(tmp_path, 0.0) == [
        f"error: ValueError: no id; the whole traceback is in {log}"
    ]
