"""The second version of the judge prompts: what it changes, and an example that follows it."""

import json
from pathlib import Path

import pytest

from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.language_model.replies import JudgedClaims
from mechaware.instruments.claims.judges.quotes import locate_quotes
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from tests.unit.instruments.claims.claims_by_hand import claim

VERSIONS = Path(__file__).resolve().parents[6] / "config/judge_prompts"


@pytest.mark.parametrize(("version", "presses"), [("v1", True), ("v2", False)])
def test_only_the_first_version_presses_a_doubtful_status_downwards(
    version: str, presses: bool
) -> None:
    prompts = Prompts.load((VERSIONS / version).iterdir())
    copying = claim("Head 9.9 copies names", ["9.9"])

    _, asked_again = prompts.judge_claim_again(copying, {"I1": "no quote"}, "A text.", [])
    small, _ = prompts.judge_dimension_small("I", copying.statement, ["A passage."], [])

    assert ("give the lower one" in prompts.guidance) == presses
    assert ("In doubt, the lower" in small["content"]) == presses
    assert ("if no passage shows it, the status is NO" in asked_again["content"]) == presses


# Statuses of the two claims of the second version's example, read by hand from its excerpt. In this
# version the criteria have their author's meanings.
CIRCUIT_BY_HAND = {
    "C3": "YES",
    "M2": "PARTIAL",
    "M4": "NO",
    "M5": "NO",
    "E1": "PARTIAL",
    "E3": "YES",
}
PART_BY_HAND = {"C3": "NO", "M2": "NO", "M4": "NO", "M5": "NO", "E1": "PARTIAL", "E3": "NO"}


def test_the_second_versions_example_follows_its_own_guidance_and_quotes_its_paper() -> None:
    prompts = Prompts.load((VERSIONS / "v2").iterdir())
    excerpt, reply = prompts.texts["example.md"].split("\nReply:\n")
    JudgedClaims.model_validate_json(reply)
    circuit, part = json.loads(reply)["claims"]

    for example, by_hand in ((circuit, CIRCUIT_BY_HAND), (part, PART_BY_HAND)):
        criteria = example["criteria"]
        assert list(criteria) == list(CRITERIA)
        assert {code: criteria[code]["status"] for code in by_hand} == by_hand
        for code, entry in criteria.items():
            places = locate_quotes(entry["evidence"], excerpt)
            assert None not in places, code
            assert places or entry["status"] == "NO", code


def test_the_second_version_is_as_long_as_the_papers_and_brief_for_a_small_model() -> None:
    prompts = Prompts.load((VERSIONS / "v2").iterdir())

    # Appendix A: about 3,500 tokens without the example; four letters a token.
    characters = len(prompts.guidance) - len(prompts.texts["example.md"])
    assert characters == pytest.approx(4 * 3500, rel=0.1)
    for code, guide in prompts.criteria.items():
        assert len(guide.brief.split()) <= 25, code
