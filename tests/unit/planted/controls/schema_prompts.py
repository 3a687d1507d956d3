"""Prompts that differ in one column, at every place of schemas of 2 to 12 columns, and the controls' runs."""

import itertools
import random
from typing import NamedTuple

import torch

from mechaware.models.patching.runs import TokenPair
from mechaware.planted.controls.schema_readers import BuiltControl

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
    # Request words of other prompts.
    "fee",
    "maker",
    "town",
)
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
    types = itertools.cycle(TYPES)
    schema = ", ".join(f"{column} {next(types)}" for column in columns)
    return f"### Instruction: {request} ### Context: CREATE TABLE {table} ( {schema} ) ### Response: SELECT"


def make_pairs() -> list[Pair]:
    """One pair for each number of columns and each place; every other corrupted word fits where the request has two."""
    draw = random.Random(5)  # noqa: S311
    pairs = []
    for count in range(2, 13):
        for place in range(count):
            number = len(pairs)
            word, asked = list(WANTED.items())[number % len(WANTED)]
            clean = draw.choice(sorted(asked))
            synonyms = sorted(asked - {clean})
            others = draw.sample([other for other in OTHERS if other not in {word, *asked}], count)
            fits = bool(synonyms) and number % 2 == 0
            corrupted = draw.choice(synonyms) if fits else others[-1]
            form = REQUESTS[number // 2 % len(REQUESTS)]
            request = form.format(word=word, table=draw.choice(("goods", "people")))
            table = "stock" if number % 3 == 0 else "orders"

            before = others[:place]
            behind = others[place : count - 1]
            clean_schema = [*before, clean, *behind]
            corrupted_schema = [*before, corrupted, *behind]
            pair = Pair(
                clean=prompt_of(request, clean_schema, table),
                corrupted=prompt_of(request, corrupted_schema, table),
                clean_word=clean,
                corrupted_word=corrupted,
                request=word,
                place=place,
                fits=fits,
                schemas=(clean_schema, corrupted_schema),
            )
            pairs.append(pair)
    return pairs


PAIRS = make_pairs()
PROMPTS: list[str] = []
for _pair in PAIRS:
    PROMPTS += [_pair.clean, _pair.corrupted]


class Running:
    """A control that is run on prompts."""

    def __init__(self, control: BuiltControl) -> None:
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

    def __init__(self, control: BuiltControl) -> None:
        super().__init__(control)
        self.pairs = [self.token_pair(pair) for pair in PAIRS]
        self.positions = torch.tensor([pair.position for pair in self.pairs])
        self.clean = self.logits([pair.clean for pair in self.pairs])
        self.corrupted = self.logits([pair.corrupted for pair in self.pairs])

    def token(self, word: str) -> int:
        (token,) = self.tokenizer.encode(f" {word}")
        return token

    def token_pair(self, pair: Pair) -> TokenPair:
        clean = self.tokenizer.encode(pair.clean)
        corrupted = self.tokenizer.encode(pair.corrupted)
        assert len(clean) == len(corrupted)
        different = [index for index in range(len(clean)) if clean[index] != corrupted[index]]
        (position,) = different
        return TokenPair(
            clean, corrupted, position, self.token(pair.clean_word), self.token(pair.corrupted_word)
        )

    def difference(self, logits: torch.Tensor) -> torch.Tensor:
        """logit(clean word) - logit(corrupted word) of each pair."""
        rows = torch.arange(len(self.pairs))
        correct = torch.tensor([pair.correct for pair in self.pairs])
        incorrect = torch.tensor([pair.incorrect for pair in self.pairs])
        return logits[rows, correct] - logits[rows, incorrect]

    def columns(self, logits: torch.Tensor, schemas: list[list[str]]) -> list[list[float]]:
        """The logit of every column of each prompt's schema."""
        by_prompt = []
        for row, schema in zip(logits, schemas, strict=True):
            tokens = [self.token(column) for column in schema]
            by_prompt.append(row[tokens].tolist())
        return by_prompt
