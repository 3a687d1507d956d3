"""A quote is found in a paper's text however it is typeset, and refused if its meaning differs."""

import pytest

from mechaware.instruments.claims.judges.locating import locate

# What extraction from a PDF leaves: broken lines, a hyphenated word, ligatures and a lost one
# ("signi cant").
PAPER = """\
We study subject-verb agreement in Tern-200M.
Ablating heads 3.1 and 4.2 lowers the logit difference by 61%,
from 3.2 to 1.2.
Zero ablation of head 3.1 does not change the accuracy on other tasks, which stays above 97.5%.
The cir-
cuit alone, with every other head mean-
ablated, keeps 93% of the logit diﬀerence (n = 1,000).
The ﬁrst head is necessary for the signi cant eﬀect.
A probe ﬁnds the subject\u2019s number in layer 2 \u2013 but never in layer 1.
Head 4.2 attends to the verb. Random heads fail to lower it: the change is below 0.02.
MLP 8 raises the plural form. No other model was tested.
The result holds without fine-tuning, and swapping two subjects increases the error twofold.
There is no evidence that ablating head 5.5 lowers the copying score.
We do not find (Fig. 3) that heads 6.1 and 6.2 are necessary.
It is false that, in this model, the circuit is sufficient alone.
Hardly any head matters for the output. We ask whether the path through head 7.7 is the only one.
Head 5.6 has no effect, but its twin lowers the score by 44%.
Head 8.8 (not its neighbour) copies the name in every prompt.
Without the late layers, the path through MLP 8 recovers the whole effect.
Not only the first head but also its twin attends to the subject.
Patching restores the score in no other model.
The behaviour generalises to labelled prompts of three templates.
The decoupled units are deactivated for previous tokens

The two halves of the set agree to within one percent.
"""


# The quotes of the next two tests were written before the code that locates quotes.


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("Ablating heads 3.1 and 4.2 lowers the logit difference by 61%", id="exact"),
        pytest.param("No other model was tested", id="exact denial"),
        pytest.param("lowers the logit difference by 61%, from 3.2 to 1.2", id="over a line break"),
        pytest.param("MLP 8  raises the  plural form", id="double spaces"),
        pytest.param(
            "The circuit alone, with every other head mean-ablated, keeps 93%", id="hyphenated word"
        ),
        pytest.param("keeps 93% of the logit difference (n = 1,000)", id="ligature of ff"),
        pytest.param("The first head is necessary", id="ligature of fi"),
        pytest.param("necessary for the significant effect", id="lost ligature"),
        pytest.param(
            "A probe finds the subject's number in layer 2 - but never in layer 1",
            id="another apostrophe and dash",
        ),
        pytest.param("ablating Heads 3.1 and 4.2 lowers the Logit Difference", id="capitals"),
        pytest.param("Head 4.2 attends to the verb.", id="final stop"),
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowers the logit difference ... from 3.2 to 1.2",
            id="elision",
        ),
        pytest.param("Random heads fail to lower it […] below 0.02", id="elision in brackets"),
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowers logit difference by 61%", id="dropped article"
        ),
        pytest.param(
            "Zero ablation of the head 3.1 does not change the accuracy", id="added article"
        ),
        pytest.param("its twin lowers the score by 44%", id="after another clause"),
        pytest.param("copies the name in every prompt", id="after a denial in brackets"),
        pytest.param(
            "the path through MLP 8 recovers the whole effect", id="after an opening with without"
        ),
        pytest.param("the first head but also its twin attends to the subject", id="not only"),
        pytest.param(
            "The two halves of the set agree to within one percent", id="after the end of a page"
        ),
    ],
)
def test_a_quote_is_found_however_it_is_typeset(quote: str) -> None:
    assert locate(quote, PAPER) is not None


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowered the logit difference by 61%", id="inflection"
        ),
        pytest.param(
            "The behavior generalizes to labeled prompts of three templates",
            id="British and American",
        ),
        pytest.param(
            "ablating head 5.5 lowers the copying score", id="cut out of no evidence that"
        ),
        pytest.param("heads 6.1 and 6.2 are necessary", id="cut out of do not find that"),
        pytest.param("the circuit is sufficient alone", id="cut out of it is false that"),
        pytest.param("any head matters for the output", id="cut out of hardly"),
        pytest.param("the path through head 7.7 is the only one", id="cut out of a question"),
        pytest.param("Patching restores the score", id="cut before in no"),
        pytest.param(
            "ablating head 5.5 lowered the copying score", id="a denial lost in another spelling"
        ),
        pytest.param(
            "Head 4.2 attends to the verb ... Random heads ... the change is below 0.02",
            id="elision that hides a denial",
        ),
        pytest.param(
            "The coupled units are deactivated for previous tokens", id="decoupled as coupled"
        ),
        pytest.param(
            "The decoupled units are activated for previous tokens", id="deactivated as activated"
        ),
        pytest.param(
            "The decoupled units are deactivated for precious tokens", id="one letter changed"
        ),
        pytest.param(
            "with every other head mean-abalted, keeps 93% of the logit difference",
            id="two letters swapped",
        ),
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowers the logit difference by 6%", id="61% as 6%"
        ),
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowers the logit difference by 67%", id="61% as 67%"
        ),
        pytest.param(
            "the circuit alone, with every other head mean-ablated, keeps 93 of the logit "
            "difference",
            id="percent sign lost",
        ),
        pytest.param("accuracy on other tasks, which stays above 9.75%", id="decimal point moved"),
        pytest.param(
            "Zero ablation of head 3.1 does change the accuracy on other tasks",
            id="not removed",
        ),
        pytest.param(
            "Zero ablation of head 3.1 change the accuracy on other tasks, which stays above 97.5%",
            id="does not removed",
        ),
        pytest.param(
            "The first head is not necessary for the significant effect", id="negation added"
        ),
        pytest.param(
            "A probe finds the subject's number in layer 2 - but in layer 1", id="never removed"
        ),
        pytest.param(
            "The first head is unnecessary for the significant effect", id="negation as a prefix"
        ),
        pytest.param("Random heads lower it: the change is below 0.02", id="fails removed"),
        pytest.param(
            "The result holds with fine-tuning, and swapping two subjects increases the error",
            id="without as with",
        ),
        pytest.param(
            "Other model was tested. The result holds without fine-tuning", id="no removed"
        ),
        pytest.param(
            "swapping two subjects decreases the error twofold", id="increases as decreases"
        ),
        pytest.param(
            "Ablating heads 3.1 and 4.3 lowers the logit difference by 61%", id="head 4.2 as 4.3"
        ),
        pytest.param(
            "Zero ablation of head 4.2 does not change the accuracy on other tasks",
            id="head 3.1 as 4.2",
        ),
        pytest.param("MLP 9 raises the plural form", id="another MLP"),
        pytest.param(
            "A probe finds the subject's number in layer 3 - but never in layer 1",
            id="another layer",
        ),
        pytest.param("patching restores the whole behaviour at once", id="invented"),
        pytest.param(
            "Every other head alone keeps the subject's number",
            id="invented from the paper's words",
        ),
        pytest.param(
            "Ablating heads 3.1 and 4.2 lowers the plural form", id="stitched without elision"
        ),
        pytest.param(
            "Zero ablation of head 3.1 does not change the accuracy which stays above 97.5%",
            id="stitched with a gap of one clause",
        ),
        pytest.param(
            "Zero ablation of head 3.1 ... change the accuracy on other tasks",
            id="elision that hides a negation",
        ),
        pytest.param(
            "MLP 8 raises the plural form ... Head 4.2 attends to the verb", id="elision backwards"
        ),
        pytest.param(
            "Ablating heads 3.1 and 4.2 ... Head 4.3 attends to the verb",
            id="elision to another head",
        ),
    ],
)
def test_a_quote_that_says_something_else_is_refused(quote: str) -> None:
    assert locate(quote, PAPER) is None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        pytest.param("Heads copy names", "Heads copy names\n\nNo head was ablated.", id="heading"),
        pytest.param("The heads copy", "The heads copy not just names but places.", id="not just"),
        pytest.param(
            "The heads were ablated",
            "The heads were ablated in no fewer than 3 models.",
            id="no fewer than",
        ),
        pytest.param("The circuit is shown", "The circuit is shown in No. 3.", id="number"),
        pytest.param("heads copy names", "There is no doubt that heads copy names.", id="no doubt"),
        pytest.param("heads copy names", "Doubtless heads copy names.", id="doubtless"),
    ],
)
def test_words_that_look_like_a_denial_do_not_refuse_a_quote(quote: str, text: str) -> None:
    assert locate(quote, text) is not None


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        pytest.param("Heads copy names", "Heads copy names in\nno model.", id="over a line break"),
        pytest.param(
            "Heads copy names", "Heads copy names\n\nin no model.", id="over the end of a page"
        ),
        pytest.param("Heads copy names", "Heads copy names never.", id="never"),
        pytest.param("heads copy names", "We doubt that heads copy names.", id="doubt"),
        pytest.param("heads copy names", "It is untrue that heads copy names.", id="untrue"),
    ],
)
def test_a_denial_around_a_quote_refuses_it(quote: str, text: str) -> None:
    assert locate(quote, text) is None


def test_a_quote_that_begins_after_the_negation_is_refused() -> None:
    assert locate("change the accuracy on other tasks", PAPER) is None


def test_a_quote_is_found_where_it_is_not_denied() -> None:
    text = "It does not lower the accuracy. Ablations lower the accuracy."

    place = locate("lower the accuracy", text)

    assert place is not None
    start, end = place
    assert text[:start] == "It does not lower the accuracy. Ablations "
    assert text[start:end] == "lower the accuracy"


@pytest.mark.parametrize(
    ("quoted_word", "papers_word"),
    [
        ("deactivated", "activated"),
        ("decoupled", "coupled"),
        ("misclassified", "classified"),
        ("asymmetric", "symmetric"),
        ("overestimates", "underestimates"),
        ("interlayer", "intralayer"),
        ("million", "billion"),
        ("microseconds", "milliseconds"),
        ("nanometres", "manometres"),
        ("hypersensitive", "hyposensitive"),
        ("decorrelated", "correlated"),
        ("destabilises", "stabilises"),
        ("antisymmetric", "symmetric"),
        ("former", "latter"),
        ("previous", "precious"),
        ("counterfactual", "factual"),
        ("subnetwork", "network"),
        ("pretrained", "trained"),
        ("homogeneous", "heterogeneous"),
        ("converges", "diverges"),
        ("maximises", "minimises"),
        ("positively", "negatively"),
        ("higher", "lighter"),
        ("encoder", "decoder"),
        ("encodes", "decodes"),
        ("preceding", "succeeding"),
        ("upper", "supper"),
        ("sixteen", "sixty"),
        ("useful", "useless"),
        ("causally", "casually"),
        ("exclusive", "inclusive"),
        ("amoral", "moral"),
        ("subcritical", "critical"),
    ],
)
def test_another_word_in_a_long_quote_is_refused(quoted_word: str, papers_word: str) -> None:
    """The words differ in few letters, and the 17 words around them are the same."""
    sentence = (
        "In our main experiment the component is {} across all of the two hundred prompts that we "
        "tried"
    )
    text = sentence.format(papers_word) + "."

    assert locate(sentence.format(papers_word), text) is not None
    assert locate(sentence.format(quoted_word), text) is None


def test_an_elision_leaves_out_600_characters_and_no_more() -> None:
    """119 words of 4 letters with a space, then one of 5 or of 6 letters: 119 x 5 + 5 = 600."""
    quote = "Head 4.2 reads ... the final verb"
    of_600 = "word " * 119 + "words"
    of_601 = "word " * 119 + "wordss"
    assert locate(quote, f"Head 4.2 reads {of_600} the final verb") == (0, 15 + 600 + 15)
    assert locate(quote, f"Head 4.2 reads {of_601} the final verb") is None
