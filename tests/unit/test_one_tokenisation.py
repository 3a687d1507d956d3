"""Every public function reads a text as the same tokens, whatever the tokenizer puts around the
text by default: at most one start token, and no end token.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

import mechaware as ma
from mechaware.instruments.radar.answers import answer_prompts
from mechaware.instruments.radar.evidence import continuations
from mechaware.instruments.radar.prompts import Prompt
from mechaware.models.opening import LoadedModel
from mechaware.models.registry import save_model
from mechaware.planted.sql.training import _encode
from scripts.models import capture_activations
from tests.unit.models.tiny_llama import tiny_llama

# The 256 characters by which GPT-2 writes bytes. The id of a token is its place in this list; the
# start token and the end token follow.
BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())
START = 256
END = 257
N_TOKENS = 258
# What a tokenizer puts around a text, $A.
BOTH_ENDS = "<s> $A </s>"
END_ALONE = "$A </s>"
START_ALONE = "<s> $A"
NEITHER = "$A"

PROMPTS = ["Rome is", "Twice 4 is more than", "Oslo lies in"]
ITEMS = [("Who wrote it?", "Ann"), ("Where is it?", "There"), ("", "A text alone")]
# The same items with the start token typed at the beginning of the question, after a space there,
# and at the beginning of an answer without a question.
STARTED = [("<s>Who wrote it?", "Ann"), (" <s>Where is it?", "There"), ("", "<s>A text alone")]


def pair_rows(pair: str, clean: str, corrupted: str, *, start: str = "") -> list[dict[str, str]]:
    """The clean and the corrupted prompt of a pair, which differ in the word that is wanted.

    `start` is typed before both.
    """

    def row(prompt: str, wanted: str, against: str) -> dict[str, str]:
        return {
            "pair": pair,
            "prompt": prompt,
            "text": f"{start}x={wanted} y=red x:",
            "wanted": wanted,
            "against": against,
            "options": f"{wanted}|red",
        }

    return [row("clean", clean, corrupted), row("corrupted", corrupted, clean)]


# A task of two pairs, one of which has the start token typed before its prompts.
PAIRS = pair_rows("a", "dog", "cat") + pair_rows("b", "cog", "dat", start="<s>")


def model_with(template: str, *extra: str) -> LoadedModel:
    """The same model for every template, with a tokenizer that has a token for each byte and puts
    around a text what the template has.

    `extra` are further tokens, for which the model's embedding has no row.
    """
    vocabulary = {token: index for index, token in enumerate([*BYTES, "<s>", "</s>"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=[("<s>", START), ("</s>", END)]
    )
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    network = tiny_llama(fast, context_length=512)
    fast.add_tokens(list(extra))
    return ma.load((network, fast))


def ids(text: str) -> list[int]:
    """The token ids of a text of printable ASCII characters, one for each.

    GPT-2 writes the byte of a space as Ġ, and each other of these bytes as the character itself.
    """
    return [BYTES.index(character) for character in text.replace(" ", "Ġ")]


@pytest.mark.parametrize(
    ("template", "text", "expected"),
    [
        (BOTH_ENDS, "Rome is", [START, *ids("Rome is")]),
        (BOTH_ENDS, "<s>Rome is", [START, *ids("Rome is")]),
        (END_ALONE, "Rome is", ids("Rome is")),
        (START_ALONE, "<s>Rome is", [START, *ids("Rome is")]),
        (START_ALONE, "<s>", [START]),
        (NEITHER, "<s>Rome is", [START, *ids("Rome is")]),
    ],
)
def test_activations_are_those_of_ids_written_by_hand(
    template: str, text: str, expected: list[int]
) -> None:
    model = model_with(template)
    activations = ma.radar.activations(model, [text])

    assert activations.token_counts.tolist() == [len(expected)]

    with torch.inference_mode():
        output = model.network(torch.tensor([expected]), output_hidden_states=True)
    # hidden_states[0] is the embedding, and hidden_states[1] follows the first block.
    after_first_block = output.hidden_states[1][0]
    torch.testing.assert_close(
        activations.hidden_states[:, 0], after_first_block, rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize(
    ("template", "without_end"), [(BOTH_ENDS, START_ALONE), (END_ALONE, NEITHER)]
)
def test_features_are_those_of_the_tokenizer_without_its_end_token(
    template: str, without_end: str
) -> None:
    expected = ma.radar.features(model_with(without_end), PROMPTS)
    pd.testing.assert_frame_equal(
        ma.radar.features(model_with(template), PROMPTS), expected, check_exact=True
    )


@pytest.mark.parametrize("template", [BOTH_ENDS, START_ALONE])
def test_features_of_a_text_that_begins_with_the_start_token_are_those_of_the_text(
    template: str,
) -> None:
    model = model_with(template)
    started = [f"<s>{PROMPTS[0]}", f"  <s>{PROMPTS[1]}", f"<s><s>{PROMPTS[2]}"]
    expected = ma.radar.features(model, PROMPTS)
    pd.testing.assert_frame_equal(ma.radar.features(model, started), expected, check_exact=True)


@pytest.fixture
def _short_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(continuations, "SAMPLED_TOKENS", 4)


@pytest.mark.usefixtures("_short_samples")
@pytest.mark.parametrize(("template", "start"), [(BOTH_ENDS, "auto"), (NEITHER, "always")])
def test_scores_of_items_that_begin_with_the_start_token_are_those_of_the_items(
    template: str, start: str
) -> None:
    """The scores of all detectors, among them those that compare with a reference model and those
    that put an unseen text before an item.
    """
    model = model_with(template)
    other_network = tiny_llama(model.tokenizer, context_length=512, seed=1)
    reference = model_with(template)._replace(network=other_network)
    settings = {"reference": reference, "start_token": start, "name": "mine"}
    expected = ma.radar.detect(model, ITEMS, unseen=["Never read."], **settings)
    found = ma.radar.detect(model, STARTED, unseen=["<s>Never read."], **settings)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)

    # The score `loss` by hand: the mean log-probability of the text's tokens, each after the start
    # token and the tokens before it.
    scores = []
    for text in ("Who wrote it? Ann", "Where is it? There", "A text alone"):
        tokens = torch.tensor([START, *ids(text)])
        with torch.inference_mode():
            logits = model.network(tokens[None]).logits[0, :-1].double()
        log_probs = logits.log_softmax(-1)
        of_next_token = log_probs.gather(-1, tokens[1:, None])
        scores.append(float(of_next_token.mean()))
    np.testing.assert_allclose(found["loss"], scores, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("template", "without_end"), [(BOTH_ENDS, START_ALONE), (END_ALONE, NEITHER)]
)
def test_a_tasks_verdict_is_that_of_the_tokenizer_without_its_end_token(
    template: str, without_end: str
) -> None:
    found = ma.patch(model_with(template), PAIRS)
    expected = ma.patch(model_with(without_end), PAIRS)
    assert repr(found) == repr(expected)


def test_a_tasks_prompts_have_the_start_token_once() -> None:
    """A start token that is typed before a prompt changes nothing but the length of the text."""
    without_start = pair_rows("a", "dog", "cat") + pair_rows("b", "cog", "dat")
    found = ma.patch(model_with(BOTH_ENDS), PAIRS)
    expected = ma.patch(model_with(BOTH_ENDS), without_start)

    assert (found.status, found.reason) == (expected.status, expected.reason)
    # The median over two clean prompts, one of which is longer by three characters.
    assert found.evidence.text_length == expected.evidence.text_length + len("<s>") / 2
    same_length = found.evidence._replace(text_length=expected.evidence.text_length)
    assert repr(same_length) == repr(expected.evidence)


def recall_prompt(text: str) -> Prompt:
    """A prompt whose id is its text."""
    return Prompt(id=text, prompt=text, label="recall", category="c", source="s", row=2)


@pytest.mark.parametrize(
    ("template", "without_end"), [(BOTH_ENDS, START_ALONE), (END_ALONE, NEITHER)]
)
def test_a_prompt_is_continued_from_its_text_not_from_an_end_token(
    template: str, without_end: str
) -> None:
    prompts = [recall_prompt(text) for text in (*PROMPTS, f"<s>{PROMPTS[0]}")]
    settings = {"answer_tokens": 6, "tokens_per_batch": 200}
    model = model_with(template)
    found = answer_prompts(model.network, model.tokenizer, prompts, **settings)
    reference = model_with(without_end)
    expected = answer_prompts(reference.network, reference.tokenizer, prompts, **settings)

    pd.testing.assert_frame_equal(found, expected)
    # The continuations depend on the prompts.
    assert found["decoded"].iloc[: len(PROMPTS)].nunique() == len(PROMPTS)


def test_a_model_is_trained_on_the_prompts_that_it_is_asked(tmp_path: Path) -> None:
    """A story is the response to an empty prompt. An end token that the tokenizer put behind the
    prompt would come before the story.
    """
    stories = tmp_path / "stories.txt"
    stories.write_text("Rome is\n")
    for template, prompt in ((BOTH_ENDS, [START]), (END_ALONE, [])):
        (example,) = _encode(
            stories,
            model_with(template).tokenizer,
            condition="base",
            context_length=64,
            n_embeddings=N_TOKENS,
        )
        assert example["input_ids"] == [*prompt, *ids("Rome is"), END]


# The message, with the name of the model and the text.
BEYOND_EMBEDDING = (
    r"^the tokenizer of {} puts '<extra>', id 258, in the text '{}', but the model's embedding has 258 rows "
    r"\(ids 0 to 257\); use the model's own tokenizer, or call resize_token_embeddings\(len\(tokenizer\)\) on the "
    r"model and save both again$"
)


def test_a_token_that_the_model_lacks_is_one_line_of_every_function(tmp_path: Path) -> None:
    model = model_with(BOTH_ENDS, "<extra>")
    with pytest.raises(ma.UserError, match=BEYOND_EMBEDDING.format("the model", "a <extra>")):
        ma.radar.features(model, ["Rome", "a <extra>"])
    with pytest.raises(ma.UserError, match=BEYOND_EMBEDDING.format("the model", r"Who\? <extra>")):
        ma.radar.detect(model, [("Who?", "Ann"), ("Who?", "<extra>")])
    rows = [row | {"text": f"<extra>{row['text']}"} for row in PAIRS]
    with pytest.raises(
        ma.UserError, match=BEYOND_EMBEDDING.format("the model", "<extra>x=dog y=red x:")
    ):
        ma.patch(model, rows)
    with pytest.raises(ma.UserError, match=BEYOND_EMBEDDING.format("the model", "a <extra>")):
        answer_prompts(
            model.network,
            model.tokenizer,
            [recall_prompt("a <extra>")],
            answer_tokens=2,
            tokens_per_batch=50,
        )

    # The workflow's command names the folder of the model, and fails before it loads the network.
    folder = tmp_path / "mine"
    save_model(
        folder,
        model.network,
        model.tokenizer,
        name="mine",
        kind="local",
        source="here",
        revision="local",
    )
    table = tmp_path / "prompts.csv"
    table.write_text("id,prompt,label,category,source\np,a <extra>,recall,c,s\n")
    with pytest.raises(ma.UserError, match=BEYOND_EMBEDDING.format(folder, "a <extra>")):
        capture_activations.main(
            model=folder,
            prompts=table,
            tokens_per_batch=99,
            shard_bytes=1 << 20,
            keep="states",
            out=tmp_path / "out",
        )


def test_an_added_token_is_read_after_the_embedding_was_resized_and_padded() -> None:
    model = model_with(START_ALONE, "<extra>")
    # More rows than the tokenizer's 259 tokens.
    model.network.resize_token_embeddings(320, mean_resizing=False)
    activations = ma.radar.activations(model, ["a<extra>"])
    # The start token, `a` and `<extra>`.
    assert activations.token_counts.tolist() == [3]
