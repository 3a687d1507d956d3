# ruff: noqa: ARG005 - a function in place of another takes the same arguments
"""What a judge is worth belongs to a procedure: each deciding setting and each deciding function is part of it."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mechaware.instruments.claims.judges import lexical, locating, quotes
from mechaware.instruments.claims.judges.language_model import judge as model_judge
from mechaware.instruments.claims.judges.language_model import (
    prompts,
    replies,
    small_model,
    structured,
    whole_paper,
)
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.reading import margins, pdf, readings, unseen_prose
from mechaware.instruments.claims.rubric import criteria, scoring, support
from mechaware.instruments.claims.votes import audit, similarity, voting
from mechaware.verdicts.cases import supported as cases
from mechaware.verdicts.error_rates import find_error_rates, read_calibration
from mechaware.verdicts.procedure import (
    Procedure,
    differences,
    read_procedure,
    read_procedures,
    write_procedures,
)
from mechaware.verdicts.supported import Judging, supported_procedure

REPOSITORY = Path(__file__).resolve().parents[3]
CALIBRATION = read_calibration(REPOSITORY / "config/calibration/judges.csv")
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
LEXICAL = JudgeSettings("lexical", "lexical")
MODEL = JudgeSettings("mine", "provider", model="openai/one", api_key_env="KEY")
SMALL = JudgeSettings("small", "embedded", model="small", mode="passages")
OWN = JudgeSettings("mine", "no_package.MINE")
# As in config/config.yaml.
JUDGING = Judging(
    PROMPTS,
    runs=3,
    vote="minimum",
    claims_found="once",
    least_similarity=0.5,
    leak_audit=True,
    devils_advocate="none",
    max_pages=50,
    level=0.95,
)


@cache
def decisions_of(kind: str, mode: str) -> str:
    """The decisions of a kind of judge, which each takes a second to repeat: settings are no part of them."""
    return cases.supported_decisions(JudgeSettings("any", kind, mode=mode), PROMPTS)  # type: ignore[arg-type]


@pytest.fixture
def known_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions are repeated once for each kind of judge, and not once for each of its settings."""
    monkeypatch.setattr(
        "mechaware.verdicts.supported.supported_decisions",
        lambda judge, prompts: decisions_of(judge.kind, judge.mode),
    )


@cache
def procedure_of(judge: JudgeSettings) -> Procedure:
    return supported_procedure(judge, JUDGING)


@cache
def by_rules() -> str:
    return cases.digest(cases._by_rules(LEXICAL, PROMPTS))


@cache
def shared() -> str:
    return cases.supported_decisions(OWN, PROMPTS)


def missing(procedure: Procedure) -> str:
    return find_error_rates(procedure, CALIBRATION, size=None, text_length=20_000).missing


def test_the_committed_rates_are_of_the_default_procedure() -> None:
    assert procedure_of(LEXICAL).text in set(CALIBRATION["procedure"])
    assert missing(procedure_of(LEXICAL)) == ""


@pytest.mark.parametrize("judge", [LEXICAL, MODEL], ids=["lexical", "model"])
def test_a_procedure_is_read_as_it_was_written(judge: JudgeSettings) -> None:
    text = procedure_of(judge).text
    assert read_procedure(text).text == text


def test_the_procedures_of_judges_are_read_as_they_were_written(tmp_path: Path) -> None:
    procedures = {"mine": procedure_of(MODEL), "lexical": procedure_of(LEXICAL)}
    write_procedures(procedures, tmp_path / "procedures.json")
    assert list(read_procedures(tmp_path / "procedures.json").items()) == list(procedures.items())


# Settings


@pytest.mark.usefixtures("known_decisions")
@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"runs": 5}, "runs is 5, measured at 3"),
        ({"vote": "median"}, "vote is median, measured at minimum"),
        ({"claims_found": "every_run"}, "claims_found is every_run, measured at once"),
        ({"least_similarity": 0.6}, "least_similarity is 0.6, measured at 0.5"),
        ({"leak_audit": False}, "leak_audit is False, measured at True"),
        ({"devils_advocate": "aggressive"}, "devils_advocate is aggressive, measured at none"),
        ({"max_pages": 10}, "max_pages is 10, measured at 50"),
        ({"level": 0.9}, "level is 0.9, measured at 0.95"),
    ],
)
def test_each_setting_of_the_runs_the_vote_and_the_audit_decides(
    change: dict[str, Any], difference: str
) -> None:
    procedure = supported_procedure(LEXICAL, JUDGING._replace(**change))
    assert missing(procedure) == f"not measured with this procedure: {difference}"


@pytest.mark.usefixtures("known_decisions")
def test_another_wording_of_a_prompt_is_another_procedure(tmp_path: Path) -> None:
    for path in PROMPTS:
        shutil.copy(path, tmp_path)
    copied = sorted(tmp_path.glob("*.*"))
    assert supported_procedure(LEXICAL, JUDGING._replace(prompts=copied)) == procedure_of(LEXICAL)
    with (tmp_path / "system.md").open("a") as stream:
        stream.write("Be strict.\n")
    changed = supported_procedure(LEXICAL, JUDGING._replace(prompts=copied))
    assert missing(changed).startswith("not measured with this procedure: prompts is ")


@pytest.mark.usefixtures("known_decisions")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kind", "embedded"),
        ("model", "openai/two"),
        ("api_base", "https://example.org/v1"),
        ("temperature", 0.5),
        ("reasoning_effort", "high"),
        ("mode", "claim_by_claim"),
        ("max_tokens", 1000),
        ("structured_output", "none"),
        ("seed", "none"),
        ("max_claims", 3),
        ("context_tokens", 64_000),
    ],
)
def test_each_setting_of_a_language_model_on_which_replies_depend_decides(
    name: str, value: Any
) -> None:
    changed = supported_procedure(replace(MODEL, **{name: value}), JUDGING)
    before = getattr(MODEL, name)
    assert f"{name} is {value}, measured at {before}" in differences(changed, procedure_of(MODEL))


@pytest.mark.usefixtures("known_decisions")
def test_names_keys_prices_and_time_outs_decide_nothing() -> None:
    other = replace(
        MODEL,
        name="other",
        api_key_env="OTHER",
        timeout_s=9.0,
        attempts=1,
        max_cost_usd=1.0,
        usd_per_million_prompt_tokens=1.0,
        usd_per_million_completion_tokens=1.0,
    )
    assert supported_procedure(other, JUDGING) == procedure_of(MODEL)


@pytest.mark.usefixtures("known_decisions")
def test_other_weights_of_an_embedded_model_are_another_procedure() -> None:
    one = supported_procedure(SMALL, JUDGING, "ab")
    other = supported_procedure(SMALL, JUDGING, "cd")
    assert differences(one, other) == ["revision is ab, measured at cd"]


def test_any_file_of_a_package_of_ones_own_is_part_of_the_procedure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "verdict_judges"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "words.txt").write_text("copies\n")
    mine = JudgeSettings("mine", "verdict_judges.MINE")
    before = supported_procedure(mine, JUDGING)
    assert supported_procedure(mine, JUDGING) == before
    (package / "words.txt").write_text("moves\n")
    (difference,) = differences(supported_procedure(mine, JUDGING), before)
    assert difference.startswith("package is ")


class Replacement(NamedTuple):
    """A deciding function or constant of a module or a class, and another in its place.

    `judges`: of a decision by language models, the judges whose procedure it is part of.
    """

    place: Any
    attribute: str
    other: Any
    judges: Sequence[JudgeSettings] = ()

    def make(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put the other one in its place."""
        monkeypatch.setattr(self.place, self.attribute, self.other)


# Of the rubric, the vote, the audit and the verdict.
SHARED: dict[str, Replacement] = {
    "a level of a dimension": Replacement(
        scoring,
        "dimension_score",
        lambda dimension, statuses: min(ORIGINAL["dimension_score"](dimension, statuses), 2),
    ),
    "levels the other way": Replacement(scoring, "_missing", lambda dimension, level, statuses: {}),
    "the least sum": Replacement(
        scoring,
        "_statuses_to_raise",
        lambda dimension, level, demands, statuses: ORIGINAL["_statuses_to_raise"](
            dimension, level._replace(least_sum=0.0), demands, statuses
        ),
    ),
    "another weight": Replacement(
        scoring, "weighted_score", lambda scores: 10 * sum(scores.values()) / 15
    ),
    "bounds without the missing": Replacement(
        scoring, "_filled", lambda claim, missing: ORIGINAL["_filled"](claim, "NO")
    ),
    "words of a whole": Replacement(scoring, "SYSTEM_WORDS", ("circuit",)),
    "components of a whole": Replacement(scoring, "MANY_COMPONENTS", 4),
    "the first whole is the paper's": Replacement(
        scoring,
        "_main_claim",
        lambda claims: next((at for at, one in enumerate(claims) if one.system), None),
    ),
    "no largest claim": Replacement(
        voting, "mark_largest_claim", lambda claims, left_out: list(claims)
    ),
    "a claim that was left out does not matter": Replacement(
        voting, "mark_largest_claim", lambda claims, left_out: scoring.mark_largest_claim(claims, 0)
    ),
    "no marks by words": Replacement(voting, "mark_system_claims", lambda claims: list(claims)),
    "half is a majority": Replacement(
        voting, "_is_majority", lambda group: 2 * sum(at is not None for at in group) >= len(group)
    ),
    "the first vote": Replacement(voting, "_vote_on", lambda votes, runs, rule: votes[0]),
    "missing votes as NO": Replacement(
        voting,
        "_vote_on",
        lambda votes, runs, rule: ORIGINAL["_vote_on"](
            [vote.model_copy(update={"status": vote.status or "NO"}) for vote in votes],
            runs,
            rule,
        ),
    ),
    "the least for the median": Replacement(
        voting, "voted_status", lambda votes, rule: ORIGINAL["voted_status"](votes, "minimum")
    ),
    "all wholes alike": Replacement(
        voting,
        "_match_runs",
        lambda runs, least: (voting.match_claims(runs, least_similarity=0.0), []),
    ),
    "unlike wholes are two": Replacement(
        voting,
        "_match_runs",
        lambda runs, least: (voting.match_claims(runs, least_similarity=least), []),
    ),
    "no shared words": Replacement(similarity, "_shared_words", lambda ours, theirs: 0.0),
    "no denial": Replacement(
        similarity.ClaimComparison, "_are_opposed", lambda self, first, second: False
    ),
    "two words of one's own contradict, too": Replacement(
        similarity,
        "_rest",
        lambda ours, theirs: frozenset(list(ORIGINAL["_rest"](ours, theirs))[:1]),
    ),
    "words of one's own contradict nothing": Replacement(
        similarity, "_rest", lambda ours, theirs: frozenset()
    ),
    "no components": Replacement(
        similarity.ClaimComparison, "_shared_parts", lambda self, ours, theirs: None
    ),
    "leaks of wholes": Replacement(
        audit, "_allowed_leaks", lambda claims, proposed: ORIGINAL["_lowering"](claims, proposed)
    ),
    "proposals that raise": Replacement(audit, "RANK", {"NO": 2, "PARTIAL": 1, "YES": 0}),
    "all criteria leak": Replacement(audit, "LEAK_PRONE", tuple(criteria.CRITERIA)),
    "a higher tier": Replacement(support, "SUPPORTED_TIER", "Triangulated"),
    "a lower tier": Replacement(support, "SUPPORTED_TIER", "Causally Suggestive"),
    "any judge is good enough": Replacement(
        cases, "why_no_better", lambda rates, confidence_level: ""
    ),
    "no test of papers": Replacement(
        cases,
        "why_no_better",
        lambda rates, confidence_level: support.why_no_better(
            {**rates, "p": 0.0}, confidence_level
        ),
    ),
    "no test of criteria": Replacement(
        cases,
        "why_no_better",
        lambda rates, confidence_level: support.why_no_better(
            {**rates, "exact_low": 1.0}, confidence_level
        ),
    ),
}
ORIGINAL: dict[str, Any] = {
    "dimension_score": scoring.dimension_score,
    "_statuses_to_raise": scoring._statuses_to_raise,
    "_filled": scoring._filled,
    "_vote_on": voting._vote_on,
    "voted_status": voting.voted_status,
    "_lowering": audit._lowering,
    "_rest": similarity._rest,
}


@pytest.mark.parametrize("name", SHARED)
def test_another_decision_of_rubric_vote_audit_or_verdict_has_no_rates(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = shared()
    SHARED[name].make(monkeypatch)
    if name == "a level of a dimension":
        monkeypatch.setattr(cases, "dimension_score", SHARED[name].other)
    # Of the parts that all judges share, without those of single kinds.
    assert cases.supported_decisions(OWN, PROMPTS) != before


def test_a_changed_decision_leaves_no_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "MANY_COMPONENTS", 4)
    sentence = "its decisions on the committed cases are others than when the rates were measured"
    procedure = supported_procedure(LEXICAL, JUDGING)
    assert missing(procedure) == f"not measured with this procedure: {sentence}"


NOTHING = re.compile(r"(?!)")
# Of the reader of PDFs.
READING: dict[str, Replacement] = {
    "words that a line end cuts": Replacement(pdf, "LINE_END", NOTHING),
    "ligatures": Replacement(pdf, "LIGATURES", {}),
    "accents": Replacement(pdf, "ACCENTED", NOTHING),
    "letters of no size": Replacement(pdf, "MIN_SIZE", 0.0),
    "running heads and page numbers": Replacement(pdf, "without_margins", list),
    "page numbers alone": Replacement(margins, "PAGE_NUMBER", NOTHING),
    "letters too small to read": Replacement(unseen_prose, "MIN_HEIGHT", 0.1),
    "hidden prose stays in the text": Replacement(pdf, "cut", lambda text, unseen: (text, [])),
    "words that make prose": Replacement(readings, "MIN_PROSE_WORDS", 9),
}


def pages_read() -> list[Any]:
    """What is read of the committed PDF now, with what a test has replaced."""
    return cases._pages.__wrapped__()


def test_every_page_up_to_the_limit_is_read_and_what_it_hides_is_withheld() -> None:
    """The committed PDF, as its content streams are written."""
    (first, second), hidden, pages = pages_read()
    assert pages == 3
    assert "two ages and compares it" in first
    assert "as Ren\N{LATIN SMALL LETTER E WITH ACUTE} proposed" in first
    assert "The model finds the larger age in the first third" in first
    assert "the effect is large in each of them." in first
    assert second.splitlines() == [
        "Mean ablation of head 7.4 reduces accuracy from 0.91 to 0.34, and path patching restores half of it.",
        "Random heads of the same layers, as a control, change it by less than a hundredth in all five seeds.",
        "",
        "Preprint, under review",
    ]
    assert [(page, text.split()[0]) for page, _, text in hidden] == [
        (1, "Give"),
        (2, "Every"),
        (2, "The"),
        (2, "No"),
    ]


@pytest.mark.parametrize("name", READING)
def test_another_way_to_read_a_pdf_is_another_procedure(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = pages_read()
    READING[name].make(monkeypatch)
    assert pages_read() != before


def test_how_a_pdf_is_read_is_part_of_the_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    before = shared()
    monkeypatch.setattr(cases, "_pages", list)
    assert cases.supported_decisions(OWN, PROMPTS) != before


# Of the lexical rules.
RULES: dict[str, Replacement] = {
    "words for YES": Replacement(lexical, "YES", 4),
    "words for PARTIAL": Replacement(lexical, "PARTIAL", 1),
    "letters of a word": Replacement(lexical, "STEM_LETTERS", 12),
    "negations": Replacement(lexical, "NEGATED", NOTHING),
    "citations": Replacement(lexical, "CITED", NOTHING),
    "one's own words": Replacement(lexical, "OWN", NOTHING),
    "references": Replacement(lexical, "REFERENCES", NOTHING),
    "headings": Replacement(lexical, "HEADING", NOTHING),
    "long sentences": Replacement(lexical, "MAX_SENTENCE", 10_000),
    "words to the judge": Replacement(lexical, "addresses_judge", lambda text: False),
    "the opening": Replacement(lexical, "OPENING", 7000),
    "claims of a paper": Replacement(lexical, "MAX_CLAIMS", 7),
    "distance of a verb": Replacement(lexical, "REACH", 59),
    "a longer distance": Replacement(lexical, "REACH", 61),
    "distance from a kind": Replacement(lexical, "FAR", 99),
    "a longer distance from a kind": Replacement(lexical, "FAR", 101),
    "wholes": Replacement(lexical, "SYSTEM", NOTHING),
    "passive verbs": Replacement(lexical, "BY", NOTHING),
    "what is found": Replacement(lexical, "FINDS", NOTHING),
    "what is no claim": Replacement(lexical, "NO_CLAIM", NOTHING),
    "what comes between": Replacement(lexical, "BREAK", NOTHING),
    "doubts": Replacement(lexical, "DOUBT", NOTHING),
    "kinds": Replacement(lexical, "KIND", NOTHING),
    "aliases": Replacement(lexical, "ALIAS", NOTHING),
    "ends of sentences": Replacement(lexical, "SENTENCE_END", re.compile(r"[.!?]\s+")),
    "the abstract": Replacement(lexical, "ABSTRACT", re.compile(r"(?P<text>.{0,20})")),
    "whose sentences": Replacement(
        lexical,
        "_own_sentences",
        lambda claims, sentences, names: [list(range(len(sentences)))] * len(claims),
    ),
    "no leaks": Replacement(lexical, "LEAK_PRONE", ()),
    "YES for all": Replacement(
        lexical, "_judgement", lambda found: lexical.Judgement(status="YES")
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_another_decision_of_the_lexical_rules_is_another_procedure_of_theirs(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = by_rules()
    RULES[name].make(monkeypatch)
    assert cases.digest(cases._by_rules(LEXICAL, PROMPTS)) != before


# Of language models.
MODELS: dict[str, Replacement] = {
    "quotes that are not in the paper": Replacement(
        whole_paper, "locate_quotes", lambda evidence, text: [(0, 1)], judges=[MODEL]
    ),
    "short quotes": Replacement(quotes, "MIN_QUOTE", 60, judges=[MODEL]),
    "elisions": Replacement(locating, "MAX_ELIDED", 0, judges=[MODEL]),
    "marks around a status": Replacement(replies, "MARKERS", "", judges=[MODEL]),
    "levels": Replacement(
        whole_paper, "SYSTEM", {"system": None, "component": None, None: None}, judges=[MODEL]
    ),
    "what is asked again": Replacement(
        whole_paper, "AGAIN", "\n\nAgain: {complaint} {text}", judges=[MODEL]
    ),
    "broken JSON": Replacement(
        structured, "REASONED", NOTHING, judges=[replace(MODEL, mode="claim_by_claim")]
    ),
    "two claims in one wording": Replacement(
        model_judge, "_distinct", lambda claims: claims[:1], judges=[MODEL, SMALL]
    ),
    "data in a prompt": Replacement(
        prompts, "fence_around", lambda text: "=====", judges=[MODEL, SMALL]
    ),
    "words of a passage": Replacement(small_model, "PASSAGE_WORDS", 15, judges=[SMALL]),
    "words of the opening": Replacement(small_model, "OPENING_WORDS", 20, judges=[SMALL]),
    "sentences to choose from": Replacement(small_model, "CANDIDATES", 1, judges=[SMALL]),
    "passages of a dimension": Replacement(small_model, "PASSAGES", 1, judges=[SMALL]),
    "flags": Replacement(small_model, "MEASUREMENT", "E", judges=[SMALL]),
    "which passages": Replacement(
        small_model._PassageIndex,
        "best",
        lambda self, query, number, without=None: self.passages[-number:],
        judges=[SMALL],
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_another_question_to_a_model_or_reading_of_its_replies_is_another_procedure(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    judges = MODELS[name].judges
    before = [cases.digest(cases._replies(judge, PROMPTS)) for judge in judges]
    MODELS[name].make(monkeypatch)
    for judge, decided in zip(judges, before, strict=True):
        assert cases.digest(cases._replies(judge, PROMPTS)) != decided


def test_the_decisions_of_a_language_model_do_not_depend_on_the_lexical_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = cases.supported_decisions(MODEL, PROMPTS)
    monkeypatch.setattr(lexical, "YES", 4)
    assert cases.supported_decisions(MODEL, PROMPTS) == before
