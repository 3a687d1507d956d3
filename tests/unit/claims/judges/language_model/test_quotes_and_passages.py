"""Quotes are found where they stand, and passages by what they say."""

import time
from pathlib import Path
from random import Random

import pytest
import yaml

from mechaware.claims.judges.language_model.small_model import WORDS, PassageIndex, split_passages
from mechaware.claims.judges.quotes import locate, locate_quotes, quoted

ON_PAPER = yaml.safe_load((Path(__file__).parent / "quotes.yaml").read_text())

TEXT = (
    "We study agreement. Ablating heads 3.1 and 4.2 lowers the logit difference by 61%,\nfrom 3.2 to 1.2. "
    "The probe finds the subject\u2019s number in layer 2. No other task was tried."
)


@pytest.mark.parametrize(
    ("evidence", "found"),
    [
        (
            '"Ablating heads 3.1 and 4.2 lowers the logit difference"',
            ["Ablating heads 3.1 and 4.2 lowers the logit difference"],
        ),
        (
            'They say "difference by 61%, from 3.2 to 1.2".',
            ["difference by 61%,\nfrom 3.2 to 1.2"],
        ),  # over a line break
        ("“No other task was tried.”", ["No other task was tried"]),
        (
            '"The probe finds the subject\'s number in layer 2"',
            ["The probe finds the subject\u2019s number in layer 2"],
        ),  # another apostrophe
        ('"patching restores the whole behaviour at once"', [None]),
        ('"The probe finds" and "every attention head was patched"', ["The probe finds", None]),
        ("an ablation, without a quote", []),
        ('head "3.1"', []),  # too short to have one place
        ('"The "probe" finds the subject\'s number"', ["The probe finds the subject\u2019s number"]),
        ('"Ablating heads" ("3.1 and 4.2 lowers")', ["Ablating heads", "3.1 and 4.2 lowers"]),
    ],
)
def test_each_quote_has_its_place_or_none(evidence: str, found: list[str | None]) -> None:
    places = locate_quotes(evidence, TEXT)
    assert [None if place is None else TEXT[slice(*place)] for place in places] == found


@pytest.mark.parametrize("text", ['We ablate the "name mover" head 4.1.', '“Ann is 31”, 5" or more, it says.'])
def test_a_sentence_with_marks_inside_is_one_quote(text: str) -> None:
    (place,) = locate_quotes(quoted(text), f"Before. {text} After.")
    assert place is not None


def test_a_quote_longer_than_the_text_is_not_in_it() -> None:
    assert locate_quotes('"a short text with much more behind it"', "a short text") == [None]


@pytest.mark.parametrize("given", ON_PAPER["found"], ids=lambda given: given["how"])
def test_a_quote_is_found_however_it_is_set(given: dict[str, str]) -> None:
    assert locate(given["quote"], ON_PAPER["text"]) is not None


@pytest.mark.parametrize("given", ON_PAPER["refused"], ids=lambda given: given["how"])
def test_a_quote_that_says_something_else_is_refused(given: dict[str, str]) -> None:
    assert locate(given["quote"], ON_PAPER["text"]) is None


def test_a_falsified_quote_is_refused_wherever_it_starts() -> None:
    """A quote that begins after the negation has lost it as much as one around it."""
    assert locate("change the accuracy on other tasks", ON_PAPER["text"]) is None
    text = "It does not lower the accuracy. Ablations lower the accuracy."
    place = locate("lower the accuracy", text)
    assert place is not None
    assert place[0] > text.index("Ablations")


# Each first word, in the place of the second, changes what a sentence says.
OTHER_WORDS = """
    deactivated activated, decoupled coupled, misclassified classified, asymmetric symmetric, overestimates
    underestimates, interlayer intralayer, million billion, microseconds milliseconds, nanometres manometres,
    hypersensitive hyposensitive, decorrelated correlated, destabilises stabilises, antisymmetric symmetric, former
    latter, previous precious, counterfactual factual, subnetwork network, pretrained trained, homogeneous
    heterogeneous, converges diverges, maximises minimises, positively negatively, higher lighter, encoder decoder,
    encodes decodes, preceding succeeding, upper supper, sixteen sixty, useful useless, causally casually,
    exclusive inclusive, amoral moral, subcritical critical"""


@pytest.mark.parametrize("pair", [tuple(pair.split()) for pair in OTHER_WORDS.split(",")], ids="-".join)
def test_another_word_in_a_long_quote_is_refused(pair: tuple[str, str]) -> None:
    written, changed = (
        f"In our main experiment the component is {word} across all of the two hundred prompts that we tried"
        for word in pair
    )
    assert locate(written, f"{written}.") is not None
    assert locate(changed, f"{written}.") is None


def test_endless_evidence_takes_no_time_and_a_longer_text_takes_longer_in_proportion() -> None:
    random = Random(3)  # noqa: S311
    words = ["".join(random.choices("abcdefgh", k=random.randint(2, 9))) for _ in range(3000)]
    texts = [" ".join(random.choices(words, k=number)) for number in (20_000, 40_000)]
    endless = '"' + '"'.join(" ".join(random.choices(words, k=30)) for _ in range(6000)) + '"'
    assert len(endless) > 1_000_000
    took = []
    for text in texts:
        started = time.process_time()
        assert set(locate_quotes(endless, text)) == {None}
        assert locate(endless, text) is None
        took.append(time.process_time() - started)
    assert took[0] < 2  # tens of milliseconds for 20 quotes, and no more quotes are looked for
    assert took[1] < 4 * took[0] + 0.2


def test_passages_are_whole_sentences_and_keep_every_word() -> None:
    text = " ".join(f"Sentence {number} tells of head {number}.1 in eleven words or so." for number in range(40))
    passages = split_passages(text)
    assert " ".join(passages) == text
    assert all(passage.endswith("so.") for passage in passages)
    assert max(len(passage.split()) for passage in passages) <= WORDS


def test_a_sentence_longer_than_a_passage_stands_alone() -> None:
    long = " ".join(["word"] * (WORDS + 5)) + "."
    assert split_passages(f"One. {long} Two.") == ["One.", long, "Two."]


def test_the_best_passages_hold_the_words_of_the_query_in_the_papers_order() -> None:
    filler = " ".join(["The weather was fair on that day and nothing else."] * 7)
    text = f"Ablation of 9.9 hurts. {filler} Patching 9.9 restores. {filler} Ablation again, of 9.9, hurts. {filler}"
    first, second = PassageIndex(split_passages(text)).best("ablation hurts 9.9", 2)
    assert "Ablation of 9.9 hurts" in first
    assert "Ablation again" in second


@pytest.mark.parametrize("text", ["", "   \n"])
def test_an_empty_text_has_no_passages(text: str) -> None:
    assert PassageIndex(split_passages(text)).best("anything", 3) == []


def test_a_claim_is_no_passage_for_itself() -> None:
    claim = "Heads 9.9 and 9.6 move names."
    passages = [f"{claim} So we hold.", "Ablating 9.9 costs 40%.", claim, "Heads 1.1 and 1.2 do not."]
    assert PassageIndex(passages).best("9.9 names", 2, without=claim) == ["Ablating 9.9 costs 40%.", passages[3]]
    assert PassageIndex(passages).best("9.9 names", 2) == [passages[0], claim]
