"""The quotes of a judge's evidence: where they stand in the paper, and whether they say there what they say alone."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from mechaware.instruments.claims.reading.sentences import HYPHEN, sentence_spans

# What is between quotation marks, perhaps with a quote inside: "the "name mover" heads" is one quote.
QUOTED = re.compile(r'["“]((?:[^"“”]|(?<=[\s(\[])["“](?=\S)[^"“”]+(?<=\S)["”])+)["”]')
INNER_MARK = re.compile(r'["“”]')
# Other marks count as these, one character each, so that places stay: «x», „x“, ``x'', and 'x' around whole words.
OTHER_MARKS = str.maketrans(dict.fromkeys("«»‟″", '"'))
LOW_MARK = re.compile("„([^„“”]*)[“”]")
DOUBLED_MARK = re.compile("``|''|\u2018\u2018|\u2019\u2019|,,")
# Single marks, straight, curled and angled.
OPENED, CLOSED = (
    "'`\u2018\u201a\u2039",
    "'\u00b4\u2018\u2019\u203a",
)
SINGLE_MARKS = re.compile(rf"(?<!\w)[{OPENED}](?=\S)(.+?)(?<=\S)[{CLOSED}](?!\w)", re.DOTALL)
MARKED = re.compile(f"{QUOTED.pattern}|{SINGLE_MARKS.pattern}", re.DOTALL)
BULLET = re.compile(r"^(?:[>*#•\s]|-\s)+")
MIN_WORDS = 3  # of a quote without marks
NOT_FOUND = "[not in the paper]"
MIN_QUOTE = 12  # characters; shorter quotes, a head's name or a number, occur everywhere
# A quote is a sentence or two. What is longer is no evidence that a reader could check, and takes long to look for.
MAX_EVIDENCE, MAX_QUOTE, MAX_QUOTES = 10_000, 800, 20
ELISION = re.compile(r"\s*(?:[\[(]\s*(?:\.{3}|…)\s*[\])]|\.{3}|…)\s*")
MAX_ELIDED = 600  # characters of the text that an elision may stand for
MAX_STARTS = 50  # places at which a quote with an elision may begin
TOKEN = re.compile(r"-?\d+(?:[.,]\d+)*|[%<>=±]|[^\W\d_]+(?:'[^\W\d_]+)?")
ARTICLES = frozenset(("a", "an", "the"))
LIGATURES = re.compile("ffi|ffl|ff|fi|fl")  # which the text of a PDF may have lost
# One character each, so that places stay: apostrophes, minus and dashes, the soft hyphen.
SPELLINGS = str.maketrans("\u2019\u2018\u2212\u2013\u2014\u00ad", "''--- ")


def quoted(text: str) -> str:
    """The text between quotation marks. Those inside become single ones, so that it is one quote."""
    inner = INNER_MARK.sub("'", text)
    return f'"{inner}"'


def locate_quotes(evidence: str, text: str) -> list[tuple[int, int] | None]:
    """The place [start, end) in `text` of each quote in `evidence`, in order; None for one that is not there.

    Evidence without quotation marks is one quote if the whole is there; else its sentences are the quotes, all of them,
    if one is there. Of long evidence the first `MAX_EVIDENCE` characters count, and quotes after the first `MAX_QUOTES`
    as not found.
    """
    marked, whole = _marked(evidence), BULLET.sub("", evidence[:MAX_EVIDENCE])
    if not marked and _says_something(whole) and (place := _locate(whole, text)):
        return [place]
    places = [
        _locate(quote, text) if number < MAX_QUOTES else None
        for number, (_, quote) in enumerate(_quotes(evidence))
    ]
    return places if marked or any(places) else []


def quotes_not_found(evidence: str, places: Sequence[tuple[int, int] | None]) -> list[str]:
    """The quotes without a place among those of `locate_quotes`."""
    return [
        quote for (_, quote), place in zip(_quotes(evidence), places, strict=False) if place is None
    ]


def name_not_found(evidence: str, places: Sequence[tuple[int, int] | None]) -> str:
    """The evidence with `NOT_FOUND` after each quote without a place among those of `locate_quotes`."""
    ends = [
        end for (end, _), place in zip(_quotes(evidence), places, strict=False) if place is None
    ]
    cuts = [0, *ends, len(evidence)]
    return f" {NOT_FOUND}".join(evidence[start:end] for start, end in pairwise(cuts))


def _quotes(evidence: str) -> list[tuple[int, str]]:
    """The quotes of evidence, each with the place after it: what is between marks, or else the sentences."""
    return _marked(evidence) or _sentences(evidence)


def _marked(evidence: str) -> list[tuple[int, str]]:
    """What is between marks of any kind and long enough, with the place after the closing mark."""
    text = LOW_MARK.sub(r'"\1"', evidence[:MAX_EVIDENCE])
    text = DOUBLED_MARK.sub(' "', text.translate(OTHER_MARKS))
    found = ((match.end(), (match[1] or match[2]).strip(" .…")) for match in MARKED.finditer(text))
    return [(end, quote) for end, quote in found if len(quote) >= MIN_QUOTE]


def _sentences(evidence: str) -> list[tuple[int, str]]:
    """The sentences and list items of evidence that are long enough, with the place after each."""
    spans = sentence_spans(evidence[:MAX_EVIDENCE], STATEMENT_END)
    bare = ((end, BULLET.sub("", evidence[start:end])) for start, end in spans)
    return [(end, sentence) for end, sentence in bare if _says_something(sentence)]


def _says_something(sentence: str) -> bool:
    return len(sentence) >= MIN_QUOTE and len(TOKEN.findall(sentence)) >= MIN_WORDS


def _locate(quote: str, text: str) -> tuple[int, int] | None:
    """The place [start, end) in `text` of `quote`; None if it is not there, or longer than `MAX_QUOTE` characters.

    The quote's words must stand there in its order, all of them and no others but articles, and must not be denied by
    the rest of their sentence. White space, hyphenation, capitals and punctuation do not count, nor do ligatures that
    the text lost ("signi cant"). "..." stands for words without a denial. The time is linear in the text.
    """
    if len(quote) > MAX_QUOTE:
        return None
    for ligatures in (True, False):
        words, pieces = (
            _words(text, ligatures),
            [_Words(piece, ligatures) for piece in ELISION.split(quote)],
        )
        if all(piece.joined for piece in pieces) and (found := _locate_pieces(pieces, words)):
            first, last = found
            opened = pieces[0].with_article[0] < pieces[0].spans[0][0]  # with an article
            return words.with_article[first] if opened else words.spans[first][0], words.spans[
                last - 1
            ][1]
    return None


class _Words:
    """The words of a text without articles, with their places, and all of them in one string.

    A number or a negation has a bar on both sides there, other words stand without spaces: "cir-" and "cuit" are
    "circuit", but "not able" is not "notable". Without `ligatures` they are left out of it.
    """

    def __init__(self, text: str, ligatures: bool) -> None:
        self._text = text.translate(SPELLINGS)
        # In lower case, with ligatures resolved.
        words = (
            (match.span(), unicodedata.normalize("NFKC", match[0]).lower())
            for match in TOKEN.finditer(self._text)
        )
        found = list(words)
        kept = [index for index, (_, word) in enumerate(found) if word not in ARTICLES]
        self.spans = [found[index][0] for index in kept]
        # Where a word begins if the article before it is its own.
        self.with_article = [
            found[index - 1][0][0]
            if index and found[index - 1][1] in ARTICLES
            else found[index][0][0]
            for index in kept
        ]
        tokens = [found[index][1] for index in kept]
        marked = [
            f"|{word}|" if _is_exact(word) else word if ligatures else LIGATURES.sub("", word)
            for word in tokens
        ]
        self.joined = "".join(marked)
        self._ends = list(accumulate(map(len, marked)))
        self._starts = [end - len(word) for end, word in zip(self._ends, marked, strict=True)]

    def at(self, start: int, end: int) -> tuple[int, int] | None:
        """The range of words that is [start, end) of `joined`; None if it begins or ends within a word."""
        first, last = bisect_left(self._starts, start), bisect_left(self._ends, end)
        whole = (
            first < len(self._starts) and self._starts[first] == start and self._ends[last] == end
        )
        return (first, last + 1) if whole else None

    def are_denied(self, first: int, last: int) -> bool:
        """Whether the rest of their sentence denies the words [first, last)."""
        return _is_denied(self._text, self.spans[first][0], self.spans[last - 1][1])

    def may_elide(self, start: int, end: int) -> bool:
        """Whether the words [start, end) are few, and none of them denies anything."""
        if start == end:
            return True
        first, last = self.spans[start][0], self.spans[end - 1][1]
        return last - first <= MAX_ELIDED and not _denies(
            " ".join(self._text[first:last].lower().split())
        )

    def occurrences(self, piece: str, after: int, most: int) -> list[tuple[int, int]]:
        """The first ranges of words, at most `most`, that are `piece`, from the word `after` on."""
        found: list[tuple[int, int]] = []
        start = self.joined.find(piece, self._starts[after]) if after < len(self._starts) else -1
        while start >= 0 and len(found) < most:
            words = self.at(start, start + len(piece))
            found += [words] if words else []
            start = self.joined.find(piece, start + 1)
        return found


@lru_cache(maxsize=2)
def _words(text: str, ligatures: bool) -> _Words:
    """The words of a paper, which are read once for all quotes."""
    return _Words(text, ligatures)


def _locate_pieces(pieces: Sequence[_Words], words: _Words) -> tuple[int, int] | None:
    """The range of words from the first piece of a quote to the last, which stand near each other in this order."""
    first, *others = pieces
    for start, end in words.occurrences(first.joined, 0, MAX_STARTS):
        last = end
        for piece in others:
            following = next(iter(words.occurrences(piece.joined, last, 1)), None)
            if following is None or not words.may_elide(last, following[0]):
                break
            last = following[1]
        else:
            if not words.are_denied(start, last):
                return start, last
    return None


# Whether words that stand in a text are denied there by what comes before or after them in their sentence.

NEGATION = re.compile(
    r"no|not|none|nor|neither|never|nowhere|nothing|nobody|without|cannot|\w+n't|hardly|scarcely|barely|rarely|seldom|"
    r"fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?"
)
# Negations, and words that deny or leave open what follows them.
DENIAL = re.compile(
    rf"\b(?:(?!no\.|not (?:only|just|merely)\b|no (?:fewer|less|more) than\b)(?:{NEGATION.pattern})|"
    r"(?:false|wrong|incorrect|untrue)(?= (?:that|to)\b)|(?<!\ba )(?:few|little)|"
    r"un(?:true|likely|clear|known|proven|supported)|im(?:plausible|possible)|whether|"
    r"(?:den(?:y|ie)|refut|reject|disprov|contradict|disput|doubt)\w*|rul(?:e|es|ed|ing) out|contrary to|"
    r"(?:evidence|argu\w+|speaks?|spoke) against)\b"
)
# "in no model" after a quote, before any comma.
DENIED_AFTERWARDS = re.compile(
    r"\s+(?:(?:in|for|at|on|under|by|of|to|with)\s+)?(?:not(?! only)|no|never|neither|none|nowhere)\b"
)
# A full stop or a break between blocks. "Fig. 3" ends no sentence, nor does a page's end before a small letter.
ABBREVIATED = "".join(
    rf"(?<!\b{word}\.)"
    for word in ("fig", "figs", "eq", "sec", "app", "tab", "al", "cf", "vs", "resp")
)
SENTENCE_END = re.compile(rf"(?<=[.!?])(?i:{ABBREVIATED})\s+(?=[^a-z])|\n\s*\n\s*(?=[^a-z\s])")
STATEMENT_END = re.compile(rf"{SENTENCE_END.pattern}|\n")  # of a sentence or a list item
ASIDE = re.compile(r"\([^()]*\)")
# Where a denial ends within its sentence: "X has no effect, and Y lowers it", but not "no evidence that X, and that Y".
CLAUSE = re.compile(
    r";|\bbut\b|,\s(?:yet|however|whereas|nevertheless)\b|,\s(?:and|so|thus|hence|therefore|which|where)\b(?!\s(?:that|nor)\b)"
)
# "Without fine-tuning, ...": what is before the comma denies nothing behind it.
OPENING = re.compile(
    r"^\W*(?:without|although|though|unlike|while|whereas|since|because|if|when|despite)\b[^,]*,"
)
AROUND = 600  # characters of the sentence before or after


def _is_denied(text: str, start: int, end: int) -> bool:
    """Whether the words [start, end) of a text with straight apostrophes follow a denial in their sentence.

    "There is no evidence that heads copy" does not say "heads copy". A denial reaches to the end of its clause: a
    semicolon, "but", a comma before "and", "so" or "which". Right behind the words, "in no model" counts too.
    Undetected: denials in other words, or in another sentence.
    """
    before = SENTENCE_END.split(text[max(0, start - AROUND) : start + 1])[-1][:-1]
    clause = CLAUSE.split(ASIDE.sub(" ", " ".join(HYPHEN.sub("", before).lower().split()) + " "))[
        -1
    ]
    after = text[end : end + AROUND].lower()
    return _denies(OPENING.sub("", clause)) or DENIED_AFTERWARDS.match(after) is not None


def _denies(text: str) -> bool:
    """Whether there is a denial in a text of small letters."""
    return DENIAL.search(text) is not None


def _is_exact(word: str) -> bool:
    """Whether a word counts as it is alone: a number, a sign, a negation."""
    return not word[0].isalpha() or NEGATION.fullmatch(word) is not None
