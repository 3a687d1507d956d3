"""A clone in which a run's bundle is opened has no jobs left; after an edit of a figure's settings
only the figure and the paper would be made again.
"""

import shutil
from pathlib import Path

import pytest

from mechaware.core.bundle import open_bundle
from tests.checkout import Checkout, copy_of_the_tree
from tests.dag.plans import copy_of_the_finished, planned_jobs, set_figure, with_the_paper


@pytest.mark.gate
def test_a_fresh_clone_goes_on_from_a_bundle(finished: Checkout, tmp_path: Path) -> None:
    run = copy_of_the_finished(finished, tmp_path / "run")
    run.snakemake("results/bundle.tar.gz", "--cores", "1")

    clone = finished._replace(folder=copy_of_the_tree(tmp_path / "clone"))
    open_bundle(run.folder / "results/bundle.tar.gz", clone.folder)
    shutil.rmtree(run.folder)

    # No job is planned, although the bundle lacks downloads and pretrained models, and all files of
    # the clone are newer than the results.
    assert not (clone.folder / "results/models/smollm2-135m-instruct").exists()
    assert not (clone.folder / "results/downloads").exists()
    assert planned_jobs(clone) == {}

    # No job is planned either if the bundle's config replaces the clone's.
    config = clone.folder / "config/test.yaml"
    original_config = config.read_text()
    shutil.copy(clone.folder / "results/bundle.yaml", config)

    assert planned_jobs(clone) == {}

    # After an edit of a figure's settings only this figure and the paper would be made again.
    config.write_text(original_config)
    enlarge_markers = set_figure("radar_scores: {marker_size: 20}")
    enlarge_markers(clone.folder)

    assert planned_jobs(clone) == with_the_paper({"radar_scores": 1})
