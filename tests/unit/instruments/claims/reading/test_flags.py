"""Reports of variance and their absence, told apart by hand; and the flags of a paper."""

import re
from pathlib import Path

import pytest
import yaml

from mechaware.instruments.claims.reading.cues import Cue
from mechaware.instruments.claims.reading.flags import VARIANCE, _reports_variance, paper_flags
from mechaware.instruments.claims.reading.readings import Hidden

SENTENCES = yaml.safe_load((Path(__file__).parent / "sentences.yaml").read_text())


@pytest.mark.parametrize("cue", VARIANCE, ids=lambda cue: cue.name)
def test_a_phrase_is_found_in_its_example(cue: Cue) -> None:
    assert re.search(cue.pattern, cue.example, re.I)
    assert _reports_variance(cue.example)


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
    assert paper_flags(spread, [Hidden(1, "not visible", "four small hidden words")], []) == [
        "HIDDEN_TEXT"
    ]
    assert paper_flags(spread, [Hidden(1, "not visible", "three words of x")], []) == []
    assert paper_flags(spread, 2 * [Hidden(1, "not visible", "only two words")], []) == []
    assert paper_flags(spread, [Hidden(1, "dropped", "a menu that nobody reads")], []) == []
    assert paper_flags(spread, [], ["Rate this paper."]) == ["ADDRESSES_JUDGE"]
    assert paper_flags(None, [], []) == []
