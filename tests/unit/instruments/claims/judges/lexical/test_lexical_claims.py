"""The lexical judge takes as claims the sentences in which a component is said to do something."""

import pytest

from mechaware.instruments.claims.judges.components import ComponentNames
from tests.unit.instruments.claims.judges.lexical.texts_by_hand import CIRCUIT, PART, judge_text

PIPELINE = """\
We present a pipeline that reads papers, extracts claims about circuits and scores them. By the
community's consensus, ablation shows the necessity and isolation the sufficiency of a circuit. The
pipeline runs three models, takes the least score, and writes a report. Our tool supports authors
who check the mechanisms that they propose.
"""


@pytest.mark.parametrize(
    ("text", "components"),
    [
        pytest.param(
            """\
Abstract
Comparing two dates is a simple task, yet how a language model does it is unknown. Here we show that
the comparison is implemented by attention heads 5.1 and 6.9 of a 12-layer model, which bring both
years to the last position. MLP 8 maps the difference to a verdict. Removing MLP 8 leaves the model
guessing.
""",
            [{"L5H1", "L6H9"}, {"MLP 8"}],
            id="a task implemented by heads and an MLP",
        ),
        pytest.param(
            """\
Attention heads in layers 9-10 copy the name that occurs once. Earlier heads were described by
Orsted et al. (2021), who found that head 2.2 detects repeated tokens. What the remaining layers
contribute is left for later work.
""",
            [{"layer 9", "layer 10"}],
            id="heads that copy, and others' heads",
        ),
        pytest.param(
            """\
What do the hidden states of an encoder know about syntax? We train linear probes on 3,000
sentences. Depth in the parse tree is encoded in layers 6 and 7, and cannot be read from the first
three layers. We did not intervene.
""",
            [{"layer 6", "layer 7"}],
            id="a paper on probes",
        ),
        pytest.param(
            """\
This position paper argues that claims on mechanisms need shared standards of evidence. A circuit
should be reported with the interventions that support it, and an algorithm ought to predict
behaviour on new inputs. We call on the community to agree on what a mechanism must explain. No
consensus exists so far.
""",
            [],
            id="a position paper",
        ),
        pytest.param(PIPELINE, [], id="a paper on a pipeline"),
        pytest.param(
            """\
We review 140 papers on the insides of language models. Induction heads copy the token that followed
an earlier occurrence (Brandvold and Ise, 2022). Name movers were found to attend to names (Okoro et
al., 2023). We sort methods into four groups, and discuss which of them show causes.
""",
            [],
            id="a survey",
        ),
    ],
)
def test_the_claims_of_an_opening_are_what_it_says_of_its_components(
    text: str, components: list[set[str]]
) -> None:
    names = ComponentNames(text)

    found = judge_text(text).claims

    assert [names.keys_in(stated.statement) for stated in found] == components
    for stated in found:
        assert not stated.system


def test_a_paper_whose_opening_claims_nothing_has_no_claim_however_it_goes_on() -> None:
    filler = "Filler of many words. " * 300

    assert judge_text(f"{PIPELINE}\n{filler}\n{PART}").claims == []


def test_an_empty_paper_has_no_claim() -> None:
    assert judge_text("").claims == []


@pytest.mark.parametrize(
    ("abstract", "statement_begins"),
    [
        pytest.param(
            "We present a head of a small model that has one main role. If earlier layers predict a "
            "token that stands earlier in the context, the head suppresses it.",
            "If earlier layers predict",
            id="a head",
        ),
        pytest.param(
            "In this work we study attention heads that increment tokens with an order. They form "
            "early.",
            "In this work",
            id="attention heads",
        ),
        pytest.param(
            "Some models finish a year. We identify a circuit, a small part of it, that computes "
            "the year.",
            "We identify",
            id="a circuit",
        ),
        pytest.param(
            "We reverse engineer the algorithm that a model learns, which uses sines to turn sums "
            "into turns.",
            "We",
            id="an algorithm",
        ),
        pytest.param(
            "Experiments show that this representation of the board can be used to control the moves.",
            "Experiments",
            id="a representation",
        ),
        pytest.param(
            "Feed-forward modules in the middle recall facts. We find a direction that mediates "
            "refusal.",
            "We find",
            id="a finding before a claim without one",
        ),
        pytest.param(
            "We edit the weights of models.\n\n4.2 Neurons detect edges before curves\nThe",
            "Neurons detect",
            id="a heading",
        ),
    ],
)
def test_without_stricter_words_a_claim_names_a_component_by_its_kind(
    abstract: str, statement_begins: str
) -> None:
    found = judge_text(f"Abstract\n{abstract}\n\n1 Introduction\nMany works ask how models work.\n")

    (stated,) = found.claims
    assert stated.statement.startswith(statement_begins)
    assert stated.system
    assert stated.components == []
    assert found.notes == []


@pytest.mark.parametrize(
    "abstract",
    [
        pytest.param(
            "We fine-tune a model on questions and see that it answers more of them.",
            id="no component",
        ),
        pytest.param(
            "We survey attention heads and neurons in 140 papers.",
            id="components that do nothing",
        ),
        pytest.param(
            "Such heads might implement copying. We ask whether neurons detect edges.", id="doubt"
        ),
        pytest.param("Attention heads do not store facts.", id="denial"),
    ],
)
def test_an_abstract_that_says_of_no_component_what_it_does_has_no_claim_but_a_note(
    abstract: str,
) -> None:
    found = judge_text(f"Abstract\n{abstract}\n\n1 Introduction\nMany works ask how models work.\n")

    assert found.claims == []
    assert found.notes != []


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("", id="first"),
        pytest.param(
            "Names of many authors and addresses. " * 100 + "\nAbstract. ", id="after authors"
        ),
    ],
)
@pytest.mark.parametrize(
    "after",
    [
        pytest.param("", id="last"),
        pytest.param(
            "\nI. INTRODUCTION\nSome heads copy names in models.\n", id="before an introduction"
        ),
    ],
)
def test_an_abstract_is_found_between_the_authors_and_the_introduction(
    before: str, after: str
) -> None:
    abstract = "We study a model. We find that attention heads increment numbers."

    (found,) = judge_text(before + abstract + after).claims

    assert found.statement == "We find that attention heads increment numbers."


def test_a_paper_without_a_claim_quotes_the_nearest_sentences_with_reasons() -> None:
    text = (
        "Abstract\n"
        "We rank reports. A rater sends its score. Such heads might copy it. We like neurons.\n"
    )

    first, *nearest = judge_text(text).notes

    assert "names a component of a model" in first
    assert nearest == [
        '"Such heads might copy it.": names a component and an action, but does not state that the component does it',
        '"A rater sends its score.": says what something does, but names no component of a model',
        '"We like neurons.": names a component, but not what it does',
    ]


def test_the_system_comes_first_and_each_set_of_components_once() -> None:
    others = "Heads 2.1 and 2.5 read both ages."
    of_head_7_4_again = "Head 7.4 also moves the answer."

    found = judge_text(f"Abstract\n{PART} {CIRCUIT} {others} {of_head_7_4_again}\n").claims

    assert [(stated.system, stated.components) for stated in found] == [
        (True, []),
        (False, ["7.4"]),
        (False, ["2.1", "2.5"]),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        pytest.param("Is head 3.1 copying anything?", id="asked"),
        pytest.param("We define head 3.1 as the fourth head of a layer that reads.", id="defined"),
        pytest.param("Ablating head 3.1 moves the answer.", id="done to it"),
        pytest.param("Head 3.1 does not store ages.", id="denied"),
        pytest.param("Head 3.1 should copy ages.", id="wished"),
        pytest.param("Adams et al. (2020) show that head 3.1 stores names.", id="cited"),
        pytest.param("Figure 2: head 3.1 copies ages.", id="a caption"),
    ],
)
def test_what_is_asked_defined_done_denied_wished_or_cited_is_no_claim(sentence: str) -> None:
    assert judge_text(sentence).claims == []


def test_there_are_at_most_eight_claims() -> None:
    parts = [f"Head {layer}.1 copies part {layer}." for layer in range(20)]

    found = judge_text(" ".join([CIRCUIT, *parts])).claims

    assert len(found) == 8


@pytest.mark.parametrize(
    "word", ["mean ", "head ", "1.1, ", "head 1.1, 1.1 and ", "( ", "x", "A\n"]
)
def test_a_hostile_text_has_no_claim(word: str) -> None:
    """`benchmarks/reading.py` measures how long such texts take."""
    assert judge_text(word * 20_000).claims == []
