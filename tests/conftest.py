"""Settings of every test session, and the fixtures that several folders of tests share.

Shapes in signatures are checked. One small run of the workflow is made beside the tests, and files
with tests that wait for it come last.
"""

import contextlib
import gc
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

from tests.checkout import MODEL, REPOSITORY, Checkout, copy_of_the_tree
from tests.small_run import STAGES, SmallRun, make_small_run, write
from tests.typechecking import check_signatures
from tests.warm_python import warm_python

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The tests' tensors are so small that a second thread costs more than it brings: ten times the time
# on a busy machine. Set before torch is imported. The jobs of a workflow have the threads that
# their rules ask for.
os.environ["OMP_NUM_THREADS"] = "1"
# Those jobs share two cores with the tests. A thread that spins while it waits keeps a core from
# the very thread that it waits for: beside five other processes, twelve tokens of SmolLM2 on two
# threads took 75 s, and 6 s where waiting threads sleep.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

check_signatures(REPOSITORY / "mechaware")
check_signatures(REPOSITORY / "exhibits")

# Imported modules and collected tests live to the end, so the garbage collector need not walk over
# them again and again: it is off until they are frozen.
gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


# While the small run is made beside the tests, an example's time is no measure of it.
hypothesis.settings.register_profile(
    "beside_a_run", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("beside_a_run")


def n_stages_needed(item: pytest.Item) -> int:
    """How many of the small run's stages a test waits for, by its fixtures and their fixtures."""
    fixtures = getattr(item, "fixturenames", ())
    n_stages = 0
    for number, stage in enumerate(STAGES, start=1):
        if stage.fixture in fixtures:
            n_stages = number
    return n_stages


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files with tests that wait for the small run last: it is made beside all other tests.

    A file is run by one process, from its first test to its last, so it waits as long as the test
    that waits longest.
    """
    n_stages: dict[Path, int] = {}
    for item in items:
        n_stages[item.path] = max(n_stages_needed(item), n_stages.get(item.path, 0))

    # test_killed_run.py takes longest, so it is first of the files that wait for as many stages.
    items.sort(key=lambda item: (n_stages[item.path], item.path.name != "test_killed_run.py"))


@pytest.fixture(scope="session", autouse=True)
def small_run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SmallRun | None]:
    """The small run, which starts before the first test; None if no test waits for it.

    Of several processes, the first one starts it.
    """
    n_stages = max(map(n_stages_needed, request.session.items))
    if n_stages == 0:
        yield None
        return

    # Each of several processes has a folder of its own below the folder of the session.
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent
    shared = folder / "small_run"
    small = SmallRun(Checkout(shared / "tree", request.getfixturevalue("warm")))
    making = None
    # The folder exists if another process has started the run.
    with contextlib.suppress(FileExistsError):
        shared.mkdir()
        write(shared / "starter", str(os.getpid()))
        making = ThreadPoolExecutor(1).submit(make_small_run, small, n_stages)

    # The session lasts as long as the small run and the tests that wait for it. So the run goes
    # first: only this thread, which runs the tests, is made less urgent.
    os.nice(5)
    yield small

    # Another process may wait for the run.
    if making and not request.session.shouldstop:
        making.result()


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a `python` that starts with the libraries loaded (tests/warm_python.py)."""
    with warm_python(tmp_path_factory.mktemp("warm")) as folder:
        yield folder


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory, warm: Path) -> Checkout:
    """A copy of the repository, at first without results.

    All tests of a session share it: a test that edits a file restores it, unless no later test
    reads the file; results that a test makes stay.
    """
    return Checkout(copy_of_the_tree(tmp_path_factory.mktemp("checkout")), warm)


@pytest.fixture(scope="session")
def smollm2(small_run: SmallRun) -> Path:
    """The folder of the real model, made by the workflow's own rules."""
    small_run.wait_for("model")
    return small_run.checkout.folder / "results/models" / MODEL


@pytest.fixture(scope="session")
def finished(small_run: SmallRun) -> Checkout:
    """The checkout of the small run with all results; tests only read it."""
    small_run.wait_for("everything")
    return small_run.checkout


@pytest.fixture
def tree(finished: Checkout, tmp_path: Path) -> Checkout:
    """A copy of the finished small run that a test may edit."""
    shutil.copytree(finished.folder, tmp_path / "tree", symlinks=True)
    return finished._replace(folder=tmp_path / "tree")


@pytest.fixture(scope="session")
def embedded(small_run: SmallRun) -> Checkout:
    """A finished copy in which the embedded model judges, too (config/test_embedded.yaml)."""
    small_run.wait_for("embedded")
    return small_run.embedded


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser for the pages; its tests are skipped where there is none."""
    # Other tests need no browser's library.
    from tests.browser import open_browser

    with open_browser() as browser:
        yield browser
