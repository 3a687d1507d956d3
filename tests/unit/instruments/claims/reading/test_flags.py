"""Which phrases report variance, by examples sorted by hand; and which flags a paper has."""

import re

import pytest

from mechaware.instruments.claims.reading.cues import Cue
from mechaware.instruments.claims.reading.flags import VARIANCE, _reports_variance, paper_flags
from mechaware.instruments.claims.reading.readings import Hidden
from mechaware.instruments.claims.rubric.text_flags import Flag, HiddenReason

# Phrases to test within a text. Some are several sentences.
VARIANCE_REPORTED = [
    "Bars show one standard deviation.",
    "Standard errors are in parentheses.",
    "Error bars span five runs.",
    "error-bars are too small to see",
    "The 95% confidence interval is [0.2, 0.4].",
    "We give conﬁdence intervals.",
    "with 95% CIs throughout",
    "We report 90 % C.I. for each head",
    "Accuracy is 0.85 ± 0.02.",
    "85.2 (±1.1)",
    "0.41 +/- 0.03",
    "mean ± SD",
    "mean (SD) of the effect",
    "the mean and std over prompts",
    "(M = 0.4, SD = 0.1)",
    "Intervals are found by bootstrap.",
    "using a paired bootstrap",
    "bootstrapped confidence intervals",
    "1,000 bootstrap resamples",
    "The variance across seeds is small.",
    "the variation of the effect between five random seeds",
    "ranges over three independent training runs from 0.4 to 0.5",
    "The seed-to-seed variability is 0.02.",
    "interquartile range",
    "a stan-\ndard deviation of 0.3",
    "We did not tune the seeds. Error bars show the spread.",
    "The noise is strong. The standard deviation over runs is 0.1.",
    "The effect is 0.8 (SD 0.03).",
    "0.81 +- 0.02",
    "Wilson intervals are given.",
    "a 95% Wilson score interval",
    "Clopper-Pearson intervals",
    "bootstrapped 95% interval",
    "bootstrap 95% intervals",
    "an effect of 0.8 with s.d. of 0.1",
    "with 95% CIs",
    "95% CI [0.1, 0.3]",
    "CI: [0.1, 0.3]",
    "a 95% interval of 0.1 to 0.3",
    "SEM 0.02",
    "std 0.02",
    "std = 0.02",
    "std. of 0.02",
    "IQR 0.2-0.3",
    "mean (s.d.) of the effect",
    "the mean and SD",
    "Jeffreys intervals",
    "shaded regions show one deviation",
    "shaded area: minimum to maximum over five seeds",
    "0.81 +/- .02",
    "0.8 ± 0.1",
    "uncertainty bands",
]

# Texts without a report, denials, spreads of settings such as noise, and words in another sense.
NO_VARIANCE_REPORTED = [
    "",
    "The effect is 0.85.",
    "We add Gaussian noise with standard deviation 0.1 to the embeddings.",
    "noise of three times the standard deviation of the embeddings",
    "Weights are initialised with standard deviation 0.02.",
    "We do not report error bars.",
    "There are no confidence intervals in this work.",
    "Results come without standard errors or any bootstrap.",
    "We bootstrap the probe from a pretrained model.",
    "Bootstrap your own latent",
    "The image is rotated by ±90 degrees.",
    "weights in {+1, -1}",
    "a +1/-1 label",
    "The mean over five seeds is 0.8.",
    "We average over three runs.",
    "The variance explained by the first component is 80%.",
    "an invariant across layers",
    "CI runs the tests",
    "We are confident in this interval of layers.",
    "The standard deviant behaviour",
    "the range of layers between heads",
    "std::vector",
    "We use SD 1.5 and SD 2.1.",
    "Stable Diffusion (SD 0.9)",
    "the SD card",
    "Wilson et al. (2020) show",
    "noise with s.d. of 0.1",
    "Gaussian noise of std 0.1",
    "values in the interval [0, 1]",
    "95% of the prompts",
    "95% accuracy",
    "CI runs",
    "we report no SD",
    "without 95% intervals",
    "labels in {+1, -1}",
    "C++-17",
    "a +-1 label",
    "rotated by +-90 degrees",
    "Student networks are small",
    "the range [0.1, 0.3]",
    "shaded cells are ours",
    "standards of 3",
    "initialised with SD 0.02",
]


@pytest.mark.parametrize("cue", VARIANCE, ids=lambda cue: cue.name)
def test_each_cue_of_variance_matches_its_example(cue: Cue) -> None:
    assert re.search(cue.pattern, cue.example, re.I)
    assert _reports_variance(cue.example)


@pytest.mark.parametrize("phrase", VARIANCE_REPORTED)
def test_a_report_of_variance_counts(phrase: str) -> None:
    assert _reports_variance(f"Words before. {phrase} Words after.")


@pytest.mark.parametrize("phrase", NO_VARIANCE_REPORTED)
def test_a_text_without_a_report_of_variance_does_not_count(phrase: str) -> None:
    assert not _reports_variance(f"Words before. {phrase} Words after.")


WITH_VARIANCE = "The effect is 0.85 ± 0.01."


def hidden(reason: HiddenReason, text: str) -> Hidden:
    """A piece of text on page 1 that is withheld from judges."""
    return Hidden(page=1, reason=reason, text=text)


@pytest.mark.parametrize(
    ("text", "pieces", "addressing", "flags"),
    [
        pytest.param(WITH_VARIANCE, [], [], [], id="nothing to flag"),
        pytest.param("The effect is 0.85.", [], [], ["NO_VARIANCE_REPORTED"], id="no variance"),
        pytest.param(
            WITH_VARIANCE,
            [hidden("not visible", "four small hidden words")],
            [],
            ["HIDDEN_TEXT"],
            id="hidden prose",
        ),
        pytest.param(
            WITH_VARIANCE,
            [hidden("not visible", "only three words of x")],
            [],
            [],
            id="hidden text with three words of three letters or more, one too few for prose",
        ),
        pytest.param(
            WITH_VARIANCE,
            2 * [hidden("not visible", "only two words")],
            [],
            [],
            id="two hidden pieces, each too short for prose",
        ),
        pytest.param(
            WITH_VARIANCE,
            [hidden("dropped", "a menu that nobody reads")],
            [],
            [],
            id="a dropped menu",
        ),
        pytest.param(
            WITH_VARIANCE, [], ["Rate this paper."], ["ADDRESSES_JUDGE"], id="words to a judge"
        ),
        pytest.param(None, [], [], [], id="no readable text"),
        pytest.param(
            "The effect is 0.85.",
            [hidden("not visible", "four small hidden words")],
            ["Rate this paper."],
            ["NO_VARIANCE_REPORTED", "HIDDEN_TEXT", "ADDRESSES_JUDGE"],
            id="all three flags",
        ),
    ],
)
def test_missing_variance_hidden_prose_and_words_to_a_judge_are_flagged(
    text: str | None, pieces: list[Hidden], addressing: list[str], flags: list[Flag]
) -> None:
    assert paper_flags(text, pieces, addressing) == flags
