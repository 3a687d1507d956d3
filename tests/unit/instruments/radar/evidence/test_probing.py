"""The evidence of probes for docstrings, against plain loops over the model."""

import copy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import PreTrainedModel

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.evidence.probes import probe_evidence, probe_table
from mechaware.instruments.radar.evidence.probing import OTHERS, draw_others, measure_probes
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.fine_tuning import EPOCHS, LEARNING_RATE, TEXTS_PER_STEP
from tests.unit.models.ascent_by_hand import after_a_step, mean_log_prob
from tests.unit.models.tiny_llama import tiny_llama, with_start, without_start


def docstring(function: object) -> str:
    """The first 90 characters of a docstring, on one line."""
    return " ".join(str(function.__doc__).split())[:90]


# The texts of two benchmarks.
NUMPY = [docstring(function) for function in (np.linalg.norm, np.histogram, np.interp)]
PANDAS = [docstring(function) for function in (pd.concat, pd.merge, pd.cut, pd.read_csv)]
TEXTS = [*NUMPY, *PANDAS]
BENCHMARKS = ["numpy"] * len(NUMPY) + ["pandas"] * len(PANDAS)
# The texts of the fine-tuning.
UNREAD = [
    docstring(np.argsort),
    docstring(np.cross),
    docstring(np.einsum),
    docstring(np.kron),
    docstring(np.unique),
    docstring(pd.melt),
    docstring(pd.pivot),
    docstring(pd.unique),
]
SEED = 5


def trained_in_a_plain_loop(model: PreTrainedModel, texts: list[list[int]]) -> PreTrainedModel:
    """A copy after `EPOCHS` epochs of one step each: all texts fit one step."""
    assert len(texts) <= TEXTS_PER_STEP
    tuned = copy.deepcopy(model)
    for weight in tuned.parameters():
        weight.requires_grad_()
    optimiser = torch.optim.AdamW(tuned.parameters(), lr=LEARNING_RATE, weight_decay=0)
    for _ in range(EPOCHS):
        optimiser.zero_grad()
        total = sum(mean_log_prob(tuned, ids, list(range(1, len(ids)))) for ids in texts)
        loss = -total / len(texts)
        loss.backward()
        optimiser.step()
    return tuned


@pytest.mark.parametrize("tokenizer_of", [with_start, without_start])
def test_the_evidence_equals_plain_loops_over_the_model(tokenizer_of: type) -> None:
    tokenizer = tokenizer_of(TEXTS)
    model = tiny_llama(tokenizer, context_length=512)
    lines = [QuestionAnswer("", text) for text in TEXTS]
    unread = [QuestionAnswer("", text) for text in UNREAD]
    evidence = measure_probes(
        TokenisedModel(model, tokenizer, 4096), lines, BENCHMARKS, unread, seed=SEED
    )
    assert evidence.after_fine_tuning is not None

    start = [tokenizer.eos_token_id] if tokenizer_of is with_start else []
    unread_ids = [start + tokenizer(text, add_special_tokens=False).input_ids for text in UNREAD]
    tuned = trained_in_a_plain_loop(model, unread_ids)
    texts_ids = [tokenizer(text, add_special_tokens=False).input_ids for text in TEXTS]
    for row, others in enumerate(draw_others(BENCHMARKS, SEED)):
        ids = start + texts_ids[row]
        # The first token, which is the start token if there is one, is context.
        scored = list(range(1, len(ids)))
        n_scored = len(scored)
        with torch.no_grad():
            alone = float(mean_log_prob(model, ids, scored))
        assert evidence.log_probs[row] == pytest.approx(alone, rel=1e-5)
        assert evidence.after_ascent is not None
        assert evidence.after_ascent[row] == pytest.approx(
            after_a_step(model, ids, scored), rel=1e-5
        )

        with torch.no_grad():
            after_fine_tuning = float(mean_log_prob(tuned, ids, scored))
        assert evidence.after_fine_tuning[row] == pytest.approx(after_fine_tuning, rel=1e-5)
        # The fine-tuning has more effect than the tolerance allows.
        assert abs(after_fine_tuning - alone) > 0.001

        # Every other text is followed by the end-of-text token. After them the same tokens of the
        # text are scored as without them: its last ones.
        before = list(start)
        for other in others:
            before += [*texts_ids[other], tokenizer.eos_token_id]
        together = before + texts_ids[row]
        last = list(range(len(together) - n_scored, len(together)))
        with torch.no_grad():
            behind_others = float(mean_log_prob(model, together, last))
        assert evidence.behind_others is not None
        assert evidence.behind_others[row] == pytest.approx(behind_others, rel=1e-5)


def test_others_are_of_the_same_benchmark_and_not_the_text_itself() -> None:
    drawn = draw_others(BENCHMARKS, SEED)
    # Each of the three texts of numpy has two others; each of the four of pandas has `OTHERS`.
    assert [len(others) for others in drawn] == [2, 2, 2, OTHERS, OTHERS, OTHERS, OTHERS]
    for row, others in enumerate(drawn):
        assert row not in others
        assert len(set(others)) == len(others)
        assert {BENCHMARKS[other] for other in others} == {BENCHMARKS[row]}


def test_others_depend_on_the_text_and_on_the_seed() -> None:
    twelve_texts = ["one benchmark"] * 12
    drawn = draw_others(twelve_texts, SEED)
    assert len({tuple(others) for others in drawn}) > 1
    assert draw_others(twelve_texts, SEED + 1) != drawn


def test_evidence_in_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    """A few texts under a model of two blocks, each of which has seven projections."""
    tokenizer = with_start(TEXTS)
    model = TokenisedModel(tiny_llama(tokenizer, context_length=512), tokenizer, 4096)
    lines = [QuestionAnswer("", text) for text in TEXTS]
    unread = [QuestionAnswer("", text) for text in UNREAD]
    evidence = measure_probes(model, lines, BENCHMARKS, unread, seed=SEED)
    assert evidence.projection_norms is not None
    assert evidence.projection_norms.shape == (len(TEXTS), 2 * 7)

    write_parquet(probe_table(evidence), tmp_path / "probes.parquet")
    back = probe_evidence(pd.read_parquet(tmp_path / "probes.parquet"))
    for field, values in evidence._asdict().items():
        assert np.array_equal(getattr(back, field), values)
    without = evidence._replace(projection_norms=None)
    assert probe_evidence(probe_table(without)).projection_norms is None
