"""What a user sees who got something wrong: one line that says what, where and what to do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Checkout
from tests.tiny_models import make_tiny_model


def refused(checkout: Checkout, tmp_path: Path, config: str) -> str:
    """The message of a dry run with `config` on top."""
    more = tmp_path / "more.yaml"
    more.write_text(config)
    run = checkout.snakemake("-n", more=more, check=False)
    assert run.returncode != 0
    said = run.stdout + run.stderr  # a dry run speaks on standard output
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("radar: {fold: 3}", "config, radar: unknown key 'fold'; did you mean 'folds'?"),
        ("seeed: 3", "config: unknown key 'seeed'; did you mean 'seed'?"),
        (
            "figures: {radar_scores: {size: 3}}",
            "figures/radar_scores: unknown key 'size'; did you mean 'marker_size'?",
        ),
        ("radar: {attention_entropy_reduction: median}", "attention_entropy_reduction: 'median'; write sum or mean"),
        ("radar: {folds: 5.0}", "config, radar/folds: 5.0; write a whole number"),
        ("confidence_level: .nan", "config, confidence_level: nan; write a number"),
        ("radar: {models: smollm2}", "config, radar/models: 'smollm2'; write a list in square brackets"),
        ("radar: {folds: 1}", "config, radar/folds: 1 is less than the minimum of 2"),
        ("radar: {models: [smollm-135m-instruct]}", "did you mean 'smollm2-135m-instruct'?"),
        (
            "radar: {evaluate: [mine]}",
            "config/prompts/mine.csv: no such file; add it, or take 'mine' out of the config",
        ),
        ("radar: {evaluate: [radar_train]}", "config, radar/evaluate: 'radar_train' is the training set; take it out"),
        (
            "radar: {folds: 16}",
            "radar_train.csv: 15 recall prompts, but radar/folds is 16; add recall prompts or lower",
        ),
    ],
)
def test_a_config_that_cannot_be_used_is_refused_in_one_line(
    checkout: Checkout, tmp_path: Path, config: str, message: str
) -> None:
    said = refused(checkout, tmp_path, config)
    assert len([line for line in said.splitlines() if message in line]) == 1, said


def test_a_prompt_set_in_latin_1_is_refused_before_anything_runs(checkout: Checkout, tmp_path: Path) -> None:
    path = checkout.folder / "config/prompts/latin.csv"
    path.write_bytes("id,prompt,label,category,source\na,Café,recall,c,s\n".encode("latin-1"))
    try:
        message = "config/prompts/latin.csv, row 2: not UTF-8 (byte 0xE9); save the file as UTF-8"
        assert message in refused(checkout, tmp_path, "radar: {evaluate: [latin]}")
    finally:
        path.unlink()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{kind: hub, label: X, repo: a/b, revison: x}", "x: unknown key 'revison'; did you mean 'revision'?"),
        ("{kind: pickle, label: X}", "config/models.yaml, x/kind: 'pickle'; write wheel or hub or local"),
        ("{kind: local, label: X}", "config/models.yaml, x: key 'folder' is missing; add it"),
        ("{kind: local, label: X", "not YAML (expected ',' or '}', but got '<stream end>'); correct the line"),
        (
            "{kind: hub, label: X, repo: a/b, revision: main}",
            "'main' does not fit; write: A commit of the",
        ),
    ],
)
def test_a_bad_entry_among_the_models_is_refused(checkout: Checkout, entry: str, message: str) -> None:
    path = checkout.folder / "config/models.yaml"
    kept = path.read_text()
    path.write_text(f"{kept}\nx: {entry}\n")
    try:
        run = checkout.snakemake("-n", check=False)
        assert run.returncode != 0
        assert message in run.stdout
    finally:
        path.write_text(kept)


def command(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", f"scripts.{script}", *map(str, arguments)],
        cwd=REPOSITORY,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )


def test_a_prompt_longer_than_the_context_is_refused_by_row(tmp_path: Path) -> None:
    make_tiny_model("gpt2", tmp_path / "source")
    source, model, out = tmp_path / "source", tmp_path / "m", tmp_path / "a.safetensors"
    linked = command("models.link_local_model", "--name", "tiny", "--folder", source, "--out", model)
    assert linked.returncode == 0, linked.stderr
    prompts = tmp_path / "mine.csv"
    prompts.write_text(f"id,prompt,label,category,source\na,short,recall,c,s\nb,{'long ' * 20}end,recall,c,s\n")
    options = ("--model", model, "--prompts", prompts, "--tokens-per-batch", "9", "--out", out)
    run = command("models.capture_activations", *options)
    assert run.returncode != 0
    # 20 times five bytes and three: the tiny models read bytes, at most 64.
    expected = f"error: {prompts}, row 3: 103 tokens, but tiny reads at most 64; shorten the prompt or choose a model"
    assert run.stderr.startswith(expected)
    assert len(run.stderr.splitlines()) == 1
    assert not out.exists()


def test_a_model_folder_without_safetensors_fails_alone(checkout: Checkout, tmp_path: Path) -> None:
    """With --keep-going the other models finish; here the other model is a tiny one."""
    make_tiny_model("gpt2", tmp_path / "pickled")
    (tmp_path / "pickled/model.safetensors").rename(tmp_path / "pickled/pytorch_model.bin")
    make_tiny_model("llama", tmp_path / "good")
    path = checkout.folder / "config/models.yaml"
    kept = path.read_text()
    entries = "".join(f"\n{n}: {{kind: local, label: {n}, folder: {tmp_path / n}}}\n" for n in ("pickled", "good"))
    path.write_text(kept + entries)
    try:
        run = checkout.snakemake(
            "--cores", "1", "--keep-going", "results/models/pickled", "results/models/good", check=False
        )
        assert run.returncode != 0
        assert f"error: {tmp_path / 'pickled'}: no *.safetensors; pickled weights are never loaded" in run.stderr
        assert (checkout.folder / "results/models/good/mechaware.json").exists()
        assert not (checkout.folder / "results/models/pickled").exists()
    finally:
        path.write_text(kept)
