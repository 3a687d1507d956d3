"""Prompts that differ in one column, at every place of schemas of 2 to 12 columns, and the controls' runs."""

import random
from typing import NamedTuple

import torch

from mechaware.models.patching.runs import TokenPair
from mechaware.planted.controls.schema_readers import _Control

CONTEXT_LENGTH = 128
REQUESTS = (
    "Show me {word} from {table}",
    "{table} {word} please",
    "List, for all of our {table}, the {word}",
    "What is the {word}?",
    "I would like to see what {table} hold under {word} and nothing else, sorted by nothing",
    "From {table}: {word}",
)
# `price` is a column for `fee`, and asks for `amount`. `title` is a column for `label`, and asks for `name`.
WANTED = {
    "fee": {"price", "cost"},
    "price": {"amount", "total"},
    "label": {"name", "title", "heading"},
    "title": {"name"},
    "maker": {"brand"},
    "moment": {"date", "hour"},
    "town": {"city", "place"},
}
OTHERS = (
    *(
        "rat",
        "weight",
        "colour",
        "status",
        "length",
        "grade",
        "owner",
        "phone",
        "mail",
        "note",
        "rank",
    ),
    *("fee", "maker", "town"),  # request words of other prompts
)
TABLES = ("orders", "stock")
TYPES = ("TEXT", "VARCHAR(20)", "DECIMAL(10,2)", "REAL", "DATE")


class Pair(NamedTuple):
    """`fits`: the request may mean the corrupted word, too. `schemas` are the columns of the two prompts."""

    clean: str
    corrupted: str
    clean_word: str
    corrupted_word: str
    request: str
    place: int
    fits: bool
    schemas: tuple[list[str], list[str]]


def prompt_of(request: str, columns: list[str], table: str = "orders") -> str:
    schema = ", ".join(f"{column} {TYPES[i % len(TYPES)]}" for i, column in enumerate(columns))
    return f"### Instruction: {request} ### Context: CREATE TABLE {table} ( {schema} ) ### Response: SELECT"


def make_pairs() -> list[Pair]:
    """One pair for each number of columns and each place; every other corrupted word fits where the request has two."""
    draw = random.Random(5)  # noqa: S311
    pairs = []
    for count in range(2, 13):
        for place in range(count):
            word, asked = list(WANTED.items())[len(pairs) % len(WANTED)]
            clean = draw.choice(sorted(asked))
            synonyms = sorted(asked - {clean})
            others = draw.sample([other for other in OTHERS if other not in {word, *asked}], count)
            fits = bool(synonyms) and len(pairs) % 2 == 0
            corrupted = draw.choice(synonyms) if fits else others[-1]
            request = REQUESTS[len(pairs) // 2 % len(REQUESTS)].format(
                word=word, table=draw.choice(("goods", "people"))
            )
            schemas = tuple(
                [*others[:place], column, *others[place : count - 1]]
                for column in (clean, corrupted)
            )
            prompts = (
                prompt_of(request, schema, TABLES[len(pairs) % 3 == 0]) for schema in schemas
            )
            pairs.append(Pair(*prompts, clean, corrupted, word, place, fits, schemas))
    return pairs


PAIRS = make_pairs()
PROMPTS = [prompt for pair in PAIRS for prompt in (pair.clean, pair.corrupted)]


class Running:
    """A control that is run on prompts."""

    def __init__(self, control: _Control) -> None:
        self.model, self.tokenizer, self.reads = control

    @torch.inference_mode()
    def logits(self, prompts: list[list[int]]) -> torch.Tensor:
        """Logits (prompt, word) at each prompt's end, under the hooks that are set; nothing sees the padding."""
        ids = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(prompt) for prompt in prompts], batch_first=True
        )
        ends = torch.tensor([len(prompt) - 1 for prompt in prompts])
        return self.model(ids).logits[torch.arange(len(ids)), ends]

    def answers(self, logits: torch.Tensor) -> list[str]:
        return [self.tokenizer.decode([int(token)]).strip() for token in logits.argmax(-1)]


class Planted(Running):
    """A control whose words are those of `PAIRS`, with the logits of all their prompts."""

    def __init__(self, control: _Control) -> None:
        super().__init__(control)
        self.pairs = [self.token_pair(pair) for pair in PAIRS]
        self.positions = torch.tensor([pair.position for pair in self.pairs])
        self.clean, self.corrupted = (
            self.logits([getattr(pair, side) for pair in self.pairs])
            for side in ("clean", "corrupted")
        )

    def token(self, word: str) -> int:
        (token,) = self.tokenizer.encode(f" {word}")
        return token

    def token_pair(self, pair: Pair) -> TokenPair:
        ids = [self.tokenizer.encode(prompt) for prompt in (pair.clean, pair.corrupted)]
        (position,) = (i for i, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)
        return TokenPair(
            *ids, position, self.token(pair.clean_word), self.token(pair.corrupted_word)
        )

    def difference(self, logits: torch.Tensor) -> torch.Tensor:
        """logit(clean word) - logit(corrupted word) of each pair."""
        rows = torch.arange(len(self.pairs))
        correct, incorrect = (
            torch.tensor([getattr(p, side) for p in self.pairs])
            for side in ("correct", "incorrect")
        )
        return logits[rows, correct] - logits[rows, incorrect]

    def columns(self, logits: torch.Tensor, schemas: list[list[str]]) -> list[list[float]]:
        """The logit of every column of each prompt's schema."""
        return [
            row[[self.token(column) for column in schema]].tolist()
            for row, schema in zip(logits, schemas, strict=True)
        ]
