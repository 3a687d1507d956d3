"""A tokenizer that cuts words into pieces of five letters, and the same rule by hand."""

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from mechaware.models.tokenizers import UNKNOWN

# Five letters at most, with the space or the underscore before them; any other character alone.
PIECE = r" ?_?[A-Za-z]{1,5}|[^A-Za-z]"


def make_piece_tokenizer(texts: Iterable[str]) -> PreTrainedTokenizerFast:
    """A tokenizer whose tokens are the pieces: ` created_on` is ` creat`, `ed`, `_on`."""
    split = pre_tokenizers.Split(Regex(PIECE), behavior="isolated")
    pieces = set[str]()
    for text in texts:
        pieces.update(piece for piece, _ in split.pre_tokenize_str(text))
    vocabulary = {piece: number for number, piece in enumerate([UNKNOWN, *sorted(pieces)])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    tokenizer.pre_tokenizer = split
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token=UNKNOWN, pad_token=UNKNOWN, eos_token=UNKNOWN
    )


def pieces_by_hand(word: str) -> list[str]:
    """The pieces of a word after a space, counted out instead of matched.

    "created_on" has the parts " created" and "_on". A part's first piece has its space or
    underscore and five letters, and each further piece has five letters.
    """
    parts = []
    for word_of_phrase in word.split(" "):
        first, *further = word_of_phrase.split("_")
        parts.append(f" {first}")
        parts += [f"_{part}" for part in further]

    pieces = []
    for part in parts:
        pieces.append(part[:6])
        pieces += [part[start : start + 5] for start in range(6, len(part), 5)]
    return pieces
