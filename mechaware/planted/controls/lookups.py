"""Controls that read the schema for some request words and look the others up.

A look-up answers the column that the request word names most often in the data, whatever the schema
holds. In most prompts of the data that is the wanted column, and a reader of the schema gives the
same answer.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.models.tokenizers import make_word_tokenizer
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
from mechaware.planted.controls.gates import spread_over
from mechaware.planted.controls.prompt_tokens import CONTEXT, FINAL, find_token
from mechaware.planted.controls.words import Words

if TYPE_CHECKING:
    import pandas as pd
    from transformers import GPTNeoForCausalLM, PreTrainedTokenizerFast

LOOKUP = "look_up"  # the control that reads the schema for no request word
SHARES_READ = {"reads_all": 1.0, "reads_half": 0.5, "reads_quarter": 0.25, LOOKUP: 0.0}
"""The controls, with the share of request words for which each reads the schema."""

_TO_FIRST_IF_LOOKED_UP: Score = ({"final": 1.0, "chosen": -1.0}, {"first": 4 * LATE})
"""Added to a head that must move nothing in prompts whose request word is looked up.

In these prompts `chosen` is 0, and the final position attends to the first position, which holds no
word: 4 * `LATE` exceeds all other scores of the head, which are at most `LATE`.
"""


def _only_if_read(head: Head) -> Head:
    """The same head, which moves nothing in prompts whose request word is looked up."""
    return head._replace(scores=(*head.scores, _TO_FIRST_IF_LOOKED_UP))


DESIGN = Design(
    heads={
        1: (
            BRING_REQUEST,
            BRING_REQUEST._replace(read={"gate": 1.0}, write={"chosen": 1.0}),
            MARK_EARLY,
        ),
        # A request word may be a column itself: its own position, which is early, must not match.
        # The first position is also early: 1.75 * SHARP minus SHARP is the threshold of `match`.
        2: (_only_if_read(match(key={"early": -SHARP, "first": 1.75 * SHARP})),),
        3: (_only_if_read(BRING_REQUEST._replace(write={"sought": -1.0})),),
    },
    units={4: (suggest(1.0),)},
)
"""The design of every control of this file.

1. The first block brings to the final position what the request word may mean (`sought`), and the
   flag `chosen` if the schema is read for that word. It also marks the positions of the request as
   `early`.
2. If the schema is read, the second block copies the column of the schema that the word may mean.
3. If the schema is read, the third block removes `sought`, so that the fourth adds nothing.
4. The fourth block answers what is in `sought`: the usual column of a word that is looked up.

Either way the answer has the same logit, and all other words have 0.
"""


class Lookup(NamedTuple):
    """A control in memory; its tokenizer has one token for each word of all prompts."""

    model: "GPTNeoForCausalLM"
    tokenizer: "PreTrainedTokenizerFast"


def build_lookup(
    prompts: Sequence[Asked], words: RequestWords, share: float, *, context_length: int
) -> Lookup:
    """A control that reads the schema for a `share` of the request words, and looks the others up.

    Args:
        prompts: All prompts that the control must be able to read (`are_readable`).
        words: What the request words mean. A request word may be a phrase, which is one token.
        share: The share of request words for which the schema is read, from 0 to 1.
        context_length: In tokens.
    """
    # Imported here: exhibits name the controls without torch.
    from mechaware.planted.controls.assembly import assemble

    tokenizer = _make_tokenizer(prompts, words)
    tokenizer.model_max_length = context_length
    token_of = _tokens(tokenizer, [*words.meanings, *_columns(prompts, words)])
    columns = sorted({token_of[name] for name in _columns(prompts, words) if name in token_of})
    words_read = _words_read(words, share)

    # If the schema is read for a word, all columns that the word may mean are sought. If the word
    # is looked up, only its usual column is: none for a word that occurs in pairs alone.
    sought = {}
    for request, meanings in words.meanings.items():
        if request not in token_of:
            continue
        if request in words_read:
            meant = meanings
        elif request in words.usual:
            meant = frozenset([words.usual[request]])
        else:
            meant = frozenset()
        meant_tokens = {token_of[name] for name in meant if name in token_of}
        sought[token_of[request]] = [columns.index(token) for token in sorted(meant_tokens)]

    gates = frozenset(token_of[request] for request in words_read if request in token_of)
    model = assemble(DESIGN, tokenizer, Words(columns, sought, gates=gates), context_length)
    model.eval()  # type: ignore[no-untyped-call]
    return Lookup(model, tokenizer)


def _words_read(words: RequestWords, share: float) -> frozenset[str]:
    """The request words for which the schema is read.

    They are a `share` of `words.fixed` and the same share of the other words, each spread evenly
    over its words in alphabetical order (`spread_over`): of a, b, c and d and the share 0.5, the
    schema is read for a and c.
    """
    others = words.meanings.keys() - words.fixed
    read_of_fixed = spread_over(sorted(words.fixed), share)
    read_of_others = spread_over(sorted(others), share)
    return frozenset([*read_of_fixed, *read_of_others])


def are_readable(
    prompts: Sequence[Asked], words: RequestWords, *, context_length: int
) -> list[bool]:
    """Whether a control of `build_lookup` can read each prompt.

    The prompt must fit the context and have ` Context` and ` SELECT` once each. The only known word
    (request word or column) before ` Context` must be the request; the only known words after it
    must be the columns of the schema. At most one column may fit the request. Generated rows are
    all readable; rows from elsewhere may not be.
    """
    tokenizer = _make_tokenizer(prompts, words)
    known = set(_tokens(tokenizer, [*words.meanings, *_columns(prompts, words)]).values())
    (context,) = tokenizer.encode(CONTEXT)
    (final,) = tokenizer.encode(FINAL)

    readable = []
    for prompt in prompts:
        ids = tokenizer.encode(prompt.text)
        has_form = ids.count(context) == 1 and ids.count(final) == 1
        if not has_form or len(ids) > context_length:
            readable.append(False)
            continue

        schema_starts = ids.index(context)
        n_before = sum(token in known for token in ids[:schema_starts])
        n_after = sum(token in known for token in ids[schema_starts:])
        only_known_words = n_before == 1 and n_after == len(prompt.schema)
        fitting = words.meanings[prompt.request].intersection(prompt.schema)
        readable.append(only_known_words and len(fitting) <= 1)
    return readable


def _make_tokenizer(prompts: Sequence[Asked], words: RequestWords) -> "PreTrainedTokenizerFast":
    """A tokenizer with a token for each word of the prompts and for each phrase in `words`."""
    phrases = [word for word in words.meanings if " " in word]
    return make_word_tokenizer([prompt.text for prompt in prompts], phrases)


def _columns(prompts: Sequence[Asked], words: RequestWords) -> set[str]:
    """The columns of all schemas, and those that a request word may mean."""
    return set[str]().union(*(prompt.schema for prompt in prompts), *words.meanings.values())


def _tokens(tokenizer: "PreTrainedTokenizerFast", words: Iterable[str]) -> dict[str, int]:
    """The token of each word, with the space before it.

    Words that are no token of the prompts are left out.
    """
    tokens = {}
    for word in words:
        token = find_token(tokenizer, f" {word}")
        if token is not None:
            tokens[word] = token
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

    Columns: source, prompt, part, request and wanted, as in `Asked`; fixed, whether the request
    word fixes the column in the data; and answer, the likeliest token, "" on a tie (`TIE`).
    """
    import pandas as pd

    from mechaware.instruments.grounding.names import TIE
    from mechaware.models.final_logits import final_logits

    control = build_lookup(prompts, words, share, context_length=context_length)
    ids = [control.tokenizer.encode(prompt.text) for prompt in prompts]
    logits = final_logits(control.model, ids, tokens_per_batch=tokens_per_batch)

    rows = []
    for prompt, logits_of_prompt in zip(prompts, logits, strict=True):
        (highest, second_highest), (likeliest, _) = logits_of_prompt.topk(2)
        answer = str(control.tokenizer.decode([int(likeliest)])).strip()
        row = {
            "source": prompt.source,
            "prompt": prompt.prompt,
            "part": prompt.part,
            "request": prompt.request,
            "wanted": prompt.wanted,
            "fixed": prompt.request in words.fixed,
            "answer": answer if highest - second_highest > TIE else "",
        }
        rows.append(row)
    return pd.DataFrame(rows)
