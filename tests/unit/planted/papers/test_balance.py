"""No single count of characters, numbers or small words tells two statuses' sentences apart."""

import re
from functools import cache
from itertools import combinations

import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from mechaware.instruments.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.planted.papers.manuscript import Manuscript, compose
from mechaware.planted.papers.plan import plan_papers
from mechaware.verdicts.trust.papers import plan_trial_papers, write_trial_paper

SEEDS = range(700, 709)  # no wording was chosen on papers of these seeds
N_POOLED_SEEDS = 2  # enough for MIN_SENTENCES when all criteria are pooled
PAIRS = list(combinations(STATUSES, 2))
MIN_SENTENCES = 100  # sentences of each status of a criterion: with fewer an area hangs on chance
# Bounds of the area under the ROC curve of a count, one status against another. It is one half for
# a count that tells nothing; the bounds are narrower for all criteria, which have more sentences.
LOW = 0.2
HIGH = 0.8
POOLED_LOW = 0.4
POOLED_HIGH = 0.6
WORD = re.compile(r"[a-z']+")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
SMALL_WORDS = {
    "negations": {
        "not",
        "no",
        "none",
        "nor",
        "never",
        "without",
        "neither",
        "nothing",
        "only",
        "cannot",
    },
    "we, our, us": {"we", "our", "us"},
    "the": {"the"},
    "and": {"and"},
    "but": {"but", "though", "although"},
}
SIGNS = {"commas": ",", "semicolons": ";", "colons": ":", "brackets": "(", "percent signs": "%"}


def surface_counts(text: str) -> dict[str, float]:
    """Counts of a text's characters, words, numbers, signs and small words, by name.

    Besides the counts it has the mean length of a word.
    """
    words = WORD.findall(text.lower())
    numbers = NUMBER.findall(text)
    counts: dict[str, float] = {
        "characters": len(text),
        "words": len(words),
        "mean word length": sum(map(len, words)) / max(len(words), 1),
        "digits": sum(map(str.isdigit, text)),
        "numbers": len(numbers),
        "decimals": sum("." in number for number in numbers),
        "words in -ed": sum(word.endswith("ed") for word in words),
    }
    for name, sign in SIGNS.items():
        counts[name] = text.count(sign)
    for name, group in SMALL_WORDS.items():
        counts[name] = sum(word in group for word in words)
    return counts


def manuscripts(seed: int) -> list[Manuscript]:
    """The planted papers and the papers of the trust study that this seed gives."""
    return [
        *(compose(paper) for paper in plan_papers(20, seed)),
        *(write_trial_paper(paper) for paper in plan_trial_papers(16, seed)),
    ]


@cache
def sentences(number: int) -> pd.DataFrame:
    """A row for each sentence with a status, in the papers of the first `number` seeds.

    Columns: code, status, and those of `surface_counts`. Rows of tables and leaks are left out:
    they are not written from the blocks `met`, `weaker` and `pitfall` of phrases.yaml. Sentences on
    E1 are at NO in papers that only observe, at PARTIAL or YES in all others.
    """
    rows = []
    for seed in SEEDS[:number]:
        for manuscript in manuscripts(seed):
            for sentence in manuscript.sentences():
                is_row_of_table = "\t" in sentence.text
                if sentence.leak or is_row_of_table:
                    continue
                if sentence.code and sentence.status:
                    row = {"code": sentence.code, "status": sentence.status}
                    rows.append(row | surface_counts(sentence.text))
    return pd.DataFrame(rows)


def areas(table: pd.DataFrame, pair: tuple[str, str]) -> dict[str, float]:
    """The area of each count: above 1/2 if it is higher at the second status of the pair."""
    table = table[table["status"].isin(pair)]
    assert table["status"].value_counts().min() >= MIN_SENTENCES
    higher = table["status"] == pair[1]
    return {
        name: roc_auc_score(higher, table[name])
        for name in table.columns.difference(["code", "status"])
    }


@pytest.mark.gate
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("code", CRITERIA)
def test_no_count_tells_two_statuses_of_a_criterion_apart(code: str, pair: tuple[str, str]) -> None:
    of_criterion = sentences(len(SEEDS)).query("code == @code")
    telling = {}
    for name, area in areas(of_criterion, pair).items():
        if not LOW < area < HIGH:
            telling[name] = area
    assert telling == {}


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_no_count_tells_two_statuses_apart_over_all_criteria(pair: tuple[str, str]) -> None:
    telling = {}
    for name, area in areas(sentences(N_POOLED_SEEDS), pair).items():
        if not POOLED_LOW < area < POOLED_HIGH:
            telling[name] = area
    assert telling == {}
