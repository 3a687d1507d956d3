"""Evidence taken out of a paper, passages with edits by hand, and the estimate of a cost."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.criteria import CRITERIA, Status
from mechaware.claims.rubric.records import Claim, Judgement, PaperText, Run
from mechaware.claims.trust.controls.judges import Control
from mechaware.claims.trust.cost import estimate_cost
from mechaware.claims.trust.passages import read_passages
from mechaware.claims.trust.plan import plan_trials
from mechaware.claims.trust.removal import choose_others, remove_evidence
from mechaware.claims.trust.spans import merged, remove_spans, sentences_within_lines
from mechaware.claims.trust.trials import Scoring
from mechaware.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[4]
PASSAGES = sorted((REPOSITORY / "config/passages").glob("*.yaml"))
PASSAGE = REPOSITORY / "config/passages/comma_heads.yaml"
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").iterdir())
TEXT = "We ablated head 3.1. It was lost.\nThe sky is blue. The sea is calm today, too.\nThe end."
CLAIM = Claim(
    statement="Head 3.1 copies", description_mode="algorithmic", evidence_families=[], components=["3.1"], criteria={}
)


class Reader(Control):
    """Says YES to I1 where the text has an ablation, to I2 always, each with the first sentence as its quote."""

    def __init__(self) -> None:
        super().__init__("reader", self.status)
        self.texts: list[str] = []

    def status(self, text: str, claim: Claim, code: str, run: int) -> Status:
        del claim, run
        return "YES" if code == "I2" or (code == "I1" and "ablated" in text) else "NO"

    def judge_claims(self, text: str, about: PaperText, claims: Any, run: int) -> Run:
        self.texts.append(text)
        judged = super().judge_claims(text, about, claims, run)
        quoted = {
            code: Judgement(status=j.status, quotes=[(0, 20)] if j.status == "YES" else [])
            for code, j in judged.claims[0].criteria.items()
        }
        return judged.model_copy(update={"claims": [judged.claims[0].model_copy(update={"criteria": quoted})]})


def about(text: str) -> PaperText:
    given = {"paper": "p", "pages": 1, "pages_read": 1, "truncated": False, "flags": [], "hidden": []}
    return PaperText(**given, characters=len(text))


def test_a_judge_that_reads_falls_without_its_quotes_and_stays_without_other_text() -> None:
    reader = Reader()
    rows = list(remove_evidence(reader, TEXT, about(TEXT), [CLAIM], seed=1))
    assert rows == [
        {"claim": 0, "criterion": "I1", "before": "YES", "quoted": "NO", "other": "YES"},
        {"claim": 0, "criterion": "I2", "before": "YES", "quoted": "YES", "other": "YES"},
    ]
    whole, quoted, other = reader.texts
    assert whole == TEXT
    assert "ablated" not in quoted
    assert "It was lost." in quoted
    assert len(other) < len(TEXT) - 10
    assert "We ablated head 3.1." in other


def test_without_a_quote_nothing_is_asked_again() -> None:
    never = Control("never", lambda *_: "NO")
    assert list(remove_evidence(never, TEXT, about(TEXT), [CLAIM], seed=1)) == []


def test_places_in_a_text() -> None:
    assert [TEXT[slice(*span)] for span in sentences_within_lines(TEXT)] == [
        "We ablated head 3.1.",
        "It was lost.",
        "The sky is blue.",
        "The sea is calm today, too.",
        "The end.",
    ]
    assert merged([(5, 9), (0, 3), (3, 4), (8, 12)]) == [(0, 4), (5, 12)]
    assert remove_spans("abcdef", [(0, 1), (2, 4)]) == " b ef"


def test_other_text_is_whole_sentences_apart_from_the_quotes_and_as_long() -> None:
    quotes = [(0, 20)]
    for seed in range(9):
        chosen = choose_others(TEXT, quotes, seed)
        assert all(low >= 20 for low, _ in chosen)
        assert 20 <= sum(high - low for low, high in chosen) < 20 + 27
    assert sum(high - low for low, high in choose_others(TEXT, [(0, 80)], 1)) <= len("The end.")


# Passages


def written(folder: Path, **changes: Any) -> Path:
    content = yaml.safe_load(PASSAGE.read_text()) | changes
    path = folder / "own.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def test_every_passage_has_a_licence_an_edit_that_falls_and_a_placebo() -> None:
    for trial in read_passages(PASSAGES):
        moves = ["".join(sorted(set(variant.expected[0]))) for variant in trial.edits]
        assert "?f" in moves
        assert "." in moves
        assert all(50 <= len(variant.text.split()) <= 350 for variant in [trial.base, *trial.edits])
    entries = [yaml.safe_load(path.read_text()) for path in PASSAGES]
    assert {entry["licence"].split(",")[0].split(";")[0] for entry in entries} == {"CC BY 4.0", "MIT"}


def test_the_passage_written_for_the_project_has_edits_and_placebos() -> None:
    (trial,) = read_passages([PASSAGE])
    assert (trial.paper, trial.source) == ("passage-comma_heads", "passage")
    expected = {(v.edit, v.criterion): v.expected[0] for v in trial.edits}
    place = list(CRITERIA).index("I1")
    assert expected["deleted", "I1"] == "?" * place + "f" + "?" * (26 - place)
    assert {edit for (edit, code), moves in expected.items() if set(moves) == {"."}} == {
        "reworded",
        "reordered",
        "shortened",
        "lengthened",
    }
    base = trial.base.text
    by_edit = {v.edit: v.text for v in trial.edits}
    assert "ablated" in base
    assert "ablated" not in by_edit["deleted"]
    assert sorted(base.split()) == sorted(by_edit["reordered"].split())
    assert all(v.text != base for v in trial.edits)
    assert all(100 <= len(v.text.split()) <= 300 for v in trial.edits)


def test_one_family_twice_on_one_criterion_is_refused(tmp_path: Path) -> None:
    """Their rows could not be told from runs."""
    edits = [{"family": "reworded", "replace": [{"old": old, "new": "."}]} for old in ("All runs", "The prompts")]
    with pytest.raises(UserError, match="more than one edit 'reworded'"):
        read_passages([written(tmp_path, edits=edits)])


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"family": "vanished", "replace": [{"old": "comma"}]}, "no family 'vanished'.*toggled"),
        ({"family": "deleted", "replace": [{"old": "We claim"}]}, "a criterion and expected: falls or rises"),
        (
            {"family": "reworded", "criterion": "I1", "expected": "falls", "replace": [{"old": "We claim"}]},
            "no criterion, expected: nothing",
        ),
        (
            {"family": "deleted", "criterion": "I1", "expected": "falls", "replace": [{"old": "no such words"}]},
            "'no such words' 0 times",
        ),
        ({"family": "deleted", "criterion": "I1", "expected": "sinks", "replace": [{"old": "x"}]}, "edits.0.expected"),
    ],
)
def test_a_passage_that_cannot_be_used_is_refused_in_one_line(
    tmp_path: Path, edit: dict[str, Any], message: str
) -> None:
    path = written(tmp_path, edits=[edit])
    with pytest.raises(UserError, match=message) as refused:
        read_passages([path])
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


# Cost


def test_the_cost_is_counted_without_a_call() -> None:
    """Calls for the base and ten edits, twice, and the base's audit, at 2 and 10 dollars a million tokens."""
    settings = JudgeSettings(
        name="mine",
        kind="provider",
        model="openai/mine",
        mode="claim_by_claim",
        max_tokens=1000,
        usd_per_million_prompt_tokens=2.0,
        usd_per_million_completion_tokens=10.0,
    )
    trials = read_passages([PASSAGE])
    cost = estimate_cost(settings, PROMPTS, trials, 2, Scoring(1))
    assert (cost.texts, cost.calls, cost.completion_tokens) == (11, 23, 23_000)
    text = trials[0].base.text
    assert cost.prompt_tokens > 22 * len(text) / 4
    assert cost.dollars == pytest.approx((2 * cost.prompt_tokens + 10 * 23_000) / 1e6)
    assert re.search(r"judge mine: 11 texts, 23 calls, .* about \$\d+\.\d\d", cost.line("mine"))


def test_rules_cost_nothing() -> None:
    trials = plan_trials(1, [], edits=3, seed=1)
    assert estimate_cost(JudgeSettings(name="rules", kind="lexical"), [], trials, 1, Scoring(1)) == (4, 0, 0, 0, 0.0)
