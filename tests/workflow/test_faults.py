"""Damaged results, read-only folders, Ctrl-C and a clock that jumps:
each is refused in one line, or made again.
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
SNAKEMAKE = ("--rerun-triggers", "mtime", "--cores", "1")  # in this order: targets may follow


def run(checkout: Checkout, *targets: str, more: Path | None = None, status: int = 0) -> list[str]:
    """Make targets by a run that ends with `status`; the lines that a user is told as errors."""
    done = checkout.snakemake(*SNAKEMAKE, *targets, more=more, check=False)
    printed = done.stdout + done.stderr
    assert done.returncode == status, printed[-3000:]
    assert "Traceback" not in printed
    return [line.strip() for line in printed.splitlines() if line.strip().startswith("error: ")]


def flip_a_bit(path: Path) -> None:
    """Change one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 64
    path.write_bytes(content)


def cut_in_half(path: Path) -> None:
    """Leave the first half of a file."""
    os.truncate(path, path.stat().st_size // 2)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that it has."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


# What is damaged, how, what the message says to delete, and a result that is made from it.
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
    undamaged = damaged_file.read_bytes()
    made = tree.folder / result
    before = {
        path: path.read_bytes()
        for path in ([made] if made.is_file() else made.glob("*.safetensors"))
    }
    remove(made)

    times = damaged_file.stat()
    damage(damaged_file)
    # By its time it looks as it was.
    os.utime(damaged_file, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert run(tree, result, status=1) == [
        f"error: {damaged}: damaged, or changed since it was made; delete {delete} and run again"
    ]
    assert not made.exists()

    remove(tree.folder / delete)

    assert run(tree, result) == []
    assert damaged_file.read_bytes() == undamaged
    assert {path: path.read_bytes() for path in before} == before


def with_model(checkout: Checkout, folder: Path) -> tuple[str, ...]:
    """Lend the finished run's model to another working directory;
    returns the option that names the directory.
    """
    (folder / "results/models").mkdir(parents=True)
    for path in (checkout.folder / "results/models").glob(f"{MODEL}*"):
        (folder / "results/models" / path.name).symlink_to(path)
    (folder / "results/downloads").symlink_to(checkout.folder / "results/downloads")
    return ("--directory", str(folder))


@pytest.mark.gate
@pytest.mark.parametrize("folder", ["results", "logs", "benchmarks/results", ".snakemake"])
def test_a_folder_without_permission_to_write_is_said_in_one_line_before_any_job(
    tmp_path: Path, folder: str
) -> None:
    """A dry run is refused only where it writes itself."""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder).chmod(0o555)
    command = [sys.executable, "-m", "snakemake", *SNAKEMAKE]
    command += ["--snakefile", str(REPOSITORY / "Snakefile"), "results/grounding/data/test.jsonl"]
    if os.geteuid() == 0:
        # Without the privileges by which root writes everywhere.
        privileges = "-dac_override,-dac_read_search"
        command = ["setpriv", "--bounding-set", privileges, "--inh-caps", privileges, *command]
    run = functools.partial(
        subprocess.run, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
    )

    refused = run(command)

    assert refused.returncode == 1

    message = f"{tmp_path / folder}: read-only; make it writable, or run in another folder with --directory"
    assert refused.stderr.splitlines().count(message) == 1, refused.stderr
    assert "Traceback" not in refused.stderr
    assert "Error in rule" not in refused.stderr
    dry_run = run([*command, "--dry-run"])
    assert dry_run.returncode == (1 if folder == ".snakemake" else 0)


@pytest.mark.gate
def test_a_repository_in_a_folder_with_a_space_and_an_apostrophe_runs_in_another_folder(
    tmp_path: Path,
) -> None:
    """The first job reads a file of the repository."""
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
    """A hundred prompts in passes of their own: the capture cannot end before it is interrupted."""
    activations = f"results/activations/{MODEL}/radar_test"
    command = [sys.executable, "-m", "snakemake", *SNAKEMAKE, *with_model(finished, tmp_path)]
    slow = tmp_path / "slow.yaml"
    slow.write_text("capture: {tokens_per_batch: 1}\n")
    command += ["--configfile", "config/test.yaml", str(slow), "--", activations]
    log = tmp_path / f"logs/models/capture_activations/{MODEL}/radar_test.log"
    # A shell makes what it starts in the background ignore Ctrl-C, and so would all that these
    # tests start.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command,
        cwd=finished.folder,
        env=ENVIRONMENT,
        start_new_session=True,
        preexec_fn=heed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        while not (log.exists() and "prompt/s" in log.read_text()):  # it has begun to capture
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        printed = process.communicate(timeout=60)[0]
    assert process.returncode != 0
    assert "error: capture_activations: interrupted; run again to go on" in printed
    assert "Traceback" not in printed
    assert not list(tmp_path.glob("results/activations/**/*safetensors*"))

    done = subprocess.run(
        command, cwd=finished.folder, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / activations).glob("*.safetensors"))


@pytest.mark.gate
def test_a_clock_that_jumps_is_named_and_files_from_the_future_are_not_used_in_silence(
    tree: Checkout,
) -> None:
    """The clock was a day ahead while activations were made, and is right again."""
    tomorrow = time.time() + 86400
    stamp = tree.folder / ACTIVATIONS / ".snakemake_timestamp"
    os.utime(stamp, (tomorrow, tomorrow))
    target = f"{FEATURES}.sum.parquet"
    refused = tree.snakemake(*SNAKEMAKE, target, check=False)

    assert refused.returncode == 1

    (line,) = (line for line in refused.stderr.splitlines() if "clock skew" in line)
    assert f"than input {ACTIVATIONS} " in line

    os.utime(stamp)  # what docs/changing-a-run.md says: `touch`
    assert run(tree, target) == []
