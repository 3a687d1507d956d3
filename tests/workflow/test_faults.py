"""Damaged results, a disk that fails, Ctrl-C and a clock that jumps: each is refused in one line, or made again."""

import functools
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mechaware.models.activations import iterate_summaries
from tests.conftest import MODEL, REPOSITORY, Checkout, copy_of_the_tree
from tests.tiny_models import make_tiny_model

ACTIVATIONS = f"results/activations/{MODEL}/radar_train"
RADAR = f"results/radar/{MODEL}"
FEATURES = f"{RADAR}/features/radar_train"
SNAKEMAKE = ("--rerun-triggers", "mtime", "--cores", "1")  # in this order: targets may follow


def run(checkout: Checkout, *targets: str, more: Path | None = None, status: int = 0) -> list[str]:
    """Make targets by a run that ends with `status`; the lines that a user is told as errors."""
    done = checkout.snakemake(*SNAKEMAKE, *targets, more=more, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == status, said[-3000:]
    assert "Traceback" not in said
    return [line.strip() for line in said.splitlines() if line.strip().startswith("error: ")]


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 64
    path.write_bytes(content)


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


# What is damaged, how, what is to be deleted, and a result that is made from it.
@pytest.mark.gate
@pytest.mark.parametrize(
    ("damaged", "damage", "delete", "result"),
    [
        (f"{ACTIVATIONS}/00001-of-00001.safetensors", flip_a_bit, ACTIVATIONS, f"{FEATURES}.sum.parquet"),
        (f"{FEATURES}.sum.parquet", cut_in_half, f"{FEATURES}.sum.parquet", f"{RADAR}/cross_validation.parquet"),
        (f"{FEATURES}.sum.parquet", flip_a_bit, f"{FEATURES}.sum.parquet", f"{RADAR}/cross_validation.parquet"),
        (f"{RADAR}/scores/radar_matched.parquet", flip_a_bit, None, f"{RADAR}/score_means.parquet"),
        ("results/grounding/reading.csv", cut_in_half, None, "results/figures/grounding_reading.pdf"),
        (f"results/downloads/{MODEL}.gguf", cut_in_half, None, f"results/models/{MODEL}"),
    ],
    ids=["activations", "half a table", "a bit of a table", "scores", "CSV", "half a download"],
)  # fmt: skip
def test_a_damaged_result_is_refused_and_made_again_once_it_is_deleted(
    tree: Checkout, damaged: str, damage: Callable[[Path], None], delete: str | None, result: str
) -> None:
    made, kept = tree.folder / result, (tree.folder / damaged).read_bytes()
    before = {path: path.read_bytes() for path in ([made] if made.is_file() else made.glob("*.safetensors"))}
    shutil.rmtree(made) if made.is_dir() else made.unlink()
    times = (tree.folder / damaged).stat()
    damage(tree.folder / damaged)
    os.utime(tree.folder / damaged, ns=(times.st_atime_ns, times.st_mtime_ns))  # by its time it looks as it was
    delete = delete or damaged
    assert run(tree, result, status=1) == [
        f"error: {damaged}: damaged, or changed since it was made; delete {delete} and run again"
    ]
    assert not made.exists()
    deleted = tree.folder / delete
    shutil.rmtree(deleted) if deleted.is_dir() else deleted.unlink()
    assert run(tree, result) == []
    assert (tree.folder / damaged).read_bytes() == kept
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.gate
def test_a_model_that_changes_under_a_run_is_refused_and_a_new_one_is_read_again(tree: Checkout) -> None:
    """The weights are trained on while the workflow reads them: no result mixes the two."""
    model = make_tiny_model("gpt2", tree.folder / "my-model")
    with (tree.folder / "config/models.yaml").open("a") as listed:
        listed.write("\nmine:\n  kind: local\n  label: Mine\n  folder: my-model\n")
    (tree.folder / "config/prompts/short.csv").write_text("id,prompt,label,category,source\na,One two,recall,c,s\n")
    activations = "results/activations/mine/short"
    run(tree, "results/models/mine")
    weights = model / "model.safetensors"
    times = weights.stat()
    flip_a_bit(weights)
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))  # as if it had been written a moment ago
    (line,) = run(tree, activations, status=1)
    assert line.startswith("error: results/models/mine/model.safetensors: damaged, or changed since it was made;")
    weights.touch()  # a newer file, as training leaves it: the model is read anew without a word
    assert run(tree, activations) == []
    assert (tree.folder / activations / "00001-of-00001.safetensors").exists()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("a disk can be mounted by root alone")
    yield disk
    subprocess.run(["umount", disk], check=True)


def with_model(checkout: Checkout, folder: Path) -> tuple[str, ...]:
    """The finished run's model, lent to another working directory."""
    (folder / "results/models").mkdir(parents=True)
    for path in (checkout.folder / "results/models").glob(f"{MODEL}*"):
        (folder / "results/models" / path.name).symlink_to(path)
    (folder / "results/downloads").symlink_to(checkout.folder / "results/downloads")
    return ("--directory", str(folder))


@pytest.mark.gate
def test_a_full_and_a_read_only_disk_are_said_in_one_line_and_lose_nothing(
    finished: Checkout, small_disk: Path, tmp_path: Path
) -> None:
    """All states are kept, in one file of 36 MB; they are those of which the finished run kept the summaries."""
    elsewhere, states = with_model(finished, small_disk), tmp_path / "states.yaml"
    states.write_text("capture: {keep: states}\n")
    assert run(finished, *elsewhere, ACTIVATIONS, more=states, status=1) == [
        "error: capture_activations: No space left on device; free some space and run again"
    ]
    assert not list(small_disk.glob("results/activations/**/*safetensors*"))

    remount = ["mount", "-o", "remount,{},size=300m", str(small_disk)]
    subprocess.run([word.format("ro") for word in remount], check=True)
    refused = finished.snakemake(*SNAKEMAKE, *elsewhere, ACTIVATIONS, more=states, check=False)
    assert refused.returncode == 1
    message = f"{small_disk}: read-only; make it writable, or run in another folder with --directory"
    assert message in refused.stderr.splitlines()
    assert "Traceback" not in refused.stderr

    subprocess.run([word.format("rw") for word in remount], check=True)
    assert run(finished, *elsewhere, ACTIVATIONS, more=states) == []
    kept, summaries = (list(iterate_summaries(folder / ACTIVATIONS)) for folder in (small_disk, finished.folder))
    assert len(kept) == len(summaries) == 30
    for mine, theirs in zip(kept, summaries, strict=True):
        for array, other in zip((*mine[:-1], *mine.states), (*theirs[:-1], *theirs.states), strict=True):
            assert np.array_equal(array, other)


@pytest.mark.gate
@pytest.mark.parametrize("folder", ["results", "logs", "benchmarks/results", ".snakemake"])
def test_a_folder_without_permission_to_write_is_said_in_one_line_before_any_job(tmp_path: Path, folder: str) -> None:
    """A dry run is refused only where it writes itself."""
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder).chmod(0o555)
    privileges = "-dac_override,-dac_read_search"  # by which root writes everywhere
    command = ["setpriv", "--bounding-set", privileges, "--inh-caps", privileges] if os.geteuid() == 0 else []
    command += [sys.executable, "-m", "snakemake", *SNAKEMAKE, "--snakefile", str(REPOSITORY / "Snakefile")]
    command += ["results/grounding/data/test.jsonl"]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    run = functools.partial(subprocess.run, cwd=tmp_path, env=environment, capture_output=True, text=True)
    refused = run(command)
    assert refused.returncode == 1
    message = f"{tmp_path / folder}: read-only; make it writable, or run in another folder with --directory"
    assert refused.stderr.splitlines().count(message) == 1, refused.stderr
    assert "Traceback" not in refused.stderr
    assert "Error in rule" not in refused.stderr
    assert run([*command, "--dry-run"]).returncode == (folder == ".snakemake")


@pytest.mark.gate
def test_a_repository_in_a_folder_with_a_space_and_an_apostrophe_runs_in_another_folder(tmp_path: Path) -> None:
    """The first job reads a file of the repository."""
    repository, elsewhere = copy_of_the_tree(tmp_path / "o'brien's files"), tmp_path / "work"
    command = [sys.executable, "-m", "snakemake", *SNAKEMAKE, "--directory", str(elsewhere)]
    command += ["results/grounding/data/test.jsonl"]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (elsewhere / "results/grounding/data/test.jsonl").read_text().startswith("{")


@pytest.mark.gate
def test_ctrl_c_ends_a_run_at_once_and_the_same_command_goes_on(finished: Checkout, tmp_path: Path) -> None:
    """A hundred prompts in passes of their own: the capture cannot end before it is interrupted."""
    activations = f"results/activations/{MODEL}/radar_test"
    command = [sys.executable, "-m", "snakemake", *SNAKEMAKE, *with_model(finished, tmp_path)]
    slow = tmp_path / "slow.yaml"
    slow.write_text("capture: {tokens_per_batch: 1}\n")
    command += ["--configfile", "config/test.yaml", str(slow), "--", activations]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    log = tmp_path / f"logs/models/capture_activations/{MODEL}/radar_test.log"
    # A shell makes what it starts in the background ignore Ctrl-C, and so would all that these tests start.
    heed = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command, cwd=finished.folder, env=os.environ | {"PATH": path}, start_new_session=True, preexec_fn=heed,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        while not (log.exists() and "prompt/s" in log.read_text()):  # it has begun to capture
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        interrupted = time.monotonic()
        printed = process.communicate(timeout=60)[0]
        assert time.monotonic() - interrupted < 30
    assert process.returncode != 0
    assert "error: capture_activations: interrupted; run again to go on" in printed
    assert "Traceback" not in printed
    assert not list(tmp_path.glob("results/activations/**/*safetensors*"))
    done = subprocess.run(command, cwd=finished.folder, env=os.environ | {"PATH": path}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / activations).glob("*.safetensors"))


@pytest.mark.gate
def test_a_clock_that_jumps_is_named_and_files_from_the_future_are_not_used_in_silence(tree: Checkout) -> None:
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
