"""Scores of probes by hand."""

import numpy as np
import pytest

from mechaware.instruments.radar.detectors.probes import CODEC, FSD, G_DRIFT, PROBES, Probe
from mechaware.instruments.radar.evidence.probes import ProbeEvidence

EVIDENCE = ProbeEvidence(
    log_probs=np.array([-2.0, -0.5]),
    behind_others=np.array([-1.25, -0.75]),
    after_ascent=np.array([-5.0, -1.0]),
    after_fine_tuning=np.array([-1.75, -1.25]),
)


def test_a_text_that_becomes_less_likely_behind_others_counts_as_seen() -> None:
    assert CODEC.score(EVIDENCE).tolist() == [-0.75, 0.25]


def test_a_text_whose_loss_rises_less_counts_as_seen() -> None:
    assert G_DRIFT.score(EVIDENCE).tolist() == [-3.0, -0.5]


def test_a_text_that_gains_less_from_training_on_its_domain_counts_as_seen() -> None:
    # The first text, which was not seen, gains a quarter of a nat a token; the second loses three
    # quarters.
    assert FSD.score(EVIDENCE).tolist() == [-0.25, 0.75]


@pytest.mark.parametrize("probe", PROBES, ids=[probe.name for probe in PROBES])
def test_a_probe_needs_the_evidence_that_it_declares_and_no_other(probe: Probe) -> None:
    declared = {field: getattr(EVIDENCE, field) for field in ("log_probs", *probe.needs)}
    alone = ProbeEvidence(**declared)
    assert probe.score(alone).tolist() == probe.score(EVIDENCE).tolist()
    for need in probe.needs:
        with pytest.raises(ValueError, match="was not measured"):
            probe.score(alone._replace(**{need: None}))
