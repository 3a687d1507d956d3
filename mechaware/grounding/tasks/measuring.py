"""A task's pairs as tokens, and what is measured of a model on them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.errors import UserError
from mechaware.grounding.answers import AskedPrompt, answers_to
from mechaware.grounding.data.tasks import SHORTCUT, TaskPair
from mechaware.grounding.measuring import measure_tokens
from mechaware.grounding.rules import PairMeasurements
from mechaware.grounding.shortcuts import place_shortcuts
from mechaware.models.patching.runs import TokenPair
from mechaware.rows import list_faults

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


_MAPPED = 6  # pairs in the map of the residual stream


class _Tokens(NamedTuple):
    """A prompt's token ids, and the first token of each answer that continues it."""

    ids: list[int]
    answers: dict[str, int]


def measure_task(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[TaskPair],
    path: Path,
    *,
    tokens_per_batch: int,
) -> PairMeasurements:
    """Patch `model` on every pair; `path` is what messages call the pairs' table.

    The tokens in which two prompts differ are patched together, from the first to the last of them. An answer counts
    by its first token after the prompt.

    Raises one `UserError` with all faults, a line each: a corrupted or third prompt with more or fewer tokens than the
    clean one, or that differs from it in its last token; a prompt longer than the model's context; an answer whose
    first token is also another option's, or merges with the prompt's last one.
    """
    faults: list[str] = []
    tokens: list[dict[str, _Tokens]] = []
    for pair in pairs:
        tokens.append({name: _tokenise(tokenizer, pair, name) for name in pair.prompts})
        found = _token_faults(tokens[-1], model.config.max_position_embeddings)
        faults += [f"{path}, row {pair.prompts[name].row}: {fault}" for name, fault in found]
    if faults:
        raise UserError(list_faults(faults))
    answers = answers_to(
        model,
        [prompt for pair, own in zip(pairs, tokens, strict=True) for prompt in _asked(pair, own)],
        tokens_per_batch=tokens_per_batch,
    )
    pair_tokens, thirds = [], {}
    for index, (pair, own) in enumerate(zip(pairs, tokens, strict=True)):
        clean, wanted = pair.prompts["clean"], own["clean"].answers
        answer = wanted[clean.wanted]
        pair_tokens.append(_token_pair(own["clean"].ids, own["corrupted"].ids, answer, wanted[clean.against]))
        if "third" in own:
            third = own["third"].answers[pair.prompts["third"].wanted]
            thirds[index] = _token_pair(own["third"].ids, own["clean"].ids, third, answer)
    return measure_tokens(
        model,
        pairs,
        pair_tokens,
        thirds,
        answers,
        mapped=range(min(len(pairs), _MAPPED)),
        tokens_per_batch=tokens_per_batch,
    )


def _tokenise(tokenizer: "PreTrainedTokenizerBase", pair: TaskPair, name: str) -> _Tokens:
    """The tokens of a prompt of a pair; an answer that merges with the prompt's last token has none of its own."""
    prompt, clean = pair.prompts[name], pair.prompts["clean"]
    answers = [*prompt.options, clean.wanted, clean.against]
    answers += pair.exchanged if "unasked" in pair.prompts else ()
    ids = tokenizer(prompt.text).input_ids
    first = {}
    for answer in answers:
        continued = tokenizer(prompt.text + answer).input_ids
        first[answer] = continued[len(ids)] if continued[: len(ids)] == ids and len(continued) > len(ids) else -1
    return _Tokens(ids, first)


def _token_faults(tokens: Mapping[str, _Tokens], context: int) -> Iterator[tuple[str, str]]:
    """Prompts of a pair, and why they cannot be measured."""
    clean = tokens["clean"].ids
    for name, (ids, answers) in tokens.items():
        if len(ids) > context:
            yield name, f"{len(ids)} tokens, but the model reads at most {context}; shorten the text"
        if name in ("corrupted", "third"):
            if len(ids) != len(clean):
                yield name, f"{len(ids)} tokens, but its clean prompt has {len(clean)}; exchange words of equal length"
            elif ids[-1] != clean[-1]:
                yield name, "differs from its clean prompt in the last token, where the answer is read; end both alike"
            elif ids == clean:
                yield name, "the tokens of its clean prompt; exchange words that the model's tokenizer knows"
        for answer in (answer for answer, token in answers.items() if token < 0):
            yield name, f"'{answer}' is no token of its own after the text; move the space between them to the other"
        alike = [answer for answer, token in answers.items() if list(answers.values()).count(token) > 1 and token >= 0]
        if alike:
            yield name, f"answers '{alike[0]}' and '{alike[1]}' begin with the same token; exchange one of them"


def _asked(pair: TaskPair, tokens: Mapping[str, _Tokens]) -> Iterator[AskedPrompt]:
    """What is read in the logits of each prompt of a pair."""
    clean = pair.prompts["clean"]
    for name, prompt in pair.prompts.items():
        ids, answers = tokens[name]
        yield AskedPrompt(
            *(pair.id, pair.category, pair.place, name),
            ids=ids,
            wanted=prompt.wanted,
            options={option: answers[option] for option in prompt.options},
            diff=(answers[clean.wanted], answers[clean.against]),
            unasked_diff=(answers[pair.exchanged[0]], answers[pair.exchanged[1]]) if "unasked" in tokens else None,
            shortcuts=shortcuts_of(pair, name),
        )


def shortcuts_of(pair: TaskPair, name: str) -> dict[str, bool]:
    """Whether each shortcut answers a prompt rightly: by place in the text, by the table's place, and the table's own.

    A copier of one place is right in the prompts of that place; a prompt without a place has the clean one's.
    """
    prompt = pair.prompts[name]
    places = {option: re.search(rf"(?<!\w){re.escape(option.strip())}(?!\w)", prompt.text) for option in prompt.options}
    found = {option: match.start() for option, match in places.items() if match}
    shortcuts = place_shortcuts(sorted(found, key=lambda option: found[option]), prompt.wanted)
    if place := prompt.place or pair.place:
        shortcuts[f"place {place}"] = True
    own = {name.removeprefix(SHORTCUT).replace("_", " "): answer for name, answer in prompt.shortcuts.items()}
    return shortcuts | {name: answer == prompt.wanted for name, answer in own.items()}


def _token_pair(clean: list[int], corrupted: list[int], correct: int, incorrect: int) -> TokenPair:
    """Two prompts and the span of tokens, from the first to the last, in which they differ."""
    differing = [at for at, tokens in enumerate(zip(clean, corrupted, strict=True)) if len(set(tokens)) > 1]
    return TokenPair(clean, corrupted, differing[0], correct, incorrect, differing[-1] - differing[0] + 1)
