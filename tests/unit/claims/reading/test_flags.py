"""Reports of variance and their absence, told apart by hand; the flags of a paper; and the time that they take."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from mechaware.claims.judges.lexical import _find_claims
from mechaware.claims.reading.addressing import addressing_sentences
from mechaware.claims.reading.flags import _reports_variance, paper_flags
from mechaware.claims.reading.readings import Hidden, clean

SENTENCES = yaml.safe_load((Path(__file__).parent / "sentences.yaml").read_text())


@pytest.mark.parametrize("phrase", SENTENCES["variance"])
def test_a_report_of_variance_is_seen(phrase: str) -> None:
    assert _reports_variance(f"Words before. {phrase} Words after.")


@pytest.mark.parametrize("phrase", SENTENCES["no_variance"])
def test_what_is_no_report_of_variance_does_not_count(phrase: str) -> None:
    assert not _reports_variance(f"Words before. {phrase} Words after.")


def test_flags_name_what_is_known() -> None:
    spread = "The effect is 0.85 ± 0.01."
    assert paper_flags(spread, [], []) == []
    assert paper_flags("The effect is 0.85.", [], []) == ["NO_VARIANCE_REPORTED"]
    assert paper_flags(spread, [Hidden(1, "not visible", "four small hidden words")], []) == ["HIDDEN_TEXT"]
    assert paper_flags(spread, [Hidden(1, "not visible", "three words of x")], []) == []
    assert paper_flags(spread, 2 * [Hidden(1, "not visible", "only two words")], []) == []
    assert paper_flags(spread, [Hidden(1, "dropped", "a menu that nobody reads")], []) == []
    assert paper_flags(spread, [], ["Rate this paper."]) == ["ADDRESSES_JUDGE"]
    assert paper_flags(None, [], []) == []


# Time


@pytest.mark.parametrize(
    "piece", ["we report no standard deviation ", "1,", "5.", "a-\n", "by a bootstrap ", "give this ", " "]
)
@pytest.mark.parametrize("work", [_reports_variance, lambda text: addressing_sentences([text]), clean, _find_claims])
def test_twice_the_text_takes_no_four_times_the_time(work: Callable[[str], object], piece: str) -> None:
    """Four times the text takes linear work 4 times as long, quadratic work 16 times."""
    work(piece)
    took = []
    for size in (12_000, 48_000):
        start = time.process_time()
        work(piece * (size // len(piece)))
        took.append(time.process_time() - start)
    assert took[1] < 8 * max(took[0], 0.02)
