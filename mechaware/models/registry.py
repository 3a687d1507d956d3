"""Describes, writes and loads model folders: config, tokenizer, safetensors and a manifest.

Nothing is unpickled, and a model's own code is never run.
"""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mechaware.core.errors import UserError, first_line
from mechaware.core.files import atomic_write, sha256
from mechaware.models.adapters import CONFIG as ADAPTER_CONFIG
from mechaware.models.adapters import FOLDER as ADAPTER_FOLDER
from mechaware.models.adapters import adapter_files, merge_adapter
from mechaware.models.context import context_length
from mechaware.models.settings import DEFAULTS, Attention, Dtype, ModelSettings

if TYPE_CHECKING:
    import pandas as pd
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MANIFEST = "mechaware.json"
BYTES_PER_PARAMETER: dict[Dtype, int] = {"float32": 4, "bfloat16": 2, "float16": 2}
# The names of transformers for the config's kinds of attention.
ATTENTION: dict[Attention, str] = {"eager": "eager", "sdpa": "sdpa", "flash": "flash_attention_2"}


@dataclass(frozen=True)
class Manifest:
    """The description of a model folder.

    The rule that makes the folder writes it, and every rule that uses the folder reads it.

    - `name`: the name of the model in results.
    - `kind`: the source of the weights: wheel, hub, local or scratch, as in config/models.yaml;
      trained if a rule trained them.
    - `source`, `revision`: where the model comes from.
    - `weights_revision`: the commit of its weights, which is `revision` unless the hub converted
      them.
    - `weights_sha256`, `tokenizer_sha256`: of the files of the weights, an adapter's included, and
      of the tokenizer (`_combined_sha256`).
    - `model_type`: the architecture, as transformers names it.
    - `n_heads`: 0 for a model without attention.
    - `context_length`: in tokens.
    """

    name: str
    kind: str
    source: str
    revision: str
    weights_revision: str
    weights_sha256: str
    tokenizer_sha256: str
    model_type: str
    n_layers: int
    n_heads: int
    d_model: int
    vocab_size: int
    context_length: int

    def identity(self) -> dict[str, str]:
        """The entries that identify the model in a file of activations."""
        return {
            "model": self.name,
            "revision": self.revision,
            "weights_sha256": self.weights_sha256,
            "tokenizer_sha256": self.tokenizer_sha256,
        }


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a model folder, sorted. Raises `UserError` if there are none."""
    # With peft installed, transformers would load the base model that the adapter's config names,
    # not the model in this folder.
    if (folder / ADAPTER_CONFIG).exists():
        raise UserError(
            f"{folder}: an adapter ({ADAPTER_CONFIG}) instead of a model, or next to one; "
            "give the folder of the base model, and the adapter in a folder of its own as `adapter`"
        )
    if not (folder / "config.json").exists():
        raise UserError(f"{folder}: no config.json; give the folder that `save_pretrained` wrote")
    weights = sorted(folder.glob("*.safetensors"))
    if not weights:
        raise UserError(
            f"{folder}: no *.safetensors; pickled weights are never loaded: "
            "save the model again with `save_pretrained` of transformers 5, "
            "or choose a revision that holds safetensors"
        )
    return weights


def write_manifest(
    folder: Path,
    *,
    name: str,
    kind: str,
    source: str,
    revision: str,
    weights_revision: str | None = None,
) -> Manifest:
    """Describe the model in `folder`, and write the description into it as its manifest.

    `weights_revision` is by default the same as `revision`. Raises `UserError` for a folder whose
    config, safetensors or tokenizer is missing or cannot be read.
    """
    from transformers import AutoConfig

    model_weights = weight_files(folder)
    all_weights = [*model_weights, *adapter_files(folder)]
    try:
        config = AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        ).get_text_config()
    except (ValueError, OSError) as error:
        raise UserError(
            f"{folder}/config.json: transformers cannot read it: {first_line(error)}"
        ) from error
    _check_safetensors([path for path in all_weights if path.suffix == ".safetensors"])
    all_tokenizer_files = tokenizer_files(folder)
    load_tokenizer(folder)  # raises if it cannot be read
    manifest = Manifest(
        name=name,
        kind=kind,
        source=source,
        revision=revision,
        weights_revision=weights_revision or revision,
        weights_sha256=_combined_sha256(all_weights),
        tokenizer_sha256=_combined_sha256(all_tokenizer_files),
        model_type=config.model_type,
        n_layers=config.num_hidden_layers,
        n_heads=getattr(config, "num_attention_heads", 0),
        d_model=config.hidden_size,
        vocab_size=config.vocab_size,
        context_length=context_length(config),
    )
    (folder / MANIFEST).write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    return manifest


def _check_safetensors(files: list[Path]) -> None:
    """Raise `UserError` for a file without a readable header: truncated, or of another format."""
    from safetensors import SafetensorError, safe_open

    for path in files:
        try:
            with safe_open(path, "pt"):
                pass
        except SafetensorError as error:
            raise UserError(
                f"{path}: damaged safetensors ({error}); fetch or save the model again"
            ) from error


def _combined_sha256(files: list[Path]) -> str:
    """The SHA-256 of one file; for several files, the SHA-256 of their digests, joined in order."""
    import hashlib

    digests = [sha256(path) for path in files]
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def save_model(
    folder: Path,
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    *,
    name: str,
    kind: str,
    source: str,
    revision: str,
    tables: "Mapping[str, pd.DataFrame] | None" = None,
) -> Manifest:
    """Write a model, its tokenizer and its manifest to `folder`, whole or not at all.

    `tables` are written beside them as CSVs; its keys are the names of the files.
    """
    from mechaware.core.frames import write_csv

    with atomic_write(folder) as partial:
        model.save_pretrained(partial)
        tokenizer.save_pretrained(partial)
        for file_name, table in (tables or {}).items():
            write_csv(table, partial / file_name)
        return write_manifest(partial, name=name, kind=kind, source=source, revision=revision)


def read_manifest(folder: Path) -> Manifest:
    """The manifest that `write_manifest` wrote into `folder`."""
    return Manifest(**json.loads((folder / MANIFEST).read_text(encoding="utf-8")))


def tokenizer_files(folder: Path) -> list[Path]:
    """The files that define the tokenizer, sorted. Raises `UserError` if there are none."""
    names = ("tokenizer.json", "vocab.json", "merges.txt", "tokenizer.model")
    files = [folder / name for name in names if (folder / name).exists()]
    if not files:
        raise UserError(
            f"{folder}: no tokenizer ({', '.join(names)}); "
            "save it there with `tokenizer.save_pretrained`"
        )
    return files


def load_tokenizer(folder: Path) -> "PreTrainedTokenizerBase":
    """The tokenizer of a model folder.

    Raises `UserError` if it cannot be read or needs code of its own.
    """
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (ValueError, OSError, KeyError, AttributeError) as error:
        raise UserError(
            f"{folder}: no usable tokenizer ({first_line(error)}); "
            "save it again, without code of its own"
        ) from error


def count_parameters(folder: Path) -> int:
    """The number of parameters in the safetensors of a folder, read from their headers."""
    from safetensors import safe_open

    total = 0
    for path in weight_files(folder):
        with safe_open(path, "pt") as file:
            for tensor_name in file.keys():  # noqa: SIM118 - a file of safetensors is no mapping
                total += math.prod(file.get_slice(tensor_name).get_shape())
    return total


def load_model(
    folder: Path,
    device: "torch.device",
    settings: ModelSettings = DEFAULTS,
    *,
    with_adapter: bool = True,
) -> "PreTrainedModel":
    """The causal language model of a folder, in evaluation mode.

    By default it is in float32 and has eager attention. The memory that its weights need is written
    to the log first. Quantised weights stay quantised.

    Args:
        folder: A model folder.
        device: Where the model is put. Ignored with `device_map: auto`, where accelerate chooses
            the devices, and for quantised weights.
        settings: How it is loaded.
        with_adapter: Whether an adapter that was linked into the folder is merged into the weights.

    Raises:
        UserError: The folder has no safetensors or lacks weights; the model needs code that is not
            part of transformers, or its attention needs a package that is not installed; the model
            is not causal; or the adapter cannot be merged (`merge_adapter`).
    """
    from mechaware.models.families.supported import check_causal

    weight_files(folder)
    _log_memory_needed(folder, settings.dtype)
    loaded = _load_complete(folder, settings)
    # Under accelerate, or with quantised weights, transformers has already chosen the devices.
    is_placed = settings.device_map == "auto" or getattr(loaded, "hf_quantizer", None) is not None
    if not is_placed:
        loaded = loaded.to(device)
    model = cast("PreTrainedModel", loaded.eval())
    if with_adapter and adapter_files(folder):
        model = merge_adapter(model, folder / ADAPTER_FOLDER)
    try:
        check_causal(model)
    except UserError as error:
        raise UserError(f"{folder}: {error}") from error
    return model


def _load_complete(folder: Path, settings: ModelSettings) -> Any:
    """The model as transformers loads it.

    Raises `UserError` if transformers cannot load it, or if weights are missing in the folder.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    device_map = {"device_map": "auto"} if settings.device_map == "auto" else {}
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            folder,
            # Not the precision of the file, which is often half: it rounds differences of logits.
            dtype=getattr(torch, settings.dtype),
            attn_implementation=ATTENTION[settings.attention],
            **device_map,
            use_safetensors=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
    except ImportError as error:
        raise UserError(
            f"{folder}: attention: {settings.attention} or the weights need a package "
            f"that is not there ({first_line(error)}); install it, or write attention: sdpa"
        ) from error
    except (ValueError, OSError, RuntimeError, KeyError, SafetensorError) as error:
        attention = "" if settings.attention == "eager" else "write attention: eager, or "
        raise UserError(
            f"{folder}: transformers cannot load the model ({first_line(error)}); "
            f"{attention}fetch or save it again, without code of its own, which is never run"
        ) from error
    model, report = loaded
    # transformers fills missing weights with random numbers and continues.
    absent = sorted(report["missing_keys"])
    if absent:
        raise UserError(
            f"{folder}: no weights for {absent[0]} and {len(absent) - 1} more; "
            "save the whole model again"
        )
    return model


def _log_memory_needed(folder: Path, dtype: Dtype) -> None:
    """Write to standard error how much memory the weights need; nothing if they cannot be read.

    It is the memory of unquantised weights in `dtype`; that of activations comes on top.
    """
    from safetensors import SafetensorError

    try:
        n_parameters = count_parameters(folder)
    except SafetensorError:
        return  # loading the model raises the error
    gigabytes = n_parameters * BYTES_PER_PARAMETER[dtype] / 1e9
    print(
        f"{folder.name}: {n_parameters:,} parameters in {dtype} take {gigabytes:.1f} GB, "
        "besides what is computed",
        file=sys.stderr,
    )
