"""Controls that read the schema for some request words and look the others up.

A look-up answers the column that the request word names most often in the data, whatever the schema holds. In most
prompts of the data that is the wanted column, and a reader of the schema gives the same answer.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.models.tokenizers import UNKNOWN, make_word_tokenizer
from mechaware.planted.controls.asked import Asked, RequestWords
from mechaware.planted.controls.design import (
    BRING_REQUEST,
    LATE,
    MARK_EARLY,
    SHARP,
    Design,
    Head,
    Score,
    match,
    suggest,
)
from mechaware.planted.controls.words import CONTEXT, FINAL, Words

if TYPE_CHECKING:
    import pandas as pd
    from transformers import GPTNeoForCausalLM, PreTrainedTokenizerFast

LOOKUP = "look_up"
SHARES_READ = {"reads_all": 1.0, "reads_half": 0.5, "reads_quarter": 0.25, LOOKUP: 0.0}
"""The controls, with the share of request words for which each reads the schema."""

_UNLESS_READ: Score = ({"final": 1.0, "chosen": -1.0}, {"first": 4 * LATE})
"""Where the request word is looked up, a head attends to the first position, which holds no word."""


def _where_read(head: Head) -> Head:
    """The head, where the request word is one that is read; elsewhere it moves nothing."""
    return head._replace(scores=(*head.scores, _UNLESS_READ))


DESIGN = Design(
    heads={
        1: (
            BRING_REQUEST,
            BRING_REQUEST._replace(read={"gate": 1.0}, write={"chosen": 1.0}),
            MARK_EARLY,
        ),
        # A request word may be a column itself: its own position, which is early, must not match.
        2: (_where_read(match(key={"early": -SHARP, "first": 1.75 * SHARP})),),
        3: (_where_read(BRING_REQUEST._replace(write={"sought": -1.0})),),
    },
    units={4: (suggest(1.0),)},
)
"""Block 1 brings the request word to the end, and a flag if it is one that is read. For such a word block 2 copies the
column that matches it, and block 3 removes what it may mean; of any other word block 4 answers what it means. Either
way the answer has the same logit, and no other word has any."""


class Lookup(NamedTuple):
    """A control in memory; its tokenizer has one token for each word of all prompts."""

    model: "GPTNeoForCausalLM"
    tokenizer: "PreTrainedTokenizerFast"


def build_lookup(
    prompts: Sequence[Asked], words: RequestWords, share: float, *, context_length: int
) -> Lookup:
    """A control that reads the schema for a `share` of the request words, and looks every other word up.

    `prompts` are all that it must be able to read (`are_readable`); a phrase of several words is one token.
    """
    # Imported here: exhibits name the controls without torch.
    from mechaware.planted.controls.assembly import assemble

    tokenizer = _make_tokenizer(prompts, words)
    tokenizer.model_max_length = context_length
    token_of = _tokens(tokenizer, [*words.meanings, *_columns(prompts, words)])
    columns = sorted({token_of[name] for name in _columns(prompts, words) if name in token_of})
    read = _words_read(words, share)

    sought = {}
    for request, meanings in words.meanings.items():
        if request not in token_of:
            continue
        means = set(meanings) if request in read else {words.usual.get(request, "")}
        tokens = {token_of[name] for name in means if name in token_of}
        sought[token_of[request]] = [index for index, id_ in enumerate(columns) if id_ in tokens]

    gates = frozenset(token_of[request] for request in read if request in token_of)
    model = assemble(DESIGN, tokenizer, Words(columns, sought, gates=gates), context_length)
    model.eval()  # type: ignore[no-untyped-call]
    return Lookup(model, tokenizer)


def _words_read(words: RequestWords, share: float) -> frozenset[str]:
    """A `share` of the request words that fix the column, and of the others."""
    others = words.meanings.keys() - words.fixed
    return frozenset([*_spread_over(words.fixed, share), *_spread_over(others, share)])


def _spread_over(words: Iterable[str], share: float) -> list[str]:
    """A `share` of the words, evenly spread over the alphabet: of a, b, c, d and 0.5, a and c."""
    return [word for index, word in enumerate(sorted(words)) if index * share % 1 < share]


def are_readable(
    prompts: Sequence[Asked], words: RequestWords, *, context_length: int
) -> list[bool]:
    """Whether such a control can read each prompt.

    Of request words and columns, the request alone may stand before ` Context`, and the schema's columns alone behind
    it, of which at most one may fit the request. Generated rows have all of this; rows from elsewhere may not.
    """
    tokenizer = _make_tokenizer(prompts, words)
    known = set(_tokens(tokenizer, [*words.meanings, *_columns(prompts, words)]).values())
    (context,) = tokenizer.encode(CONTEXT)
    (final,) = tokenizer.encode(FINAL)

    readable = []
    for prompt in prompts:
        ids = tokenizer.encode(prompt.text)
        schema_starts = ids.index(context)
        n_before = sum(id_ in known for id_ in ids[:schema_starts])
        n_behind = sum(id_ in known for id_ in ids[schema_starts:])
        fitting = words.meanings[prompt.request].intersection(prompt.schema)
        readable.append(
            ids.count(context) == ids.count(final) == 1
            and len(ids) <= context_length
            and n_before == 1
            and n_behind == len(prompt.schema)
            and len(fitting) <= 1
        )
    return readable


def _make_tokenizer(prompts: Sequence[Asked], words: RequestWords) -> "PreTrainedTokenizerFast":
    phrases = [word for word in words.meanings if " " in word]
    return make_word_tokenizer([prompt.text for prompt in prompts], phrases)


def _columns(prompts: Sequence[Asked], words: RequestWords) -> set[str]:
    """The columns of all schemas, and those that a request word may mean."""
    return set[str]().union(*(prompt.schema for prompt in prompts), *words.meanings.values())


def _tokens(tokenizer: "PreTrainedTokenizerFast", words: Iterable[str]) -> dict[str, int]:
    """The token of each word with the space before it; words that are no token of the prompts are left out."""
    unknown = tokenizer.convert_tokens_to_ids(UNKNOWN)
    tokens = {}
    for word in words:
        ids = tokenizer.encode(f" {word}")
        if len(ids) == 1 and ids[0] != unknown:
            tokens[word] = int(ids[0])
    return tokens


def ask_lookup(
    prompts: Sequence[Asked],
    words: RequestWords,
    share: float,
    *,
    context_length: int,
    tokens_per_batch: int,
) -> "pd.DataFrame":
    """What the control that reads a `share` of the request words answers: a row per prompt.

    Columns: source, prompt, part, request, wanted, fixed (whether the request word fixes the column in the data), and
    answer, the likeliest token ("" where several are equally likely).
    """
    import pandas as pd

    from mechaware.instruments.grounding.answers import final_logits
    from mechaware.instruments.grounding.names import TIE

    control = build_lookup(prompts, words, share, context_length=context_length)
    ids = [control.tokenizer.encode(prompt.text) for prompt in prompts]
    logits = final_logits(control.model, ids, tokens_per_batch=tokens_per_batch)

    rows = []
    for prompt, of_prompt in zip(prompts, logits, strict=True):
        (best, runner_up), (likeliest, _) = of_prompt.topk(2)
        answer = str(control.tokenizer.decode([int(likeliest)])).strip()
        row = {
            "source": prompt.source,
            "prompt": prompt.prompt,
            "part": prompt.part,
            "request": prompt.request,
            "wanted": prompt.wanted,
            "fixed": prompt.request in words.fixed,
            "answer": answer if best - runner_up > TIE else "",
        }
        rows.append(row)
    return pd.DataFrame(rows)
