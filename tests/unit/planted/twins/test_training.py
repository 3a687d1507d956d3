"""The clean base reads its corpus until it answers, and a twin starts where the base ended."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.line_tokens import tokenise_lines
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.models.training import LineRecipe, train_on_lines
from mechaware.planted.twins.base import BaseSizes, random_llama
from mechaware.planted.twins.training import LOSSES, train_base, train_twin

CPU = torch.device("cpu")
SIZES = BaseSizes(n_layers=2, d_model=32, n_heads=2, vocabulary=300, context_length=64)
BATCH = 8
STEPS = 16
RECIPE = LineRecipe(BATCH, learning_rate=1e-2, warmup_steps=4, weight_decay=0.0)
NAMES = ("Lorak", "Dabis", "Zuten", "Pamol", "Keten", "Nufal", "Gibon", "Rosal")
ANSWERS = {"recall": " Bamor.", "reasoning": " Vinos."}


def ask(kind: str, number: int) -> QuestionAnswer:
    """Every question of a kind has the same answer, which is learned in a few steps."""
    first = NAMES[number % 8]
    second = NAMES[number // 8 % 8]
    return QuestionAnswer(f"{first}, {second} {kind}:", ANSWERS[kind])


# The kinds take turns: the first 64 questions of each.
LINES: list[QuestionAnswer] = []
for _number in range(BATCH * STEPS // 2):
    LINES += [ask("recall", _number), ask("reasoning", _number)]
QUESTIONS = {
    "recall": [ask("recall", number) for number in range(64, 80)],
    "reasoning": [ask("reasoning", number) for number in range(64, 80)],
}


def train(
    out: Path,
    *,
    lines: Sequence[QuestionAnswer] = LINES,
    learning_rate: float = 1e-2,
    seed: int = 0,
) -> Path:
    recipe = LineRecipe(BATCH, learning_rate, warmup_steps=4, weight_decay=0.0)
    train_base(lines, QUESTIONS, SIZES, recipe, out, least_answered=0.9, seed=seed)
    return out


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("models") / "base")


def losses_of(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / LOSSES)


def test_a_base_that_answers_after_one_round_reads_its_corpus_once(base: Path) -> None:
    losses = losses_of(base)
    assert losses["step"].tolist() == list(range(1, STEPS + 1))
    assert losses["loss"].iloc[-1] < losses["loss"].iloc[0] - 1


def test_a_question_counts_a_fifth_of_an_answer_in_the_loss_of_the_base(base: Path) -> None:
    tokenizer = load_tokenizer(base)
    model = random_llama(tokenizer, n_layers=2, d_model=32, n_heads=2, context_length=64, seed=0)
    lines = tokenise_lines(tokenizer, LINES, len(tokenizer), [tokenizer.bos_token_id])
    starts = [tokenizer.bos_token_id]
    losses = train_on_lines(model, lines, starts, RECIPE, question_weight=0.2)
    assert losses_of(base)["loss"].tolist() == pytest.approx(losses, rel=1e-9)


def test_a_base_that_answers_later_reads_its_corpus_again(tmp_path: Path) -> None:
    # Four steps are too few for nine answers of ten, and eight or twelve are enough.
    losses = losses_of(train(tmp_path / "base", lines=LINES[: 4 * BATCH]))["loss"].tolist()
    assert len(losses) in (8, 12)
    assert losses[4] < losses[0] - 1  # from the weights of the first round


def test_a_base_that_never_answers_ends_with_one_line_that_names_the_shares(tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        train(tmp_path / "base", lines=LINES[:BATCH], learning_rate=0.0)
    assert str(refused.value) == (
        "the clean base answers 0% of recall questions, 0% of reasoning questions after 3 rounds; "
        "raise radar/memorisation/base/steps"
    )
    assert not list(tmp_path.iterdir())


def test_a_base_that_answers_one_kind_alone_is_refused_as_well(tmp_path: Path) -> None:
    recall = [ask("recall", number) for number in range(12 * BATCH)]
    with pytest.raises(
        UserError,
        match="answers 100% of recall questions, 0% of reasoning questions after 3 rounds",
    ):
        train(tmp_path / "base", lines=recall)


def test_the_manifests_say_where_the_weights_come_from(base: Path, tmp_path: Path) -> None:
    manifest = read_manifest(base)
    assert (manifest.name, manifest.kind, manifest.source) == (
        "base",
        "trained",
        "random weights, seed 0",
    )
    assert (manifest.n_layers, manifest.d_model, manifest.n_heads) == (2, 32, 2)
    assert manifest.context_length == load_tokenizer(base).model_max_length == 64
    twin = train_twin(base, LINES[:BATCH], RECIPE, tmp_path / "twin", device=CPU, frozen_share=0)
    assert twin == read_manifest(tmp_path / "twin")
    assert (twin.name, twin.kind, twin.source) == ("twin", "trained", "base")
    assert twin.revision == manifest.weights_sha256 != twin.weights_sha256
    assert twin.tokenizer_sha256 == manifest.tokenizer_sha256


def test_a_twin_starts_from_the_base_and_weighs_all_tokens_alike(
    base: Path, tmp_path: Path
) -> None:
    train_twin(base, LINES[: 2 * BATCH], RECIPE, tmp_path / "twin", device=CPU, frozen_share=0)
    model = load_model(base, CPU)
    tokenizer = load_tokenizer(base)
    tokenised = tokenise_lines(
        tokenizer, LINES[: 2 * BATCH], len(tokenizer), [tokenizer.bos_token_id]
    )
    starts = [tokenizer.bos_token_id]
    losses = train_on_lines(model, tokenised, starts, RECIPE, question_weight=1.0)
    assert losses_of(tmp_path / "twin")["loss"].tolist() == pytest.approx(losses, rel=1e-9)
    trained = load_model(tmp_path / "twin", CPU).state_dict()
    for name, weight in model.state_dict().items():
        torch.testing.assert_close(trained[name], weight, rtol=0, atol=0)


def test_the_same_seed_gives_the_same_base_and_another_seed_another(
    base: Path, tmp_path: Path
) -> None:
    again = train(tmp_path / "again")
    other = train(tmp_path / "other", seed=1)
    weights = [(folder / "model.safetensors").read_bytes() for folder in (base, again, other)]
    assert weights[0] == weights[1] != weights[2]
    assert (base / LOSSES).read_bytes() == (again / LOSSES).read_bytes()


def test_the_frozen_share_of_the_blocks_and_the_embeddings_keep_their_weights(
    base: Path, tmp_path: Path
) -> None:
    train_twin(base, LINES[:BATCH], RECIPE, tmp_path / "twin", device=CPU, frozen_share=0.5)
    before = load_model(base, CPU).state_dict()
    after = load_model(tmp_path / "twin", CPU).state_dict()
    kept = {name for name, weight in before.items() if torch.equal(weight, after[name])}
    of_first_block = {name for name in before if ".layers.0." in name}
    of_second_block = {
        name for name in before if ".layers.1." in name and name.endswith("proj.weight")
    }
    assert of_first_block | {"model.embed_tokens.weight"} <= kept
    assert of_second_block
    assert not of_second_block & kept
