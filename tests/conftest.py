"""What several tests share: shapes checked in signatures, and one small real run in a copy of the tree."""

import contextlib
import gc
import os
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import hypothesis
import psutil
import pytest

from tests.slurm.plans import KEYS
from tests.typechecking import check_signatures
from tests.warm_python import warm_python

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MODEL = "smollm2-135m-instruct"
REPOSITORY = Path(__file__).resolve().parent.parent
# In the environment of every run; nothing that a run leaves may have one (tests/workflow/test_planted_keys.py).
PLANTED_KEYS = {name: f"planted-{name.lower()}-6f1d0c" for name in (*KEYS, "HF_TOKEN", "FAKE_KEY")}

# The tests' tensors are so small that a second thread costs more than it brings: on a busy machine ten times the time.
# Set before torch is imported. The jobs of a workflow have the threads that their rules ask for.
os.environ["OMP_NUM_THREADS"] = "1"
# Those jobs share two cores with the tests, and a thread that spins while it waits for another keeps a core from it:
# twelve tokens of SmolLM2 on two threads took 75 s beside five other processes, and 6 s where waiting threads sleep.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

check_signatures(REPOSITORY / "mechaware")
check_signatures(REPOSITORY / "exhibits")

# What is imported and collected is kept to the end: the collector would walk over it again and again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


# How long an example takes says nothing while the small run is made beside it.
hypothesis.settings.register_profile(
    "beside_a_run", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("beside_a_run")


class Checkout(NamedTuple):
    """A copy of the repository in which snakemake runs with config/test.yaml and, on top of it, the config `more`."""

    folder: Path
    python: Path  # the folder of the `python` that is started, for Snakemake and for its jobs

    def snakemake(
        self, *arguments: str, more: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        configs = ["config/test.yaml", *([str(more)] if more else [])]
        command = [
            str(self.python / "python"),
            "-m",
            "snakemake",
            *arguments,
            "--configfile",
            *configs,
        ]
        path = os.pathsep.join(
            (str(self.python), str(Path(sys.executable).parent), os.environ["PATH"])
        )
        environment = os.environ | PLANTED_KEYS | {"PATH": path}
        run = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True
        )
        if check and run.returncode:
            pytest.fail(f"{' '.join(command)}\n{run.stdout[-3000:]}\n{run.stderr[-8000:]}")
        return run


class SmallRun(NamedTuple):
    """The one small run of the workflow, which all processes of a test session share."""

    checkout: Checkout

    @property
    def embedded(self) -> Checkout:
        """The copy in which the embedded model judges, too."""
        return self.checkout._replace(folder=self.checkout.folder.parent / "embedded_tree")

    def wait_for(self, stage: str) -> None:
        """Wait until a stage has ended, one of STAGES. Fails with what the run printed."""
        folder = self.checkout.folder.parent
        ended = folder / stage
        while not ended.exists():
            if (starter := folder / "starter").exists() and not psutil.pid_exists(
                int(starter.read_text())
            ):
                pytest.fail("the process that made the small run has ended without it")
            time.sleep(0.2)
        if printed := ended.read_text():
            pytest.fail(printed)


# Of the small run, with the fixture that waits for each: the real model, everything, and in a copy of it the embedded
# model as a judge and asked for columns.
STAGES = {"smollm2": "model", "finished": "everything", "embedded": "embedded"}
EMBEDDED = Path("config/test_embedded.yaml")


def needs(item: pytest.Item) -> int:
    """The number of stages that a test waits for."""
    fixtures = getattr(item, "fixturenames", ())  # with those that its fixtures ask for
    return max(
        (number for number, name in enumerate(STAGES, start=1) if name in fixtures), default=0
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with tests that wait for the small run come last: it is made on the other core beside all others.

    A file is run by one process, from its first test to its last, so it waits as long as the test that waits longest.
    """
    furthest: dict[Path, int] = {}
    for item in items:
        furthest[item.path] = max(needs(item), furthest.get(item.path, 0))

    # The run that is killed again and again takes longest, so it must not be the last of all.
    items.sort(key=lambda item: (furthest[item.path], item.path.name != "test_killed_run.py"))


def copy_of_the_tree(folder: Path) -> Path:
    """The files that git knows or would know, in a folder of their own."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(lambda name: (REPOSITORY / name).exists(), listed.stdout.splitlines()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of a `python` that has the libraries loaded."""
    with warm_python(tmp_path_factory.mktemp("warm")) as folder:
        yield folder


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory, warm: Path) -> Checkout:
    """A fresh copy."""
    return Checkout(copy_of_the_tree(tmp_path_factory.mktemp("checkout")), warm)


@pytest.fixture(scope="session", autouse=True)
def small_run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SmallRun | None]:
    """Starts the small run before the first test if any of them waits for it. The first of several processes does."""
    furthest = max(map(needs, request.session.items))
    if not furthest:
        yield None
        return
    alone = not hasattr(request.config, "workerinput")
    shared = (
        tmp_path_factory.getbasetemp() if alone else tmp_path_factory.getbasetemp().parent
    ) / "small_run"
    small = SmallRun(Checkout(shared / "tree", request.getfixturevalue("warm")))
    run = None
    with contextlib.suppress(FileExistsError):
        shared.mkdir()
        write(shared / "starter", str(os.getpid()))
        run = ThreadPoolExecutor(1).submit(make_small_run, small, furthest)
    # This thread only: most of the tests' time is that of the small run, and of what waits for it.
    os.nice(5)
    yield small
    if run and not request.session.shouldstop:
        run.result()  # another process may wait for it


def write(path: Path, text: str) -> None:
    """A file that other processes see whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(text)
    partial.rename(path)


def make_small_run(small: SmallRun, furthest: int) -> None:
    """The first stages; the end of each is a file with what a failed one printed."""
    printed = ""
    makers = zip(STAGES.values(), (make_model, make_everything, judge_embedded), strict=True)
    for stage, make in list(makers)[:furthest]:
        try:
            printed = printed or make(small)
        except Exception:  # in a thread of its own: other tests would wait for ever
            printed = traceback.format_exc()
        write(small.checkout.folder.parent / stage, printed)


def make_model(small: SmallRun) -> str:
    copy_of_the_tree(small.checkout.folder)
    return failure_of(small.checkout, f"results/models/{MODEL}")


def make_everything(small: SmallRun) -> str:
    printed = failure_of(small.checkout, "--resources", "gpu=1")
    # Before a test runs in it.
    shutil.copytree(small.checkout.folder, small.embedded.folder, symlinks=True)
    return printed


def judge_embedded(small: SmallRun) -> str:
    return failure_of(small.embedded, "--resources", "gpu=1", more=EMBEDDED)


def failure_of(checkout: Checkout, *targets: str, more: Path | None = None) -> str:
    """What is printed if `targets` cannot be made; else nothing."""
    # One core: the tests have the other, and beside them a job of two threads takes four times as long. Snakemake
    # polls every 4 s and chooses jobs by its quick scheduler: with its defaults it takes a tenth of the time itself.
    quick = ("--scheduler", "greedy", "--max-jobs-per-timespan", "1000/4s")
    run = checkout.snakemake("--cores", "1", *quick, *targets, more=more, check=False)
    return f"{run.stdout[-3000:]}\n{run.stderr[-8000:]}" if run.returncode else ""


@pytest.fixture(scope="session")
def smollm2(small_run: SmallRun) -> Path:
    """The folder of the real model, made by the workflow's own rules."""
    small_run.wait_for("model")
    return small_run.checkout.folder / "results/models" / MODEL


@pytest.fixture(scope="session")
def finished(small_run: SmallRun) -> Checkout:
    """The copy after a whole small run."""
    small_run.wait_for("everything")
    return small_run.checkout


@pytest.fixture
def tree(finished: Checkout, tmp_path: Path) -> Checkout:
    """A copy of the finished small run that a test may edit: other tests read the one and only."""
    shutil.copytree(finished.folder, tmp_path / "tree", symlinks=True)
    return finished._replace(folder=tmp_path / "tree")


@pytest.fixture(scope="session")
def embedded(small_run: SmallRun) -> Checkout:
    """A copy in which the embedded model judges, too, and is asked for columns (config/test_embedded.yaml)."""
    small_run.wait_for("embedded")
    return small_run.embedded


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser for the pages; its tests are skipped where there is none."""
    from tests.browser import open_browser  # other tests need no browser

    with open_browser() as browser:
        yield browser
