"""Score planted docstrings by the logit lens over layers,
and by the likelihoods that are fitted alike.
"""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.detectors.columns import FEATURE
from mechaware.instruments.radar.detectors.detector import required
from mechaware.instruments.radar.detectors.logit_lens import score_logit_lens
from mechaware.instruments.radar.evidence.evidence import join_evidence, read_evidence
from scripts.command import Output
from scripts.radar.score_logit_lens import read_seeds


def main(
    *,
    seeds: list[int],
    scores: list[Path],
    evidence: list[Path],
    names_seeds: list[int],
    names_scores: list[Path],
    seed: int,
    lens_scores: Output,
) -> None:
    """Write the rows of `score_logit_lens`.

    `scores` has a file for each of `seeds`, and `evidence`, which has the features, one for each
    twin of each seed, A before B. `names_scores` are those of planted names, a file for each of
    `names_seeds`.
    """
    measured = join_evidence([read_evidence(path) for path in evidence])
    features = required(measured.features).add_prefix(FEATURE)
    docstrings = read_seeds(seeds, scores).join(features)

    names = read_seeds(names_seeds, names_scores)
    write_parquet(score_logit_lens(docstrings, names, seed=seed), lens_scores)
