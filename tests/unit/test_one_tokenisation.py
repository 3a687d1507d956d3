"""Every public function reads the same tokens of a text,
whatever its tokenizer puts around it by itself.
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

BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())
START, END, N_TOKENS = 256, 257, 258
BOTH_ENDS, END_ALONE, START_ALONE, NEITHER = "<s> $A </s>", "$A </s>", "<s> $A", "$A"
PROMPTS = ["Rome is", "Twice 4 is more than", "Oslo lies in"]
ITEMS = [("Who wrote it?", "Ann"), ("Where is it?", "There"), ("", "A text alone")]
# An item of each kind that begins with the start token: before the question, with a space before,
# in a statement.
STARTED = [("<s>Who wrote it?", "Ann"), (" <s>Where is it?", "There"), ("", "<s>A text alone")]
PAIRS = [
    {"pair": name, "prompt": prompt, "text": f"{start}x={word} y=red x:", "wanted": word, "against": other,
     "options": f"{word}|red"}
    for name, start, clean, corrupted in (("a", "", "dog", "cat"), ("b", "<s>", "cog", "dat"))
    for prompt, word, other in (("clean", clean, corrupted), ("corrupted", corrupted, clean))
]  # fmt: skip


def read_by(template: str, *extra: str) -> LoadedModel:
    """One model, and a tokenizer of a token for each byte,
    that puts before and behind a text what `template` has.
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
    fast.add_tokens(list(extra))  # without a row of the embedding
    return ma.load((network, fast))


def ids(text: str) -> list[int]:
    """One for each letter of a text without accents:
    in GPT-2's alphabet of bytes only the space has another letter.
    """
    return [BYTES.index("Ġ" if letter == " " else letter) for letter in text]


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
    model = read_by(template)
    activations = ma.radar.activations(model, [text])
    assert activations.token_counts.tolist() == [len(expected)]
    with torch.inference_mode():
        states = model.network(torch.tensor([expected]), output_hidden_states=True).hidden_states[
            1
        ][0]
    torch.testing.assert_close(activations.hidden_states[:, 0], states, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("template", "without_end"), [(BOTH_ENDS, START_ALONE), (END_ALONE, NEITHER)]
)
def test_features_are_those_of_the_tokenizer_without_its_end_token(
    template: str, without_end: str
) -> None:
    expected = ma.radar.features(read_by(without_end), PROMPTS)
    pd.testing.assert_frame_equal(
        ma.radar.features(read_by(template), PROMPTS), expected, check_exact=True
    )


@pytest.mark.parametrize("template", [BOTH_ENDS, START_ALONE])
def test_features_of_a_text_that_begins_with_the_start_token_are_those_of_the_text(
    template: str,
) -> None:
    model = read_by(template)
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
    """Of every detector, the reference's and the prefixes' too."""
    model = read_by(template)
    other = read_by(template)._replace(
        network=tiny_llama(model.tokenizer, context_length=512, seed=1)
    )
    about = {"reference": other, "start_token": start, "name": "mine"}
    expected = ma.radar.detect(model, ITEMS, unseen=["Never read."], **about)
    found = ma.radar.detect(model, STARTED, unseen=["<s>Never read."], **about)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)

    # The loss by hand: every token of the text is scored, each behind the start token and those
    # before it.
    losses = []
    for question, answer in ITEMS:
        text = [START, *ids(f"{question} {answer}" if question else answer)]
        with torch.inference_mode():
            log_probs = model.network(torch.tensor([text])).logits[0, :-1].double().log_softmax(-1)
        losses.append(float(log_probs.gather(-1, torch.tensor(text[1:])[:, None]).mean()))
    np.testing.assert_allclose(found["loss"], losses, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("template", "without_end"), [(BOTH_ENDS, START_ALONE), (END_ALONE, NEITHER)]
)
def test_a_tasks_verdict_is_that_of_the_tokenizer_without_its_end_token(
    template: str, without_end: str
) -> None:
    found, expected = (ma.patch(read_by(each), PAIRS) for each in (template, without_end))
    assert repr(found) == repr(expected)


def test_a_tasks_prompts_have_the_start_token_once() -> None:
    """All that was measured is the same; one of the two texts as written is longer by the
    start token's letters.
    """
    plain = [row | {"text": str(row["text"]).removeprefix("<s>")} for row in PAIRS]
    found, expected = (ma.patch(read_by(BOTH_ENDS), rows) for rows in (PAIRS, plain))
    assert (found.status, found.reason) == (expected.status, expected.reason)
    assert found.evidence.text_length == expected.evidence.text_length + len("<s>") / 2
    same_length = found.evidence._replace(text_length=expected.evidence.text_length)
    assert repr(same_length) == repr(expected.evidence)


@pytest.mark.parametrize(
    ("template", "without_end"), [(BOTH_ENDS, START_ALONE), (END_ALONE, NEITHER)]
)
def test_a_prompt_is_continued_from_its_text_not_from_an_end_token(
    template: str, without_end: str
) -> None:
    prompts = [
        Prompt(text, text, "recall", "c", "s", row=2) for text in (*PROMPTS, f"<s>{PROMPTS[0]}")
    ]
    settings = {"answer_tokens": 6, "tokens_per_batch": 200}
    found, expected = (
        answer_prompts(*read_by(each)[:2], prompts, **settings) for each in (template, without_end)
    )
    pd.testing.assert_frame_equal(found, expected)
    assert found["decoded"].iloc[:3].nunique() == 3


def test_a_model_is_trained_on_the_prompts_that_it_is_asked(tmp_path: Path) -> None:
    """The end token of the tokenizer's template lay between prompt and response."""
    (tmp_path / "stories.txt").write_text("Rome is\n")
    about = {"context_length": 64, "n_embeddings": N_TOKENS}
    for template, start in ((BOTH_ENDS, [START]), (END_ALONE, [])):
        (example,) = _encode(
            tmp_path / "stories.txt", read_by(template).tokenizer, condition="base", **about
        )
        assert example["input_ids"] == [*start, *ids("Rome is"), END]


BEYOND = (
    r"^the tokenizer of {} puts '<extra>', id 258, in the text '{}', but the model's embedding has 258 rows "
    r"\(ids 0 to 257\); use the model's own tokenizer, or call resize_token_embeddings\(len\(tokenizer\)\) on the "
    r"model and save both again$"
)


def test_a_token_that_the_model_lacks_is_one_line_of_every_function(tmp_path: Path) -> None:
    model = read_by(BOTH_ENDS, "<extra>")
    with pytest.raises(ma.UserError, match=BEYOND.format("the model", "a <extra>")):
        ma.radar.features(model, ["Rome", "a <extra>"])
    with pytest.raises(ma.UserError, match=BEYOND.format("the model", r"Who\? <extra>")):
        ma.radar.detect(model, [("Who?", "Ann"), ("Who?", "<extra>")])
    rows = [row | {"text": f"<extra>{row['text']}"} for row in PAIRS]
    with pytest.raises(ma.UserError, match=BEYOND.format("the model", "<extra>x=dog y=red x:")):
        ma.patch(model, rows)
    prompts = [Prompt("p", "a <extra>", "recall", "c", "s", row=2)]
    with pytest.raises(ma.UserError, match=BEYOND.format("the model", "a <extra>")):
        answer_prompts(*model[:2], prompts, answer_tokens=2, tokens_per_batch=50)

    # The workflow's command: the folder is named, and the network need not be loaded.
    folder = tmp_path / "mine"
    save_model(folder, *model[:2], name="mine", kind="local", source="here", revision="local")
    table = tmp_path / "prompts.csv"
    table.write_text("id,prompt,label,category,source\np,a <extra>,recall,c,s\n")
    with pytest.raises(ma.UserError, match=BEYOND.format(folder, "a <extra>")):
        capture_activations.main(
            model=folder,
            prompts=table,
            tokens_per_batch=99,
            shard_bytes=1 << 20,
            keep="states",
            out=tmp_path / "out",
        )


def test_an_embedding_that_was_resized_or_padded_is_none() -> None:
    model = read_by(START_ALONE, "<extra>")
    model.network.resize_token_embeddings(320, mean_resizing=False)
    assert ma.radar.activations(model, ["a<extra>"]).token_counts.tolist() == [3]
