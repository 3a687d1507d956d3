"""Faults of the machine and its files: a damaged result, a folder without permission to write, a
space in a path, Ctrl-C, and a clock that jumps.

A fault that stops a run is reported in one line, without a traceback. The same command works again
once the fault is gone.
"""

import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.checkout import MODEL, REPOSITORY, Checkout, copy_of_the_tree

ACTIVATIONS = f"results/activations/{MODEL}/radar_train"
RADAR = f"results/radar/{MODEL}"
FEATURES = f"{RADAR}/features/radar_train"
ENVIRONMENT = os.environ | {
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
}
# Options of Snakemake. A target that followed --rerun-triggers would be read as one more trigger.
SNAKEMAKE = ("--rerun-triggers", "mtime", "--cores", "1")


def errors_of_run(checkout: Checkout, target: str, *, status: int = 0) -> list[str]:
    """Run Snakemake for a target, and return the printed lines that begin with `error: `.

    Fails unless Snakemake exits with `status` and prints no traceback.
    """
    run = checkout.snakemake(*SNAKEMAKE, target, check=False)
    printed = run.stdout + run.stderr
    assert run.returncode == status, printed[-3000:]
    assert "Traceback" not in printed
    lines = [line.strip() for line in printed.splitlines()]
    return [line for line in lines if line.startswith("error: ")]


def flip_a_bit(path: Path) -> None:
    """Change one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 64
    path.write_bytes(content)


def cut_in_half(path: Path) -> None:
    """Leave the first half of a file."""
    os.truncate(path, path.stat().st_size // 2)


def remove(path: Path) -> None:
    """Remove a file, or a folder with everything in it."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


# The file that is damaged, how it is damaged, the path that the message tells the user to delete,
# and a result that is made from the file.
@pytest.mark.gate
@pytest.mark.parametrize(
    ("damaged", "damage", "delete", "result"),
    [
        pytest.param(
            f"{ACTIVATIONS}/00001-of-00001.safetensors",
            flip_a_bit,
            ACTIVATIONS,
            f"{FEATURES}.sum.parquet",
            id="activations",
        ),
        pytest.param(
            f"{FEATURES}.sum.parquet",
            cut_in_half,
            f"{FEATURES}.sum.parquet",
            f"{RADAR}/cross_validation.parquet",
            id="half a table",
        ),
        pytest.param(
            f"{FEATURES}.sum.parquet",
            flip_a_bit,
            f"{FEATURES}.sum.parquet",
            f"{RADAR}/cross_validation.parquet",
            id="a bit of a table",
        ),
        pytest.param(
            f"{RADAR}/scores/radar_matched.parquet",
            flip_a_bit,
            f"{RADAR}/scores/radar_matched.parquet",
            f"{RADAR}/score_means.parquet",
            id="scores",
        ),
        pytest.param(
            "results/grounding/reading.csv",
            cut_in_half,
            "results/grounding/reading.csv",
            "results/figures/grounding_reading.pdf",
            id="CSV",
        ),
        pytest.param(
            f"results/downloads/{MODEL}.gguf",
            cut_in_half,
            f"results/downloads/{MODEL}.gguf",
            f"results/models/{MODEL}",
            id="half a download",
        ),
    ],
)
def test_a_damaged_result_is_refused_and_made_again_once_it_is_deleted(
    tree: Checkout, damaged: str, damage: Callable[[Path], None], delete: str, result: str
) -> None:
    damaged_file = tree.folder / damaged
    undamaged_bytes = damaged_file.read_bytes()
    result_path = tree.folder / result
    # A result is a file, or the folder of a model.
    files = [result_path] if result_path.is_file() else list(result_path.glob("*.safetensors"))
    bytes_before = {path: path.read_bytes() for path in files}
    remove(result_path)

    # The damage leaves the date of the file.
    before = damaged_file.stat()
    damage(damaged_file)
    os.utime(damaged_file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert errors_of_run(tree, result, status=1) == [
        f"error: {damaged}: damaged, or changed since it was made; delete {delete} and run again"
    ]
    assert not result_path.exists()

    remove(tree.folder / delete)

    assert errors_of_run(tree, result) == []
    assert damaged_file.read_bytes() == undamaged_bytes
    assert {path: path.read_bytes() for path in files} == bytes_before


def link_model(checkout: Checkout, folder: Path) -> None:
    """Link the finished run's model and downloads into another working directory."""
    (folder / "results/models").mkdir(parents=True)
    for path in (checkout.folder / "results/models").glob(f"{MODEL}*"):
        (folder / "results/models" / path.name).symlink_to(path)
    (folder / "results/downloads").symlink_to(checkout.folder / "results/downloads")


@pytest.mark.gate
@pytest.mark.parametrize("folder", ["results", "logs", "benchmarks/results", ".snakemake"])
def test_a_folder_without_permission_to_write_is_reported_in_one_line_before_any_job(
    tmp_path: Path, folder: str
) -> None:
    """Of these folders a dry run writes only to .snakemake, so only there is it refused as well."""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder).chmod(0o555)
    command = [sys.executable, "-m", "snakemake", *SNAKEMAKE]
    command += ["--snakefile", str(REPOSITORY / "Snakefile"), "results/grounding/data/test.jsonl"]
    if os.geteuid() == 0:
        # Take away the privileges by which root may write everywhere.
        privileges = "-dac_override,-dac_read_search"
        command = ["setpriv", "--bounding-set", privileges, "--inh-caps", privileges, *command]

    refused = subprocess.run(command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)

    assert refused.returncode == 1

    message = f"{tmp_path / folder}: read-only; make it writable, or run in another folder with --directory"
    assert refused.stderr.splitlines().count(message) == 1, refused.stderr
    assert "Traceback" not in refused.stderr
    assert "Error in rule" not in refused.stderr

    dry_run = subprocess.run(
        [*command, "--dry-run"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert dry_run.returncode == (1 if folder == ".snakemake" else 0)


@pytest.mark.gate
def test_a_repository_in_a_folder_with_a_space_and_an_apostrophe_runs_in_another_folder(
    tmp_path: Path,
) -> None:
    """The target is made from a file of the repository, the vocabulary."""
    repository = copy_of_the_tree(tmp_path / "o'brien's files")
    elsewhere = tmp_path / "work"
    command = [sys.executable, "-m", "snakemake", *SNAKEMAKE, "--directory", str(elsewhere)]
    command += ["results/grounding/data/test.jsonl"]
    done = subprocess.run(command, cwd=repository, env=ENVIRONMENT, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert (elsewhere / "results/grounding/data/test.jsonl").read_text().startswith("{")


@pytest.mark.gate
def test_ctrl_c_ends_a_run_at_once_and_the_same_command_goes_on(
    finished: Checkout, tmp_path: Path
) -> None:
    """Each of the hundred prompts has a forward pass of its own, so that the capture does not end
    before it is interrupted.
    """
    link_model(finished, tmp_path)
    activations = f"results/activations/{MODEL}/radar_test"
    log = tmp_path / f"logs/models/capture_activations/{MODEL}/radar_test.log"
    slow = tmp_path / "slow.yaml"
    slow.write_text("capture: {tokens_per_batch: 1}\n")
    command = [sys.executable, "-m", "snakemake", *SNAKEMAKE, "--directory", str(tmp_path)]
    command += ["--configfile", "config/test.yaml", str(slow), "--", activations]

    # If a shell runs these tests in the background, they ignore Ctrl-C, and so would Snakemake.
    heed_ctrl_c = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command,
        cwd=finished.folder,
        env=ENVIRONMENT,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        # The log has a rate once the capture has begun.
        while not (log.exists() and "prompt/s" in log.read_text()):
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        printed = process.communicate(timeout=60)[0]
    assert process.returncode != 0
    assert "error: capture_activations: interrupted; run again to go on" in printed
    assert "Traceback" not in printed
    assert not list(tmp_path.glob("results/activations/**/*safetensors*"))

    resumed = subprocess.run(
        command, cwd=finished.folder, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert resumed.returncode == 0, resumed.stderr
    assert list((tmp_path / activations).glob("*.safetensors"))


@pytest.mark.gate
def test_a_result_from_the_future_is_refused_as_clock_skew_until_it_is_touched(
    tree: Checkout,
) -> None:
    """The clock was a day ahead while activations were made, and is right again."""
    seconds_per_day = 86400
    tomorrow = time.time() + seconds_per_day
    stamp = tree.folder / ACTIVATIONS / ".snakemake_timestamp"
    os.utime(stamp, (tomorrow, tomorrow))
    target = f"{FEATURES}.sum.parquet"
    refused = tree.snakemake(*SNAKEMAKE, target, check=False)

    assert refused.returncode == 1

    (line,) = (line for line in refused.stderr.splitlines() if "clock skew" in line)
    assert f"than input {ACTIVATIONS} " in line

    # The remedy in docs/changing-a-run.md is `touch`.
    os.utime(stamp)
    assert errors_of_run(tree, target) == []
