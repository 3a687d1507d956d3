"""A run that is unpacked from its bundle needs nothing,
and a figure's edit draws the figure alone.
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

    # The bundle has no models and downloads of others, and all of the clone's files are younger
    # than the results.
    assert not (clone.folder / "results/models/smollm2-135m-instruct").exists()
    assert not (clone.folder / "results/downloads").exists()
    assert planned_jobs(clone) == {}

    # Nothing runs either with the config that the bundle has, in place of the file that its keys
    # were read from.
    config = clone.folder / "config/test.yaml"
    as_typed = config.read_text()
    shutil.copy(clone.folder / "results/bundle.yaml", config)

    assert planned_jobs(clone) == {}

    # An edit of a figure draws it alone.
    config.write_text(as_typed)
    set_figure("radar_scores: {marker_size: 20}")(clone.folder)

    assert planned_jobs(clone) == with_the_paper({"radar_scores": 1})
