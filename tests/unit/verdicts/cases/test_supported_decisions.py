"""If a function or a constant that decides on a paper is replaced, decisions on the cases change.

There are four parts: what all judges share, the reader of PDFs, the lexical rules, and language
models. Each has a table of replacements, and language models have several, by what they are asked
about. Constants are replaced in the table. The functions that replace others follow below it:
`replaces` enters each into the table under its own name.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mechaware.instruments.claims.judges import (
    lexical,
    lexical_claims,
    lexical_sentences,
    locating,
    quotes,
)
from mechaware.instruments.claims.judges.kinds import open_judge
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
from mechaware.instruments.claims.rubric import (
    constant_answers,
    criteria,
    scoring,
    support,
    system_claims,
)
from mechaware.instruments.claims.votes import audit, similarity, voting
from mechaware.verdicts.cases.supported import by_models, by_rules, decisions, pages, texts
from mechaware.verdicts.cases.supported import support as support_cases
from mechaware.verdicts.cases.supported.decisions import supported_decisions
from mechaware.verdicts.procedure import digest
from tests.unit.verdicts.replacements import Replacement

REPOSITORY = Path(__file__).resolve().parents[4]
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
LEXICAL = JudgeSettings("lexical", "lexical")
# A judge from the user's own package is not asked about the cases: its decisions are only those
# that all judges share.
OWN = JudgeSettings("mine", "no_package.MINE")
WHOLE_PAPER = JudgeSettings("whole paper", "provider", model="openai/one", api_key_env="KEY")
BY_CLAIM = replace(WHOLE_PAPER, name="claim by claim", mode="claim_by_claim")
PASSAGES = JudgeSettings("passages", "embedded", model="small", mode="passages")

MATCHES_NOTHING = re.compile(r"(?!)")

Function = Callable[..., Any]


def replaces(
    table: dict[str, Replacement], place: Any, attribute: str
) -> Callable[[Function], Function]:
    """Enter the decorated function into a table, as the replacement of an attribute of `place`."""

    def enter(replacement: Function) -> Function:
        table[replacement.__name__] = Replacement(place, attribute, replacement)
        return replacement

    return enter


# What all judges share: the rubric, the vote, the audit and the verdict

SHARED: dict[str, Replacement] = {
    "fewer_words_of_a_whole": Replacement(system_claims, "SYSTEM_WORDS", ("circuit",)),
    "fewer_components_of_a_whole": Replacement(system_claims, "MANY_COMPONENTS", 4),
    "proposals_that_raise": Replacement(audit, "RANK", {"NO": 2, "PARTIAL": 1, "YES": 0}),
    "all_criteria_leak": Replacement(audit, "LEAK_PRONE", tuple(criteria.CRITERIA)),
    "a_higher_tier": Replacement(support, "SUPPORTED_TIER", "Triangulated"),
    "a_lower_tier": Replacement(support, "SUPPORTED_TIER", "Causally Suggestive"),
}

# The original functions that replacements call.
original_dimension_score = scoring.dimension_score
original_statuses_to_raise = scoring._statuses_to_raise
original_filled = scoring._filled
original_vote_on = voting._vote_on
original_voted_status = voting.voted_status
original_lowering = audit._lowering
original_unshared_words = similarity._unshared_words


@replaces(SHARED, scoring, "dimension_score")
def no_dimension_above_two(dimension, statuses):
    return min(original_dimension_score(dimension, statuses), 2)


@replaces(SHARED, scoring, "_missing")
def every_level_is_met(dimension, level, statuses):
    return {}


@replaces(SHARED, scoring, "_statuses_to_raise")
def no_least_sum(dimension, level, demands, statuses):
    without_sum = level._replace(least_sum=0.0)
    return original_statuses_to_raise(dimension, without_sum, demands, statuses)


@replaces(SHARED, scoring, "weighted_score")
def dimensions_of_one_weight(scores):
    return 10 * sum(scores.values()) / 15


@replaces(SHARED, scoring, "_filled")
def missing_statuses_count_as_no(claim, missing):
    return original_filled(claim, "NO")


@replaces(SHARED, scoring, "_main_claim")
def the_first_whole_is_the_papers_claim(claims):
    for index, claim in enumerate(claims):
        if claim.system:
            return index
    return None


@replaces(SHARED, voting, "mark_largest_claim")
def no_component_stands_for_the_whole(claims, n_unusable):
    return list(claims)


@replaces(SHARED, voting, "mark_largest_claim")
def a_claim_that_was_left_out_does_not_matter(claims, n_unusable):
    return system_claims.mark_largest_claim(claims, 0)


@replaces(SHARED, voting, "mark_system_claims")
def no_claim_is_a_whole_by_its_words(claims):
    return list(claims)


@replaces(SHARED, voting, "_is_majority")
def half_is_a_majority(group):
    n_with_claim = sum(index is not None for index in group)
    return 2 * n_with_claim >= len(group)


@replaces(SHARED, voting, "_vote_on")
def the_first_vote_stands(votes, runs, rule):
    return votes[0]


@replaces(SHARED, voting, "_vote_on")
def missing_votes_are_no(votes, runs, rule):
    filled = [vote.model_copy(update={"status": vote.status or "NO"}) for vote in votes]
    return original_vote_on(filled, runs, rule)


@replaces(SHARED, voting, "voted_status")
def the_median_is_the_minimum(votes, rule):
    return original_voted_status(votes, "minimum")


@replaces(SHARED, voting, "_match_runs")
def all_wholes_are_one(runs, least_similarity):
    return voting.match_claims(runs, least_similarity=0.0), []


@replaces(SHARED, voting, "_match_runs")
def unlike_wholes_are_two(runs, least_similarity):
    return voting.match_claims(runs, least_similarity=least_similarity), []


@replaces(SHARED, similarity, "_shared_words")
def no_words_are_shared(ours, theirs):
    return 0.0


@replaces(SHARED, similarity, "_unshared_words")
def at_most_one_word_is_in_only_one_claim(ours, theirs):
    words_of_ours_alone = sorted(original_unshared_words(ours, theirs))
    return frozenset(words_of_ours_alone[:1])


@replaces(SHARED, similarity, "_unshared_words")
def no_word_is_in_only_one_claim(ours, theirs):
    return frozenset()


@replaces(SHARED, similarity.ClaimComparison, "_are_opposed")
def no_claim_denies_another(comparison, first, second):
    return False


@replaces(SHARED, similarity.ClaimComparison, "_shared_parts")
def components_are_not_compared(comparison, ours, theirs):
    return None


@replaces(SHARED, audit, "allowed_leaks")
def claims_about_the_whole_may_leak(claims, proposed):
    return original_lowering(claims, proposed)


@replaces(SHARED, support_cases, "why_no_better")
def any_judge_is_good_enough(rates, confidence_level):
    return ""


@replaces(SHARED, support_cases, "why_no_better")
def papers_are_not_tested(rates, confidence_level):
    return constant_answers.why_no_better({**rates, "p": 0.0}, confidence_level)


@replaces(SHARED, support_cases, "why_no_better")
def criteria_are_not_tested(rates, confidence_level):
    return constant_answers.why_no_better({**rates, "exact_low": 1.0}, confidence_level)


@cache
def original_shared_decisions() -> str:
    """The digest without a replacement."""
    return supported_decisions(OWN, PROMPTS)


@pytest.mark.parametrize("name", SHARED)
def test_a_replacement_in_rubric_vote_audit_or_verdict_changes_the_decisions(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = original_shared_decisions()
    SHARED[name].make(monkeypatch)
    assert supported_decisions(OWN, PROMPTS) != before


# The reader of PDFs

READING: dict[str, Replacement] = {
    "words that a line end cuts": Replacement(pdf, "LINE_END", MATCHES_NOTHING),
    "ligatures": Replacement(pdf, "LIGATURES", {}),
    "accents": Replacement(pdf, "ACCENTED", MATCHES_NOTHING),
    "letters of no size": Replacement(pdf, "MIN_SIZE", 0.0),
    "running heads and page numbers": Replacement(pdf, "without_margins", list),
    "page numbers alone": Replacement(margins, "PAGE_NUMBER", MATCHES_NOTHING),
    "letters too small to read": Replacement(unseen_prose, "MIN_HEIGHT", 0.1),
    "words that make prose": Replacement(readings, "MIN_PROSE_WORDS", 9),
}


@replaces(READING, pdf, "cut")
def hidden_prose_stays_in_the_text(text, unseen):
    return text, []


def read_pages() -> list[Any]:
    """What the reader makes of the committed PDF, without the cache of `page_outcomes`."""
    return pages.page_outcomes.__wrapped__()


@cache
def originally_read_pages() -> list[Any]:
    """What the reader makes of the committed PDF without a replacement."""
    return read_pages()


def test_every_page_up_to_the_limit_is_read_and_what_it_hides_is_withheld() -> None:
    """The expected texts are written in the content streams of the PDF; the limit is two pages."""
    (first, second), hidden, n_pages = originally_read_pages()
    assert n_pages == 3
    assert "two ages and compares it" in first
    assert "as Ren\N{LATIN SMALL LETTER E WITH ACUTE} proposed" in first
    assert "The model finds the larger age in the first third" in first
    assert "the effect is large in each of them." in first
    assert second.splitlines() == [
        "Mean ablation of head 7.4 reduces accuracy from 0.91 to 0.34, "
        "and path patching restores half of it.",
        "Random heads of the same layers, as a control, "
        "change it by less than a hundredth in all five seeds.",
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
def test_a_replacement_in_the_reader_changes_what_is_read(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = originally_read_pages()
    READING[name].make(monkeypatch)
    assert read_pages() != before


def test_how_a_pdf_is_read_is_part_of_the_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    before = original_shared_decisions()
    monkeypatch.setattr(decisions, "page_outcomes", list)
    assert supported_decisions(OWN, PROMPTS) != before


# The lexical rules

RULES: dict[str, Replacement] = {
    "words for YES": Replacement(lexical, "WORDS_FOR_YES", 4),
    "words for PARTIAL": Replacement(lexical, "WORDS_FOR_PARTIAL", 1),
    "letters of a word": Replacement(lexical, "STEM_LETTERS", 12),
    "negations": Replacement(lexical, "NEGATED", MATCHES_NOTHING),
    "citations": Replacement(lexical_sentences, "CITED", MATCHES_NOTHING),
    "one's own words": Replacement(lexical_sentences, "OWN", MATCHES_NOTHING),
    "references": Replacement(lexical_sentences, "REFERENCES", MATCHES_NOTHING),
    "headings": Replacement(lexical_sentences, "HEADING", MATCHES_NOTHING),
    "long sentences": Replacement(lexical_sentences, "MAX_SENTENCE", 10_000),
    "the opening": Replacement(lexical_claims, "OPENING", 7000),
    "claims of a paper": Replacement(lexical_claims, "MAX_CLAIMS", 7),
    "a shorter distance of subject and verb": Replacement(lexical_claims, "MAX_GAP", 59),
    "a longer distance of subject and verb": Replacement(lexical_claims, "MAX_GAP", 61),
    "a shorter distance of a kind and its verb": Replacement(lexical_claims, "WIDER_MAX_GAP", 99),
    "a longer distance of a kind and its verb": Replacement(lexical_claims, "WIDER_MAX_GAP", 101),
    "words for a system": Replacement(lexical_claims, "SYSTEM", MATCHES_NOTHING),
    "passive verbs": Replacement(lexical_claims, "BY", MATCHES_NOTHING),
    "verbs of finding": Replacement(lexical_claims, "WE_FIND", MATCHES_NOTHING),
    "denials and edits before a verb": Replacement(lexical_claims, "NO_CLAIM", MATCHES_NOTHING),
    "words that part subject and verb": Replacement(lexical_claims, "BREAK", MATCHES_NOTHING),
    "doubts": Replacement(lexical_claims, "WIDER_BREAK", MATCHES_NOTHING),
    "kinds of components": Replacement(lexical_claims, "KIND", MATCHES_NOTHING),
    "aliases": Replacement(lexical, "ALIAS", MATCHES_NOTHING),
    "ends of sentences": Replacement(lexical_sentences, "SENTENCE_END", re.compile(r"[.!?]\s+")),
    "the abstract": Replacement(lexical_claims, "ABSTRACT", re.compile(r"(?P<text>.{0,20})")),
    "no leaks": Replacement(lexical, "LEAK_PRONE", ()),
}


@replaces(RULES, lexical_sentences, "addresses_judge")
def no_words_address_the_judge(text):
    return False


@replaces(RULES, lexical, "_own_sentences")
def every_sentence_is_about_every_claim(claims, sentences, names):
    everything = list(range(len(sentences)))
    return [everything] * len(claims)


@replaces(RULES, lexical, "_judgement")
def yes_throughout(found):
    return lexical.Judgement(status="YES")


@cache
def original_rule_decisions() -> list[str]:
    """A digest of what the rules decide on each committed text, without a replacement."""
    return [digest(outcome) for outcome in by_rules.rule_outcomes(LEXICAL, PROMPTS)]


def rule_decisions() -> Iterator[str]:
    """A digest of what the rules decide on each committed text, one text at a time.

    Most replacements change the decision on one of the first texts: a test that stops there saves
    the time for the others.
    """
    with open_judge(LEXICAL, prompts=PROMPTS, responses=Path("none"), weights=()) as rules:
        for text in texts.for_rules():
            yield digest(by_rules.text_outcome(rules, text))


def test_one_text_at_a_time_the_rules_decide_as_in_their_procedure() -> None:
    assert list(rule_decisions()) == original_rule_decisions()


@pytest.mark.parametrize("name", RULES)
def test_a_replacement_in_the_lexical_rules_changes_a_decision(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = original_rule_decisions()
    RULES[name].make(monkeypatch)
    after = rule_decisions()
    # `any` stops at the first text on which the decision has changed.
    assert any(new != original for new, original in zip(after, before, strict=True))


# Language models

ASKED_ABOUT_A_WHOLE_PAPER: dict[str, Replacement] = {
    "short quotes": Replacement(quotes, "MIN_QUOTE", 60),
    "elisions": Replacement(locating, "MAX_ELIDED", 0),
    "marks around a status": Replacement(replies, "MARKERS", ""),
    "levels": Replacement(
        whole_paper, "IS_SYSTEM_BY_LEVEL", {"system": None, "component": None, None: None}
    ),
    "what is asked again": Replacement(
        whole_paper, "ASK_FOR_CORRECTION", "\n\nAgain: {complaint} {text}"
    ),
}
ASKED_BY_CLAIM: dict[str, Replacement] = {
    "broken JSON": Replacement(structured, "REASONED", MATCHES_NOTHING),
}
ASKED_ABOUT_PASSAGES: dict[str, Replacement] = {
    "words of a passage": Replacement(small_model, "PASSAGE_WORDS", 15),
    "words of the opening": Replacement(small_model, "OPENING_WORDS", 20),
    "sentences to choose from": Replacement(small_model, "CANDIDATES_PER_CLAIM", 1),
    "passages of a dimension": Replacement(small_model, "PASSAGES_SHOWN", 1),
    "the dimension of the flags": Replacement(small_model, "MEASUREMENT", "E"),
}
# Replacements that show with judges of whole papers and with judges of passages.
ASKED_ABOUT_EITHER: dict[str, Replacement] = {}


@replaces(ASKED_ABOUT_A_WHOLE_PAPER, whole_paper, "locate_quotes")
def every_quote_is_in_the_paper(evidence, text):
    return [(0, 1)]


@replaces(ASKED_ABOUT_PASSAGES, small_model._PassageIndex, "best")
def the_last_passages_are_the_best(index, query, number, without=None):
    return index.passages[-number:]


@replaces(ASKED_ABOUT_EITHER, model_judge, "_distinct")
def all_claims_are_in_one_wording(claims):
    return claims[:1]


@replaces(ASKED_ABOUT_EITHER, prompts, "fence_around")
def data_may_end_its_own_fence(text):
    return "====="


def replacements_by_judge() -> Iterator[Any]:
    """A judge, and a replacement in what it asks or in how its replies are read."""
    tables = (
        (WHOLE_PAPER, ASKED_ABOUT_A_WHOLE_PAPER | ASKED_ABOUT_EITHER),
        (BY_CLAIM, ASKED_BY_CLAIM),
        (PASSAGES, ASKED_ABOUT_PASSAGES | ASKED_ABOUT_EITHER),
    )
    for judge, replacements in tables:
        for name, replacement in replacements.items():
            yield pytest.param(judge, replacement, id=f"{judge.name}: {name}")


@cache
def original_reply_decisions(judge: JudgeSettings) -> str:
    """A digest of what a model is asked and what is made of its replies, without a replacement."""
    return digest(by_models.reply_outcomes(judge, PROMPTS))


@pytest.mark.parametrize(("judge", "replacement"), replacements_by_judge())
def test_a_replacement_in_questions_to_a_model_or_reading_of_its_replies_changes_the_decisions(
    monkeypatch: pytest.MonkeyPatch, judge: JudgeSettings, replacement: Replacement
) -> None:
    before = original_reply_decisions(judge)
    replacement.make(monkeypatch)
    assert digest(by_models.reply_outcomes(judge, PROMPTS)) != before


def test_the_decisions_of_a_language_model_do_not_depend_on_the_lexical_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = supported_decisions(WHOLE_PAPER, PROMPTS)
    monkeypatch.setattr(lexical, "WORDS_FOR_YES", 4)
    assert supported_decisions(WHOLE_PAPER, PROMPTS) == before
