"""The verdict on a benchmark from its scores: without a control there is none, and detectors must have scores."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.errors import UserError
from mechaware.models.summaries import TokenScores
from mechaware.radar.evidence.evidence import Evidence
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.seen import SeenEvidence, judge_benchmark
from mechaware.verdicts.verdict import Verdict

RATES = read_calibration(Path(__file__).resolve().parents[3] / "config/calibration/detectors.csv")
TEXTS = [f"Where is the {word}? In the box." for word in ("river", "stone", "cloud", "lamp")]


def judged(scores: pd.DataFrame, detectors: list[str]) -> Verdict[SeenEvidence]:
    """The verdict on items whose texts have a token for each word."""
    texts = TEXTS[: len(scores)]
    tokens = [TokenScores(np.arange(len(text.split())), *np.zeros((4, len(text.split())))) for text in texts]
    evidence = Evidence(texts, texts, tokens, states=np.zeros((len(texts), 2, 8)))
    return judge_benchmark(scores, evidence, detectors, RATES, level=0.5, seed=0)


def test_without_a_control_there_is_no_number_and_no_verdict() -> None:
    verdict = judged(pd.DataFrame({"id": ["a", "b"], "loss": [3.0, 4.0]}), ["loss"])
    assert (verdict.status, verdict.outcome, verdict.reason) == ("no verdict", "cannot tell", "give a control")
    assert verdict.procedure is None
    evidence = verdict.evidence
    assert evidence.detectors == evidence.blind == evidence.items == evidence.control_scores == []
    assert verdict.error_rates.rates == []


def test_a_detector_without_scores_is_left_out_and_one_must_be_left() -> None:
    control = [False, False, True, True]
    scores = pd.DataFrame({"id": list("abcd"), "loss": [3.0, 4.0, 1.0, 2.0], "control": control})
    verdict = judged(scores, ["reference", "loss"])
    assert [test.detector for test in verdict.evidence.detectors] == ["loss"]
    assert verdict.evidence.control_scores == [1.0, 2.0]
    for names, wrong in ((["loss", "lost"], "lost"), (["reference"], "reference")):
        with pytest.raises(UserError, match=f"radar/verdict_detectors: no scores of {wrong}; name columns"):
            judged(scores, names)
