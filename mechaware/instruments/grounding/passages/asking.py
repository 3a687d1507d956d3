"""The three prompts of each item as tokens: with its own passage, another one, and none.

Only a tokenizer is needed, so that faults are found before weights are loaded.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.passages import MIN_ITEMS, MIN_PASSAGES, PassageItem
from mechaware.core.rows import list_faults
from mechaware.instruments.grounding.passages.exchange import exchange_passages
from mechaware.instruments.grounding.tasks.reading import ModelLimits
from mechaware.instruments.grounding.tokens import n_shared
from mechaware.models.tokenisation.token_ids import token_ids

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# A written answer may have more tokens than the longest accepted one, for the words around it.
_SPARE_TOKENS = 16
_MAX_ANSWER_TOKENS = 64


class TokenisedPrompt(NamedTuple):
    """A prompt as the model reads it.

    - `text`: without white space at its end.
    - `options`: for each option, the token ids of the prompt and the option; for an item without
      options, one list, of the prompt's ids.
    - `begins`: for each option, the index of its first token in its list of `options`; empty
      without options.
    """

    text: str
    options: list[list[int]]
    begins: list[int]

    @property
    def one_token_options(self) -> bool:
        """Whether every option is one token, after the same tokens of the prompt."""
        lengths = {len(ids) for ids in self.options}
        return len(lengths) == 1 and set(self.begins) == {max(lengths) - 1}


class Question(NamedTuple):
    """An item and its three prompts.

    - `exchanged`: the passage that the item gets in place of its own.
    - `prompts`: by condition, with the item's own passage (`own`), with `exchanged` (`exchanged`)
      and without a passage (`none`).
    - `new_tokens`: the most tokens that the model may write as its answer; 0 for an item with
      options.
    """

    item: PassageItem
    exchanged: str
    prompts: dict[str, TokenisedPrompt]
    new_tokens: int


def ask_items(
    items: Sequence[PassageItem],
    tokenizer: "PreTrainedTokenizerBase",
    limits: ModelLimits,
    seed: int,
) -> tuple[list[Question], list[str]]:
    """The items whose three prompts the model can read, and why it cannot read others, a line each.

    A prompt without a passage keeps the words that surround the passage in the log. Passages are
    exchanged, by `seed`, among the items whose own prompt can be read. Raises `UserError` if fewer
    than `MIN_ITEMS` items or `MIN_PASSAGES` passages are left.
    """
    max_answer_tokens = _max_answer_tokens(items, tokenizer, limits)
    readable: list[tuple[PassageItem, TokenisedPrompt]] = []  # with the prompt of the own passage
    faults = []
    for item in items:
        prompt = tokenise(item.prompt(item.passage), item.options, tokenizer, limits)
        new_tokens = 0 if item.options else max_answer_tokens
        fault = _fault([prompt], new_tokens, limits.context)
        if fault:
            faults.append(f"sample {item.id}: {fault}")
        else:
            readable.append((item, prompt))

    # Only among readable items: a passage that is too long would make another item unreadable.
    other_passages = exchange_passages([item.passage for item, _ in readable], seed)
    questions = []
    for item, prompt in readable:
        exchanged = other_passages[item.passage]
        prompts = {
            "own": prompt,
            "exchanged": tokenise(item.prompt(exchanged), item.options, tokenizer, limits),
            "none": tokenise(item.prompt(""), item.options, tokenizer, limits),
        }
        new_tokens = 0 if item.options else max_answer_tokens
        fault = _fault(prompts.values(), new_tokens, limits.context)
        if fault:
            faults.append(f"sample {item.id}: {fault}")
        else:
            questions.append(Question(item, exchanged, prompts, new_tokens))

    n_passages = len({question.item.passage for question in questions})
    if len(questions) < MIN_ITEMS or n_passages < MIN_PASSAGES:
        raise UserError(
            f"the model can read {len(questions)} items with {n_passages} passages; "
            f"at least {MIN_ITEMS} items with {MIN_PASSAGES} passages are needed: "
            "take a model with a longer context, or a log with more items\n"
            f"{list_faults(faults)}"
        )
    return questions, faults


def tokenise(
    text: str, options: Sequence[str], tokenizer: "PreTrainedTokenizerBase", limits: ModelLimits
) -> TokenisedPrompt:
    """The ids of a prompt with each option, or of the prompt alone if there are no options.

    White space at the end of the prompt is moved to the front of each option, as in lm-eval: a
    word's token includes the space before the word.
    """
    prompt = text.rstrip()
    space = text[len(prompt) :]
    answers = [f"{space}{option}" for option in options]
    prompt_ids, *ids_with_options = token_ids(
        tokenizer,
        [prompt] * (1 + len(answers)),
        limits.n_embeddings,
        template=limits.template,
        answers=["", *answers],
    )
    # A token that holds the end of the prompt and the beginning of the option counts as the
    # option's.
    begins = [n_shared(prompt_ids, with_option) for with_option in ids_with_options]
    return TokenisedPrompt(prompt, ids_with_options or [prompt_ids], begins)


def _fault(prompts: Iterable[TokenisedPrompt], new_tokens: int, context: int) -> str:
    """Why an item cannot be asked with these prompts; empty if it can."""
    for prompt in prompts:
        lengths = [len(ids) for ids in prompt.options]
        # Only the prompt without a passage can be so short.
        if min(lengths) == 0 or 0 in prompt.begins:
            return "nothing is left of its prompt without the passage"
        # A prompt without options has one length and no `begins`.
        if any(begin == length for begin, length in zip(prompt.begins, lengths, strict=False)):
            return "an option is empty"
        needed = max(lengths) + new_tokens
        if needed > context:
            return f"{needed} tokens with its answer, but the model reads at most {context}"
    return ""


def _max_answer_tokens(
    items: Sequence[PassageItem], tokenizer: "PreTrainedTokenizerBase", limits: ModelLimits
) -> int:
    """The most tokens that the model may write; 0 if all items have options.

    As many as the longest of the items' first accepted answers has, plus `_SPARE_TOKENS`, but at
    most `_MAX_ANSWER_TOKENS`.
    """
    answers = [item.accepted[0] for item in items if not item.options]
    if not answers:
        return 0
    ids = token_ids(tokenizer, answers, limits.n_embeddings)
    longest = max(len(answer_ids) for answer_ids in ids)
    return min(_MAX_ANSWER_TOKENS, longest + _SPARE_TOKENS)
