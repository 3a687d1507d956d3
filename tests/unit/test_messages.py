"""What a run says of a job that failed, by the job's log."""

import re
import runpy
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

BAR = "capture_activations:  43%|████▎     | 43/100 [00:07<00:09,  6.1prompt/s]"
KILLED = "killed, perhaps for want of memory or time"
REFUSED = """╭─ Parsing error ─────────────╮
│ Unrecognized options: --tau │
╰─────────────────────────────╯
"""


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "it wrote nothing"),
        (f"\r{BAR[:-9]}\r{BAR}", KILLED),
        (f"UserWarning: slow\n\r{BAR}", KILLED),
        ("reading: 12prompt [00:01,  3.1prompt/s]", KILLED),  # of a bar without a known end
        (f"{BAR}\nerror: x.csv: damaged; delete it\n", "error: x.csv: damaged; delete it"),
        (f"error: x.csv: damaged; delete it\n\r{BAR}", "error: x.csv: damaged; delete it"),
        (f'{BAR}\nTraceback (most recent call last):\n  File "a.py", line 3\nValueError: 3\n', "ValueError: 3"),
        (REFUSED, "Unrecognized options: --tau"),
    ],
)
def test_a_run_says_why_a_job_failed(tmp_path: Path, written: str, said: str) -> None:
    log, job_log = tmp_path / "snakemake.log", tmp_path / "job.log"
    job_log.write_text(written)
    log.write_text(f"Error in rule work:\n    jobid: 1\n    log: {job_log} (check log file(s) for error details)\n")
    messages = runpy.run_path(str(REPOSITORY / "rules/messages.smk"), {"re": re, "Path": Path})
    assert list(messages["failures"]([log])) == [f"  work: {said}  ({job_log})"]
