"""Trains a language model on stories, then to answer requests with SQL, with or without a schema.

The Trainer of transformers writes checkpoints, from which a killed run continues;
`models/training.py` writes none.
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
from mechaware.core.files import sha256
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
from mechaware.planted.sql.checkpoints import FingerprintCheckpoints, last_whole_checkpoint
from mechaware.planted.sql.history import meets

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Condition = Literal["base", "schema", "no_schema"]
CPU = torch.device("cpu")
IGNORED = -100  # label of a token that the loss leaves out: the default of PyTorch's cross-entropy
# What the progress bar shows: names in the trainer's log, and what the bar calls them.
_SHOWN = {
    "loss": "loss",
    "eval_loss": "held-out loss",
    "eval_exact_match": "exact match",
}


@dataclass(frozen=True)
class Recipe:
    """How a model is trained: by AdamW, for at most `steps` batches.

    The learning rate rises evenly to `learning_rate` over `warmup_steps`, then falls evenly to 0 at
    `steps`. It does not depend on when training ends: up to its last step, a model that ends early
    is trained like one that does not.

    Args:
        steps: The most batches that a model is trained on.
        batch_size: Rows in a batch.
        learning_rate: The highest learning rate.
        warmup_steps: The number of batches over which the learning rate rises.
        weight_decay: The weight decay of AdamW.
        evaluate_every: Batches from one evaluation on the held-out rows to the next.
        seed: Draws the order of the data, and the random weights of a base that was not trained.
        criterion: Training ends at the first evaluation whose exact match on the held-out rows, 0
            to 1, is at least this; 0 for no such end.
    """

    steps: int
    batch_size: int
    learning_rate: float
    warmup_steps: int
    weight_decay: float
    evaluate_every: int
    seed: int
    criterion: float = 0.0


def train(
    base: Path,
    data: Path,
    held_out: Path,
    out: Path,
    checkpoints: Path,
    *,
    condition: Condition,
    recipe: Recipe,
    ends_at: int | None = None,
    device: torch.device = CPU,
) -> Manifest:
    """Train the model in `base` on the rows in `data`, and write it with its history to `out`.

    With the condition `base` a row is a line of text, and all of its tokens count in the loss. With
    the others it is a `Row`, and only the tokens of the response count.

    `HISTORY` in the folder `out` has a row for every `evaluate_every` steps: the mean training loss
    since the row before, and loss and exact match on the rows in `held_out`. Exact match is
    teacher-forced: every token is predicted from the true tokens before it. Greedy decoding has the
    same exact match: there again, all tokens before the first wrong one are true.

    Training also ends after the step `ends_at`, a multiple of `evaluate_every`, if it is given.

    Checkpoints are written below `checkpoints`, and removed when the model is written. A killed
    run, started again, continues from its last whole checkpoint and ends with the same weights.

    Raises:
        UserError: A row is longer than the context, or a loss is not finite.
    """
    tokenizer = load_tokenizer(base)
    manifest = read_manifest(base)
    if tokenizer.pad_token is None:
        # Padding has label IGNORED, so the end of text is still learned.
        tokenizer.pad_token = tokenizer.eos_token

    def encode(path: Path) -> list[dict[str, list[int]]]:
        return _encode(
            path,
            tokenizer,
            condition=condition,
            context_length=manifest.context_length,
            n_embeddings=manifest.vocab_size,
        )

    encoded = encode(data)
    encoded_held_out = encode(held_out)
    model = _starting_model(base, manifest, recipe.seed)

    # The folder's name follows from recipe and data: after an edit of either, old checkpoints are
    # not found.
    inputs = [*base.glob("*.safetensors"), data, held_out]
    last_step = recipe.steps if ends_at is None else ends_at
    folder = checkpoints / _fingerprint(recipe, last_step, condition, inputs)
    trainer = _trainer(
        model,
        tokenizer,
        encoded,
        encoded_held_out,
        folder,
        recipe,
        last_step=last_step,
        on_gpu=device != CPU,
    )
    trainer.train(resume_from_checkpoint=last_whole_checkpoint(folder, last_step))

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
    # Until the model is written, a killed run needs its checkpoints.
    shutil.rmtree(checkpoints, ignore_errors=True)
    return trained


def _starting_model(base: Path, manifest: Manifest, seed: int) -> "PreTrainedModel":
    """The base model; the weights of one that was never trained are drawn anew.

    Otherwise its seeds would differ in the order of the data alone.
    """
    model = load_model(base, CPU)
    if manifest.kind == "scratch":
        set_seed(seed)
        model = AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]
            model.config, attn_implementation="eager"
        )
    return model


def _encode(
    path: Path,
    tokenizer: "PreTrainedTokenizerBase",
    *,
    condition: Condition,
    context_length: int,
    n_embeddings: int,
) -> list[dict[str, list[int]]]:
    """The token ids of each row (prompt, response, end of text), and their labels.

    A label is the token itself, or `IGNORED` for one that the loss leaves out. With the prompt
    [5, 6], the response [7] and the end of text 0:

        input_ids    5     6     7    0
        labels    -100  -100     7    0

    Raises `UserError`, with `path` and the row's number, for a row of more than `context_length`
    tokens, and what `token_ids` raises for a model with `n_embeddings` rows in its embedding.
    """
    prompts, responses = zip(*_texts(path, condition), strict=True)
    prompt_ids = token_ids(tokenizer, prompts, n_embeddings)
    response_ids = encode_bare(tokenizer, responses, n_embeddings)
    examples = []
    for number, (prompt, response) in enumerate(
        zip(prompt_ids, response_ids, strict=True), start=1
    ):
        answer = [*response, tokenizer.eos_token_id]
        input_ids = prompt + answer
        labels = [IGNORED] * len(prompt) + answer
        if len(input_ids) > context_length:
            raise UserError(
                f"{path}, row {number}: {len(input_ids)} tokens, but the model reads at most "
                f"{context_length}; take a longer context or fewer columns"
            )
        examples.append({"input_ids": input_ids, "labels": labels})
    return examples


def _texts(path: Path, condition: Condition) -> list[tuple[str, str]]:
    """Prompt and response of each row; a story has no prompt."""
    if condition == "base":
        stories = path.read_text(encoding="utf-8").splitlines()
        return [("", story) for story in stories]

    texts = []
    for row in read_rows(path):
        schema = row.create_statement if condition == "schema" else ""
        texts.append((prompt_of(row.english_prompt, schema), f" {row.sql_statement}"))
    return texts


def _history(log: Sequence[dict[str, float]]) -> pd.DataFrame:
    """A row for each evaluation in the Trainer's log.

    Columns: step, loss, held_out_loss, held_out_exact_match.
    """
    # The Trainer logs the training loss and the evaluation as two entries of the same step.
    training_loss = {entry["step"]: entry["loss"] for entry in log if "loss" in entry}
    evaluations = [entry for entry in log if "eval_loss" in entry]
    rows = []
    for entry in evaluations:
        step = entry["step"]
        rows.append((step, training_loss[step], entry["eval_loss"], entry["eval_exact_match"]))
    return pd.DataFrame(rows, columns=["step", "loss", "held_out_loss", "held_out_exact_match"])


def _trainer(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    encoded: list[dict[str, list[int]]],
    encoded_held_out: list[dict[str, list[int]]],
    folder: Path,
    recipe: Recipe,
    *,
    last_step: int,
    on_gpu: bool,
) -> Trainer:
    """The Trainer of a recipe, with checkpoints in `folder`.

    It ends at the criterion, or else at `last_step`.
    """
    trainer = Trainer(
        model=model,
        args=_training_arguments(folder, recipe, on_gpu=on_gpu),
        train_dataset=cast(Any, encoded),
        eval_dataset=cast(Any, encoded_held_out),
        data_collator=DataCollatorForSeq2Seq(tokenizer, label_pad_token_id=IGNORED),
        compute_metrics=_exact_match,
        # Otherwise the logits of the whole held-out set would be kept.
        preprocess_logits_for_metrics=_most_likely,
        callbacks=[
            _StopAtNonFiniteLoss(),
            _EndTraining(recipe.criterion, last_step),
            FingerprintCheckpoints(),
            _ShowProgress(),
        ],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _training_arguments(folder: Path, recipe: Recipe, *, on_gpu: bool) -> TrainingArguments:
    """The recipe as the Trainer takes it; a checkpoint is written at each evaluation."""
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
        save_total_limit=2,  # if a full disk damages the last, the one before is whole
        logging_nan_inf_filter=False,  # the filter hides a diverging loss
        seed=recipe.seed,
        data_seed=recipe.seed,
        use_cpu=not on_gpu,
        dataloader_pin_memory=on_gpu,
        # The removal would inspect the model's signature, and every column here is used.
        remove_unused_columns=False,
        report_to="none",
        disable_tqdm=True,
    )


def _most_likely(logits: torch.Tensor, _labels: torch.Tensor) -> torch.Tensor:
    return logits.argmax(-1)


def _exact_match(prediction: EvalPrediction) -> dict[str, float]:
    """The share of rows in which every token that counts in the loss is predicted."""
    # The logits at a position predict the next token.
    predicted = np.asarray(prediction.predictions)[:, :-1]
    labels = np.asarray(prediction.label_ids)[:, 1:]
    is_right = (predicted == labels) | (labels == IGNORED)
    return {"exact_match": float(is_right.all(axis=1).mean())}


def _fingerprint(recipe: Recipe, last_step: int, condition: Condition, inputs: list[Path]) -> str:
    """The name of the folder with the checkpoints of one recipe, last step, condition and data."""
    contents = [sha256(path) for path in inputs]
    text = json.dumps([asdict(recipe), last_step, condition, contents], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _StopAtNonFiniteLoss(TrainerCallback):
    """Ends a training whose loss is infinite or undefined: its weights cannot recover."""

    def on_log(self, args: TrainingArguments, state: TrainerState, *_: Any, **kwargs: Any) -> None:
        """Raise `UserError` if a logged loss is infinite or undefined."""
        logs = kwargs["logs"]
        for name in ("loss", "eval_loss"):
            if not math.isfinite(logs.get(name, 0)):
                raise UserError(
                    f"training diverged: {name} is {logs[name]} at step {state.global_step}; "
                    "lower grounding/training/learning_rate or raise warmup_steps"
                )


class _EndTraining(TrainerCallback):
    """Ends training at the first evaluation that meets the criterion, or else at the last step."""

    def __init__(self, criterion: float, last_step: int) -> None:
        self._criterion = criterion
        self._last_step = last_step

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **kwargs: Any,
    ) -> None:
        """End the training at an evaluation that meets the criterion, or at the last step."""
        met = meets(self._criterion, kwargs["metrics"]["eval_exact_match"])
        if met:
            # A killed run would continue from a checkpoint of this step, past its end.
            control.should_save = False
        if met or state.global_step >= self._last_step:
            control.should_training_stop = True


class _ShowProgress(TrainerCallback):
    """Shows steps, time left and the last losses on standard error.

    The Trainer's own bar and its `PrinterCallback` print losses to standard output, among the
    messages of a run.
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
        """Show the logged training loss, or the held-out loss and exact match of an evaluation."""
        logs = kwargs["logs"]
        for name, shown in _SHOWN.items():
            if name in logs:
                self._last[shown] = logs[name]
        self._bar.set_postfix(self._last)

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """Keep the bar's last line on the screen."""
        self._bar.close()
