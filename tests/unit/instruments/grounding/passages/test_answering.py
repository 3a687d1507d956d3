"""Scores of options against a run of the whole text, one text at a time, and a tie of options."""

import copy

import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from mechaware.core.evaluation_log.passages import PassageItem
from mechaware.instruments.grounding.passages.answering import answer_questions, option_scores
from mechaware.instruments.grounding.passages.asking import Question, TokenisedPrompt, tokenise
from mechaware.instruments.grounding.tasks.reading import ModelLimits
from tests.unit.instruments.grounding.pairs_by_hand import make_model

TEXT = "### Instruction: Show the fee of all"


@pytest.fixture(scope="module")
def model_and_tokenizer(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    return make_model(tmp_path_factory.mktemp("answering"), n_blocks=1)


def score_by_whole_text(model: PreTrainedModel, prompt: TokenisedPrompt) -> list[float]:
    """For each option, the sum of the log-probabilities of its tokens."""
    scores = []
    for ids, begin in zip(prompt.options, prompt.begins, strict=True):
        with torch.no_grad():
            log_probs = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        # A token's probability is read at the position before it.
        score = sum(float(log_probs[index - 1, ids[index]]) for index in range(begin, len(ids)))
        scores.append(score)
    return scores


def test_scores_are_those_of_the_whole_text_in_the_order_of_the_prompts(
    model_and_tokenizer: tuple[PreTrainedModel, PreTrainedTokenizerBase],
) -> None:
    """Options of one token and of several are scored in different passes."""
    model, tokenizer = model_and_tokenizer
    limits = ModelLimits(context=64, n_embeddings=len(tokenizer))
    options_of_prompts = [
        (" price", " city"),
        (" price city", " team"),
        (" pet", " song", " team"),
        (" pet song", " city team pet"),
    ]
    prompts = [tokenise(TEXT, options, tokenizer, limits) for options in options_of_prompts]
    one_token = [prompt.one_token_options for prompt in prompts]
    assert one_token == [True, False, True, False]

    scores = option_scores(model, prompts)

    for prompt, scores_of_prompt in zip(prompts, scores, strict=True):
        assert scores_of_prompt == pytest.approx(score_by_whole_text(model, prompt), abs=1e-5)


@pytest.mark.parametrize("options", [(" price", " city"), (" price city", " city price")])
def test_prompts_of_one_kind_alone_are_scored(
    model_and_tokenizer: tuple[PreTrainedModel, PreTrainedTokenizerBase], options: tuple[str, str]
) -> None:
    model, tokenizer = model_and_tokenizer
    prompt = tokenise(TEXT, options, tokenizer, ModelLimits(64, len(tokenizer)))

    assert option_scores(model, [prompt]) == [
        pytest.approx(score_by_whole_text(model, prompt), abs=1e-5)
    ]


@pytest.mark.parametrize("options", [(" price", " city"), (" city", " price")])
def test_of_options_that_are_equally_likely_the_first_is_the_answer(
    model_and_tokenizer: tuple[PreTrainedModel, PreTrainedTokenizerBase], options: tuple[str, str]
) -> None:
    model, tokenizer = model_and_tokenizer
    # Without weights every token has the logit 0.
    indifferent = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in indifferent.parameters():
            parameter.zero_()
    item = PassageItem("a", "", TEXT, "", options, accepted=(" price",), correct=1.0)
    prompt = tokenise(TEXT, options, tokenizer, ModelLimits(64, len(tokenizer)))

    answers = answer_questions(
        indifferent, tokenizer, [Question(item, "", {"own": prompt}, new_tokens=0)]
    )

    assert answers["answer"].tolist() == [options[0]]
