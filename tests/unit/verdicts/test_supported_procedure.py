# ruff: noqa: ARG005 - a function in place of another takes the same arguments
"""What a judge is worth belongs to a procedure: each deciding setting and each deciding function is part of it."""

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

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
        MODEL, name="other", api_key_env="OTHER", timeout_s=9.0, attempts=1, max_cost_usd=1.0,
        usd_per_million_prompt_tokens=1.0, usd_per_million_completion_tokens=1.0,
    )  # fmt: skip
    assert supported_procedure(other, JUDGING) == procedure_of(MODEL)


@pytest.mark.usefixtures("known_decisions")
def test_other_weights_of_an_embedded_model_are_another_procedure() -> None:
    one, other = (supported_procedure(SMALL, JUDGING, revision) for revision in ("ab", "cd"))
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


# Deciding functions and constants, and others in their place: of the rubric, the vote, the audit and the verdict.
SHARED: dict[str, tuple[Any, str, Any]] = {
    "a level of a dimension": (
        scoring, "dimension_score",
        lambda dimension, statuses: min(ORIGINAL["dimension_score"](dimension, statuses), 2),
    ),
    "levels the other way": (scoring, "_missing", lambda dimension, level, statuses: {}),
    "the least sum": (
        scoring, "_statuses_to_raise",
        lambda dimension, level, demands, statuses: ORIGINAL["_statuses_to_raise"](
            dimension, level._replace(least_sum=0.0), demands, statuses
        ),
    ),
    "another weight": (scoring, "weighted_score", lambda scores: 10 * sum(scores.values()) / 15),
    "bounds without the missing": (scoring, "_filled", lambda claim, missing: ORIGINAL["_filled"](claim, "NO")),
    "words of a whole": (scoring, "SYSTEM_WORDS", ("circuit",)),
    "components of a whole": (scoring, "MANY_COMPONENTS", 4),
    "the first whole is the paper's": (
        scoring, "_main_claim", lambda claims: next((at for at, one in enumerate(claims) if one.system), None)
    ),
    "no largest claim": (voting, "mark_largest_claim", lambda claims, left_out: list(claims)),
    "a claim that was left out does not matter": (
        voting, "mark_largest_claim", lambda claims, left_out: scoring.mark_largest_claim(claims, 0)
    ),
    "no marks by words": (voting, "mark_system_claims", lambda claims: list(claims)),
    "half is a majority": (
        voting, "_is_majority", lambda group: 2 * sum(at is not None for at in group) >= len(group)
    ),
    "the first vote": (voting, "_vote_on", lambda votes, runs, rule: votes[0]),
    "missing votes as NO": (
        voting, "_vote_on",
        lambda votes, runs, rule: ORIGINAL["_vote_on"](
            [vote.model_copy(update={"status": vote.status or "NO"}) for vote in votes],
            runs,
            rule,
        ),
    ),
    "the least for the median": (
        voting, "voted_status", lambda votes, rule: ORIGINAL["voted_status"](votes, "minimum")
    ),
    "all wholes alike": (
        voting, "_match_runs",
        lambda runs, least: (voting.match_claims(runs, least_similarity=0.0), []),
    ),
    "unlike wholes are two": (
        voting, "_match_runs", lambda runs, least: (voting.match_claims(runs, least_similarity=least), [])
    ),
    "no shared words": (similarity, "_shared_words", lambda ours, theirs: 0.0),
    "no denial": (similarity.ClaimComparison, "_are_opposed", lambda self, first, second: False),
    "two words of one's own contradict, too": (
        similarity, "_rest", lambda ours, theirs: frozenset(list(ORIGINAL["_rest"](ours, theirs))[:1])
    ),
    "words of one's own contradict nothing": (similarity, "_rest", lambda ours, theirs: frozenset()),
    "no components": (similarity.ClaimComparison, "_shared_parts", lambda self, ours, theirs: None),
    "leaks of wholes": (audit, "_allowed_leaks", lambda claims, proposed: ORIGINAL["_lowering"](claims, proposed)),
    "proposals that raise": (audit, "RANK", {"NO": 2, "PARTIAL": 1, "YES": 0}),
    "all criteria leak": (audit, "LEAK_PRONE", tuple(criteria.CRITERIA)),
    "a higher tier": (support, "SUPPORTED_TIER", "Triangulated"),
    "a lower tier": (support, "SUPPORTED_TIER", "Causally Suggestive"),
    "any judge is good enough": (cases, "why_no_better", lambda rates, level: ""),
    "no test of papers": (
        cases, "why_no_better", lambda rates, level: support.why_no_better({**rates, "p": 0.0}, level)
    ),
    "no test of criteria": (
        cases, "why_no_better", lambda rates, level: support.why_no_better({**rates, "exact_low": 1.0}, level)
    ),
}  # fmt: skip
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
    module, attribute, other = SHARED[name]
    before = shared()
    monkeypatch.setattr(module, attribute, other)
    if name == "a level of a dimension":
        monkeypatch.setattr(cases, "dimension_score", other)
    # Of the parts that all judges share, without those of single kinds.
    assert cases.supported_decisions(OWN, PROMPTS) != before


def test_a_changed_decision_leaves_no_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "MANY_COMPONENTS", 4)
    sentence = "its decisions on the committed cases are others than when the rates were measured"
    procedure = supported_procedure(LEXICAL, JUDGING)
    assert missing(procedure) == f"not measured with this procedure: {sentence}"


NOTHING = re.compile(r"(?!)")
# Of the reader of PDFs: a constant or function, and another in its place.
READING: dict[str, tuple[Any, str, Any]] = {
    "words that a line end cuts": (pdf, "LINE_END", NOTHING),
    "ligatures": (pdf, "LIGATURES", {}),
    "accents": (pdf, "ACCENTED", NOTHING),
    "letters of no size": (pdf, "LEAST_SIZE", 0.0),
    "running heads and page numbers": (pdf, "without_margins", list),
    "page numbers alone": (margins, "PAGE_NUMBER", NOTHING),
    "letters too small to read": (unseen_prose, "LEAST_HEIGHT", 0.1),
    "hidden prose stays in the text": (pdf, "cut", lambda text, unseen: (text, [])),
    "words that make prose": (readings, "FEWEST_WORDS", 9),
}  # fmt: skip


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
    module, attribute, other = READING[name]
    before = pages_read()
    monkeypatch.setattr(module, attribute, other)
    assert pages_read() != before


def test_how_a_pdf_is_read_is_part_of_the_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    before = shared()
    monkeypatch.setattr(cases, "_pages", list)
    assert cases.supported_decisions(OWN, PROMPTS) != before


# Of the lexical rules: a constant or function, and another in its place.
RULES: dict[str, tuple[Any, str, Any]] = {
    "words for YES": (lexical, "YES", 4),
    "words for PARTIAL": (lexical, "PARTIAL", 1),
    "letters of a word": (lexical, "STEM_LETTERS", 12),
    "negations": (lexical, "NEGATED", NOTHING),
    "citations": (lexical, "CITED", NOTHING),
    "one's own words": (lexical, "OWN", NOTHING),
    "references": (lexical, "REFERENCES", NOTHING),
    "headings": (lexical, "HEADING", NOTHING),
    "long sentences": (lexical, "MAX_SENTENCE", 10_000),
    "words to the judge": (lexical, "addresses_judge", lambda text: False),
    "the opening": (lexical, "OPENING", 7000),
    "claims of a paper": (lexical, "MAX_CLAIMS", 7),
    "distance of a verb": (lexical, "REACH", 59),
    "a longer distance": (lexical, "REACH", 61),
    "distance from a kind": (lexical, "FAR", 99),
    "a longer distance from a kind": (lexical, "FAR", 101),
    "wholes": (lexical, "SYSTEM", NOTHING),
    "passive verbs": (lexical, "BY", NOTHING),
    "what is found": (lexical, "FINDS", NOTHING),
    "what is no claim": (lexical, "NO_CLAIM", NOTHING),
    "what comes between": (lexical, "BREAK", NOTHING),
    "doubts": (lexical, "DOUBT", NOTHING),
    "kinds": (lexical, "KIND", NOTHING),
    "aliases": (lexical, "ALIAS", NOTHING),
    "ends of sentences": (lexical, "SENTENCE_END", re.compile(r"[.!?]\s+")),
    "the abstract": (lexical, "ABSTRACT", re.compile(r"(?P<text>.{0,20})")),
    "whose sentences": (
        lexical, "_own_sentences", lambda claims, sentences, names: [list(range(len(sentences)))] * len(claims)
    ),
    "no leaks": (lexical, "LEAK_PRONE", ()),
    "YES for all": (lexical, "_judgement", lambda found: lexical.Judgement(status="YES")),
}  # fmt: skip


@pytest.mark.parametrize("name", RULES)
def test_another_decision_of_the_lexical_rules_is_another_procedure_of_theirs(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    module, attribute, other = RULES[name]
    before = by_rules()
    monkeypatch.setattr(module, attribute, other)
    assert cases.digest(cases._by_rules(LEXICAL, PROMPTS)) != before


# Of language models: the judges whose procedure it is part of, what is replaced, and by what.
MODELS: dict[str, tuple[list[JudgeSettings], Any, str, Any]] = {
    "quotes that are not in the paper": ([MODEL], whole_paper, "locate_quotes", lambda evidence, text: [(0, 1)]),
    "short quotes": ([MODEL], quotes, "MIN_QUOTE", 60),
    "elisions": ([MODEL], locating, "MAX_ELIDED", 0),
    "marks around a status": ([MODEL], replies, "MARKERS", ""),
    "levels": ([MODEL], whole_paper, "SYSTEM", {"system": None, "component": None, None: None}),
    "what is asked again": ([MODEL], whole_paper, "AGAIN", "\n\nAgain: {complaint} {text}"),
    "broken JSON": ([replace(MODEL, mode="claim_by_claim")], structured, "REASONED", NOTHING),
    "two claims in one wording": ([MODEL, SMALL], model_judge, "_distinct", lambda claims: claims[:1]),
    "data in a prompt": ([MODEL, SMALL], prompts, "fence_around", lambda text: "====="),
    "words of a passage": ([SMALL], small_model, "PASSAGE_WORDS", 15),
    "words of the opening": ([SMALL], small_model, "OPENING_WORDS", 20),
    "sentences to choose from": ([SMALL], small_model, "CANDIDATES", 1),
    "passages of a dimension": ([SMALL], small_model, "PASSAGES", 1),
    "flags": ([SMALL], small_model, "MEASUREMENT", "E"),
    "which passages": (
        [SMALL], small_model._PassageIndex, "best",
        lambda self, query, number, without=None: self.passages[-number:],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_another_question_to_a_model_or_reading_of_its_replies_is_another_procedure(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    judges, module, attribute, other = MODELS[name]
    before = [cases.digest(cases._replies(judge, PROMPTS)) for judge in judges]
    monkeypatch.setattr(module, attribute, other)
    for judge, decided in zip(judges, before, strict=True):
        assert cases.digest(cases._replies(judge, PROMPTS)) != decided


def test_the_decisions_of_a_language_model_do_not_depend_on_the_lexical_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = cases.supported_decisions(MODEL, PROMPTS)
    monkeypatch.setattr(lexical, "YES", 4)
    assert cases.supported_decisions(MODEL, PROMPTS) == before
