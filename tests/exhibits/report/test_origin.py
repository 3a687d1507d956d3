"""Where a row of docs/measured comes from."""

from datetime import UTC, datetime

import pytest

from exhibits.report.origin import origin_today
from mechaware.core.errors import UserError
from mechaware.core.provenance import this_machine

CLEAN = {"commit": "0123456789abcdef0123456789abcdef01234567", "modified": False}


def test_a_row_names_its_day_machine_commit_and_command() -> None:
    origin = origin_today(CLEAN, "rates.csv", "python -m benchmarks.rates")

    assert origin._asdict() == {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "device": this_machine(),
        "commit": "01234567",
        "command": "python -m benchmarks.rates",
    }


def test_a_row_may_have_been_measured_on_another_machine() -> None:
    assert origin_today(CLEAN, "rates.csv", "x", device="NVIDIA H200").device == "NVIDIA H200"


def test_what_was_measured_with_changes_that_no_commit_holds_is_refused() -> None:
    with pytest.raises(UserError, match=r"^rates.csv: made with changes .* run `x` again$"):
        origin_today({**CLEAN, "modified": True}, "rates.csv", "x")
