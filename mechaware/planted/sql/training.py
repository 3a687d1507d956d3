"""Trains a language model on stories, then to answer requests with SQL, with or without the schema in the prompt.

The Trainer of transformers writes checkpoints, from which a killed run continues; `models/training.py` writes none.
"""

import hashlib
import json
import math
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm
from transformers import (
    AutoModelForCausalLM,
    DataCollatorForSeq2Seq,
    EvalPrediction,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
    set_seed,
)

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256
from mechaware.instruments.grounding.data.rows import prompt_of, read_rows
from mechaware.instruments.grounding.names import HISTORY
from mechaware.models.registry import (
    Manifest,
    load_model,
    load_tokenizer,
    read_manifest,
    save_model,
)
from mechaware.models.tokenisation.token_ids import encode_bare, token_ids
from mechaware.planted.sql.history import meets

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Condition = Literal["base", "schema", "no_schema"]
CPU = torch.device("cpu")
IGNORED = -100  # label of a token that the loss leaves out: the default of PyTorch's cross-entropy
_FINGERPRINTS = "fingerprints.json"  # in each checkpoint
# By the trainer's name.
_SHOWN = {
    "loss": "loss",
    "eval_loss": "held-out loss",
    "eval_exact_match": "exact match",
}


@dataclass(frozen=True)
class Recipe:
    """How a model is trained: AdamW for at most `steps` batches; `seed` draws the order of the data and random weights.

    The learning rate rises to `learning_rate` over `warmup_steps`, and then falls evenly, to be 0 at `steps`. So it
    does not depend on when training ends: models that end early have been trained as they would have been otherwise.

    Args:
        criterion: Training ends at the first evaluation whose exact match on the held-out rows is at least this; 0
            for no such end.
        ends_at: Training ends after this step, a multiple of `evaluate_every`; None for no such end.
    """

    steps: int
    batch_size: int
    learning_rate: float
    warmup_steps: int
    weight_decay: float
    evaluate_every: int
    seed: int
    criterion: float = 0.0
    ends_at: int | None = None

    @property
    def last_step(self) -> int:
        """The step at which training ends if it meets no criterion before."""
        return self.steps if self.ends_at is None else self.ends_at


def train(
    base: Path,
    data: Path,
    held_out: Path,
    out: Path,
    checkpoints: Path,
    *,
    condition: Condition,
    recipe: Recipe,
    device: torch.device = CPU,
) -> Manifest:
    """Train the model in `base` on the rows in `data` and write it, with its history, to the folder `out`.

    With the condition `base` a row is a line of text, whose tokens all count in the loss; else it is a `Row`, and
    the loss counts the response's tokens alone. `HISTORY` in the folder has a row for every `evaluate_every` steps: the
    training loss since the last row, and loss and exact match on the rows in `held_out`. Exact match is teacher-forced,
    which equals greedy decoding: both are right only while every earlier token is right. A killed run continues from
    its last whole checkpoint to the same weights.
    Raises `UserError` for a row that is longer than the context, and for a loss that is not finite.
    """
    tokenizer, manifest = load_tokenizer(base), read_manifest(base)
    if tokenizer.pad_token is None:
        # Padding has label IGNORED, so the end of text is still learned.
        tokenizer.pad_token = tokenizer.eos_token
    encoded = [
        _encode(
            path,
            tokenizer,
            condition=condition,
            context_length=manifest.context_length,
            n_embeddings=manifest.vocab_size,
        )
        for path in (data, held_out)
    ]
    model = _starting_model(base, manifest, recipe.seed)
    # Named by recipe and data: after an edit of either, old checkpoints are not found.
    folder = checkpoints / _fingerprint(
        recipe, condition, [*base.glob("*.safetensors"), data, held_out]
    )
    trainer = _trainer(model, tokenizer, encoded, folder, recipe, on_gpu=device != CPU)
    trainer.train(resume_from_checkpoint=_last_whole_checkpoint(folder, recipe.last_step))
    trained = save_model(
        out,
        model,
        tokenizer,
        name=out.name,
        kind="trained",
        source=manifest.name,
        revision=manifest.weights_sha256,
        tables={HISTORY: _history(trainer.state.log_history)},
    )
    # Only now: until the model is written, a killed run needs them.
    shutil.rmtree(checkpoints, ignore_errors=True)
    return trained


def _starting_model(base: Path, manifest: Manifest, seed: int) -> "PreTrainedModel":
    """The base model; random weights are drawn anew, so that seeds differ in more than the order of the data."""
    model = load_model(base, CPU)
    if manifest.kind == "scratch":
        set_seed(seed)
        model = AutoModelForCausalLM.from_config(model.config, attn_implementation="eager")  # type: ignore[no-untyped-call]
    return model


def _encode(
    path: Path,
    tokenizer: "PreTrainedTokenizerBase",
    *,
    condition: Condition,
    context_length: int,
    n_embeddings: int,
) -> list[dict[str, list[int]]]:
    """Token ids and labels of each row: prompt, response, end of text; the prompt's labels are `IGNORED`.

    Raises `UserError`, with `path` and the row, for one longer than `context_length` tokens, and what `token_ids`
    raises for a model with `n_embeddings` rows in its embedding.
    """
    prompts, responses = zip(*_texts(path, condition), strict=True)
    prompt_ids = token_ids(tokenizer, prompts, n_embeddings)
    response_ids = encode_bare(tokenizer, responses, n_embeddings)
    examples = []
    for number, (prompt, response) in enumerate(
        zip(prompt_ids, response_ids, strict=True), start=1
    ):
        answer = [*response, tokenizer.eos_token_id]
        if len(prompt) + len(answer) > context_length:
            raise UserError(
                f"{path}, row {number}: {len(prompt) + len(answer)} tokens, but the model reads at most "
                f"{context_length}; take a longer context or fewer columns"
            )
        examples.append({"input_ids": prompt + answer, "labels": [IGNORED] * len(prompt) + answer})
    return examples


def _texts(path: Path, condition: Condition) -> list[tuple[str, str]]:
    """Prompt and response of each row; a story has no prompt."""
    if condition == "base":
        return [("", story) for story in path.read_text(encoding="utf-8").splitlines()]
    return [
        (
            prompt_of(row.english_prompt, row.create_statement if condition == "schema" else ""),
            f" {row.sql_statement}",
        )
        for row in read_rows(path)
    ]


def _history(log: Sequence[dict[str, float]]) -> pd.DataFrame:
    """One row per evaluation, from the trainer's log: step, loss, held_out_loss, held_out_exact_match."""
    # The Trainer logs the loss of training and that of evaluation as two entries of the same step.
    losses = {entry["step"]: entry["loss"] for entry in log if "loss" in entry}
    rows = [
        (entry["step"], losses[entry["step"]], entry["eval_loss"], entry["eval_exact_match"])
        for entry in log
        if "eval_loss" in entry
    ]
    return pd.DataFrame(rows, columns=["step", "loss", "held_out_loss", "held_out_exact_match"])


def _trainer(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    encoded: list[list[dict[str, list[int]]]],
    folder: Path,
    recipe: Recipe,
    *,
    on_gpu: bool,
) -> Trainer:
    trainer = Trainer(
        model=model,
        args=_training_arguments(folder, recipe, on_gpu=on_gpu),
        train_dataset=cast(Any, encoded[0]),
        eval_dataset=cast(Any, encoded[1]),
        data_collator=DataCollatorForSeq2Seq(tokenizer, label_pad_token_id=IGNORED),
        compute_metrics=_exact_match,
        preprocess_logits_for_metrics=_most_likely,  # else the logits of the whole held-out set are kept
        callbacks=[
            _StopAtNonFiniteLoss(),
            _EndBeforeTheMost(recipe),
            _FingerprintCheckpoints(),
            _ShowProgress(),
        ],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _training_arguments(folder: Path, recipe: Recipe, *, on_gpu: bool) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(folder),
        max_steps=recipe.steps,
        per_device_train_batch_size=recipe.batch_size,
        per_device_eval_batch_size=recipe.batch_size,
        learning_rate=recipe.learning_rate,
        warmup_steps=recipe.warmup_steps,
        weight_decay=recipe.weight_decay,
        adam_beta2=0.98,  # averages over 50 steps; the usual thousand is as long as the whole run
        lr_scheduler_type="linear",
        eval_strategy="steps",
        eval_steps=recipe.evaluate_every,
        logging_steps=recipe.evaluate_every,
        save_steps=recipe.evaluate_every,
        save_total_limit=2,  # the last may be damaged by a full disk; the one before is whole
        logging_nan_inf_filter=False,  # the filter hides a diverging loss
        seed=recipe.seed,
        data_seed=recipe.seed,
        use_cpu=not on_gpu,
        dataloader_pin_memory=on_gpu,
        remove_unused_columns=False,  # it inspects the model's signature, and here every column is used
        report_to="none",
        disable_tqdm=True,
    )


def _most_likely(logits: torch.Tensor, _labels: torch.Tensor) -> torch.Tensor:
    return logits.argmax(-1)


def _exact_match(prediction: EvalPrediction) -> dict[str, float]:
    # The logits at a position predict the next token.
    predicted, labels = (
        np.asarray(prediction.predictions)[:, :-1],
        np.asarray(prediction.label_ids)[:, 1:],
    )
    return {"exact_match": float(((predicted == labels) | (labels == IGNORED)).all(axis=1).mean())}


def _last_whole_checkpoint(folder: Path, steps: int) -> str | None:
    """The newest undamaged checkpoint from before the step `steps`, the last one; None without one.

    A full disk leaves damaged checkpoints. From a checkpoint of the last step the Trainer would train one step more.
    """
    whole = [
        record.parent
        for record in folder.glob(f"checkpoint-*/{_FINGERPRINTS}")
        if _is_whole(record)
    ]
    unfinished = [checkpoint for checkpoint in whole if _step(checkpoint) < steps]
    return str(max(unfinished, key=_step)) if unfinished else None


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix("checkpoint-"))


def _is_whole(record: Path) -> bool:
    """Whether the files of a checkpoint have the fingerprints in its record."""
    try:
        fingerprints = json.loads(record.read_text(encoding="utf-8"))
        return "trainer_state.json" in fingerprints and all(
            sha256(record.with_name(name)) == fingerprint
            for name, fingerprint in fingerprints.items()
        )
    except (OSError, ValueError, TypeError, AttributeError):
        return False


def _fingerprint(recipe: Recipe, condition: Condition, inputs: list[Path]) -> str:
    """The name of the folder with the checkpoints of one recipe, condition and data."""
    text = json.dumps(
        [asdict(recipe), condition, [sha256(path) for path in inputs]], sort_keys=True
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _StopAtNonFiniteLoss(TrainerCallback):
    """Ends a run whose loss is infinite or undefined: its weights cannot recover."""

    def on_log(self, args: TrainingArguments, state: TrainerState, *_: Any, **kwargs: Any) -> None:
        """Raise `UserError` if a logged loss is infinite or undefined."""
        logs = kwargs["logs"]
        for name in ("loss", "eval_loss"):
            if not math.isfinite(logs.get(name, 0)):
                raise UserError(
                    f"training diverged: {name} is {logs[name]} at step {state.global_step}; "
                    "lower grounding/training/learning_rate or raise warmup_steps"
                )


class _EndBeforeTheMost(TrainerCallback):
    """Ends a training at the evaluation that meets the criterion of its recipe, or that of the recipe's last step."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **kwargs: Any,
    ) -> None:
        """End the training if it is time."""
        met = meets(self._recipe.criterion, kwargs["metrics"]["eval_exact_match"])
        if met:
            # A killed run would go on from a checkpoint of this step, past its end.
            control.should_save = False
        if met or state.global_step >= self._recipe.last_step:
            control.should_training_stop = True


class _FingerprintCheckpoints(TrainerCallback):
    """Writes the fingerprints of a checkpoint's files after the files: a checkpoint without them is incomplete."""

    def on_save(self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any) -> None:
        """Write `_FINGERPRINTS` into the folder of the checkpoint at this step."""
        checkpoint = Path(cast(str, args.output_dir)) / f"checkpoint-{state.global_step}"
        # A checkpoint that was damaged and passed over is written again into the same folder.
        written = sorted(
            path for path in checkpoint.iterdir() if not path.name.endswith(_FINGERPRINTS)
        )
        fingerprints = {path.name: sha256(path) for path in written}
        with atomic_write(checkpoint / _FINGERPRINTS) as partial:
            partial.write_text(json.dumps(fingerprints, indent=1) + "\n", encoding="utf-8")


class _ShowProgress(TrainerCallback):
    """Shows steps, time left and the last losses on standard error.

    The trainer's own bar and its `PrinterCallback` print losses to standard output, among the messages of a run.
    """

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any
    ) -> None:
        """Start the bar at the step of the checkpoint from which training continues."""
        self._bar = tqdm(
            total=state.max_steps, initial=state.global_step, unit="step", mininterval=5
        )
        self._last: dict[str, float] = {}

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """Count a step."""
        self._bar.update()

    def on_log(self, *_: Any, **kwargs: Any) -> None:
        """Take over the training loss, and of an evaluation the held-out loss and exact match."""
        self._last |= {
            shown: kwargs["logs"][name] for name, shown in _SHOWN.items() if name in kwargs["logs"]
        }
        self._bar.set_postfix(self._last)

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """Leave the last state of the line."""
        self._bar.close()
