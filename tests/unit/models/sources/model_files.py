"""How tests compare a model that was fetched or linked with the model at its source."""

import hashlib
from pathlib import Path

import torch

from mechaware.models.registry import load_model, load_tokenizer

CPU = torch.device("cpu")


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def assert_same_model(folder: Path, expected: Path) -> None:
    """Both folders load, and give the same logits for the same text."""
    text = "The capital of France is"
    ids = load_tokenizer(folder)(text, return_tensors="pt").input_ids
    assert ids.tolist() == [load_tokenizer(expected)(text).input_ids]
    with torch.inference_mode():
        logits = load_model(folder, CPU)(ids).logits
        assert torch.equal(logits, load_model(expected, CPU)(ids).logits)
