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


def seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    work(text)
    return time.process_time() - start


PIECES = [
    "we report no standard deviation ",
    "1,",
    "5.",
    "±",
    "a-\n",
    "- \n",
    "s.d. ",
    "by a bootstrap ",
    "the variance ",
    "give this ",
    "you are a ",
    "mark the criterion ",
    "give",
    " ",
]


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("work", [_reports_variance, lambda text: addressing_sentences([text]), clean])
def test_twice_the_text_takes_no_four_times_the_time(work: Callable[[str], object], piece: str) -> None:
    """Four times the text takes linear work 4 times as long, quadratic work 16 times."""
    short, long = (piece * (size // len(piece)) for size in (12_000, 48_000))
    seconds(work, short)
    assert seconds(work, long) < 8 * max(seconds(work, short), 0.02)


@pytest.mark.parametrize("piece", ["1,", "1", "5.", " ", "a-", "a'", "±", "x."])
def test_a_page_of_data_in_one_row_is_read_in_time_that_grows_with_its_length(piece: str) -> None:
    """Patterns without bounds took minutes for this; 200,000 characters now take about a second."""
    text = f"Head 3.1 moves the subject. {piece * (200_000 // len(piece))} end."
    start = time.process_time()
    assert not _reports_variance(clean(text))
    _find_claims(clean(text))
    assert time.process_time() - start < 20
