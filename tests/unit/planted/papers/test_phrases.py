"""The phrasings of planted papers: how many there are, what tells them apart, and their slots."""

import re
from random import Random

import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.planted.papers.phrases import BLOCKS, fill, phrases, phrasings, write_statements

# C1 is about the statement of the claim, which has wordings of its own.
PHRASED = [code for code in CRITERIA if code != "C1"]
# What phrases.yaml may require of a claim for a line: its kind, an ablation, a family of evidence.
CONDITIONS = {
    "system",
    "component",
    "ablated",
    "causal",
    "structural",
    "representational",
    "behavioral",
    "information-theoretic",
}


@pytest.mark.parametrize("code", PHRASED)
@pytest.mark.parametrize("level", BLOCKS)
@pytest.mark.parametrize(("kind", "other_kind"), [("system", "component"), ("component", "system")])
def test_every_level_has_four_phrasings_for_either_kind_of_claim(
    code: str, level: str, kind: str, other_kind: str
) -> None:
    with_all_evidence = CONDITIONS - {other_kind}
    assert len(set(phrasings(code, level, with_all_evidence))) >= 4
    without_evidence = {kind}
    assert len(set(phrasings(code, level, without_evidence))) >= 4


def lines_of_evidence() -> list[str]:
    """The lines of phrases.yaml for the levels of all criteria, and those of leaks."""
    lines = []
    for block in ("phrases", "leaks"):
        for lines_by_level in phrases()[block].values():
            for lines_of_level in lines_by_level.values():
                lines += lines_of_level
    return lines


def test_all_criteria_except_the_statement_are_phrased() -> None:
    assert len(PHRASED) == 26
    assert list(phrases()["phrases"]) == PHRASED


def test_no_two_lines_of_evidence_are_equal() -> None:
    lines = lines_of_evidence()
    # At least 4 for each of 3 levels of 26 criteria, and for each of 2 levels of 5 leaks.
    assert len(lines) >= 26 * 3 * 4 + 5 * 2 * 4
    assert len(lines) == len(set(lines))


def test_a_line_has_one_of_the_conditions_or_none() -> None:
    conditions = {line.rpartition("| ")[0] for line in lines_of_evidence()}
    assert conditions <= {*CONDITIONS, ""}


def words_of(line: str) -> set[str]:
    """The lower-case words of a line, without its condition and its slots."""
    template = line.rpartition("| ")[2]
    return set(re.findall("[a-z]+", re.sub(r"\{[^}]*\}", " ", template).lower()))


def test_no_single_word_separates_the_met_lines_of_a_criterion_from_the_unmet() -> None:
    """The best word of a criterion, chosen on the same lines, has an accuracy of 86% on average.

    The accuracy of a word is the mean of its accuracies on met and on unmet lines. If a share p of
    the met lines and a share q of the unmet lines have the word, it is 1/2 + |p - q| / 2.
    """
    best_accuracies = []
    for lines_by_level in phrases()["phrases"].values():
        met = [words_of(line) for line in lines_by_level["met"]]
        unmet = [words_of(line) for line in lines_by_level["pitfall"]]
        accuracies = []
        for word in set().union(*met, *unmet):
            share_of_met = sum(word in words for words in met) / len(met)
            share_of_unmet = sum(word in words for words in unmet) / len(unmet)
            accuracies.append(0.5 + abs(share_of_met - share_of_unmet) / 2)
        best_accuracies.append(max(accuracies))
    assert max(best_accuracies) < 1
    assert sum(best_accuracies) / len(best_accuracies) < 0.9


# Filling in


def test_a_slot_for_a_number_is_drawn_from_its_range_with_its_decimals() -> None:
    random = Random(1)  # noqa: S311
    # 99 draws leave out a number with a chance below 1e-11. The rarest are 0.10 and 0.12: a uniform
    # decimal is rounded to each of these in one of four draws.
    filled = [fill("{n:4-6} {d:0.10-0.12}", {}, random).split() for _ in range(99)]
    assert {whole for whole, _ in filled} == {"4", "5", "6"}
    assert {decimal for _, decimal in filled} == {"0.10", "0.11", "0.12"}


@pytest.mark.parametrize(
    ("template", "text", "plural", "filled"),
    [
        ("{X} {is/are} {x}", "the heads", True, "The heads are the heads"),
        ("{x} {is/are}", "it", False, "it is"),
    ],
)
def test_a_slot_takes_its_text_with_a_capital_letter_if_it_has_one_and_the_number_of_the_subject(
    template: str, text: str, plural: bool, filled: str
) -> None:
    random = Random(1)  # noqa: S311
    assert fill(template, {"x": text}, random, plural=plural) == filled


def test_an_unknown_slot_is_refused() -> None:
    with pytest.raises(KeyError):
        fill("{y}", {"x": "it"}, Random(1))  # noqa: S311


def statements(level: str, *, system: bool, seed: int) -> list[str]:
    """Wordings of a claim about the closers, two heads."""
    return write_statements(
        level,
        task="bracket closing",
        model="OPT-350M",
        name="closers",
        components=["2.1", "3.4"],
        operation="close what is open",
        system=system,
        seed=seed,
    )


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("level", BLOCKS)
@pytest.mark.parametrize("seed", range(9))
def test_every_statement_names_components_and_a_falsifiable_one_their_operation(
    level: str, seed: int, system: bool
) -> None:
    texts = statements(level, system=system, seed=seed)
    assert len(set(texts)) == 3
    for text in texts:
        assert "heads 2.1 and 3.4" in text or "Heads 2.1 and 3.4" in text
        assert ("close what is open" in text) == (level == "YES")
        assert "closers" in text


# A statement at NO is worded so that no experiment could refute it.
UNFALSIFIABLE = r"\b(whatever|whichever|any|every|no|not|invisibly|failures|without)\b"


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("seed", range(9))
def test_a_statement_at_no_excludes_every_refutation(seed: int, system: bool) -> None:
    texts = statements("NO", system=system, seed=seed)
    for text in texts:
        assert re.search(UNFALSIFIABLE, text)
