"""What several tests share: shapes checked in signatures, and one small real run in a copy of the tree."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from jaxtyping import install_import_hook

REPOSITORY = Path(__file__).resolve().parent.parent

# The tests' tensors are so small that a second thread costs more than it brings: on a busy machine ten times the time.
# It must be said before torch is loaded. The jobs of a workflow have the threads that their rules ask for.
os.environ["OMP_NUM_THREADS"] = "1"

# From here on every signature of the library that names shapes is checked at each call.
install_import_hook("mechaware", "beartype.beartype")


class Checkout(NamedTuple):
    """A copy of the repository in which snakemake runs with config/test.yaml, and what `more` says beyond it."""

    folder: Path

    def snakemake(
        self, *arguments: str, more: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        configs = ["config/test.yaml", *([str(more)] if more else [])]
        command = [sys.executable, "-m", "snakemake", *arguments, "--configfile", *configs]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        run = subprocess.run(command, cwd=self.folder, env=os.environ | {"PATH": path}, capture_output=True, text=True)
        if check and run.returncode:
            pytest.fail(f"{' '.join(command)}\n{run.stdout[-3000:]}\n{run.stderr[-8000:]}")
        return run


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The files that git knows or would know, in a folder of their own."""
    folder = tmp_path_factory.mktemp("checkout")
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
    return Checkout(folder)


@pytest.fixture(scope="session")
def smollm2(checkout: Checkout) -> Path:
    """The folder of the real model, made by the workflow's own rules."""
    checkout.snakemake("--cores", "all", "results/models/smollm2-135m-instruct")
    return checkout.folder / "results/models/smollm2-135m-instruct"


@pytest.fixture(scope="session")
def finished(checkout: Checkout, smollm2: Path) -> Checkout:
    """The copy after a whole small run."""
    checkout.snakemake("--cores", "all", "--resources", "gpu=1")
    return checkout
