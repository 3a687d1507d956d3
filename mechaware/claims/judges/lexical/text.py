"""What the lexical judge sees of a paper: sentences with their places, and the model components that each is about."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bcf)(?<!\bvs)(?<!\bFig)(?<!\bFigs)(?<!\bEq)(?<!\bSec)(?<!\bTab)(?<!\bapprox)"
    r"[.!?][\"”\u2019)\]]*\s+(?=[\"“\u2018(\[]?[A-Z0-9])"
)
KNOWN_HEADING = re.compile(
    r"(?i)(?:\d+\.?\s+)?(?:abstract|introduction|background|related work|methods?|methodology|results?|discussion|"
    r"limitations?|conclusions?|references|bibliography|acknowledge?ments?|appendix\b.*)"
)
NUMBERED_HEADING = re.compile(r"(?:#{1,6}|(?:\d+|[A-Z])(?:\.\d+)*\.?)\s+[A-Z](?:[^.!?]|\.\d)*")
HEADING_WORDS, HEADING_LENGTH = 12, 120
BARE_HEADING_WORDS = 6  # of a line that only its shortness sets apart
RUN_IN_WORDS = 6  # of a heading that opens its paragraph, as "Mover heads."
LIST_END = re.compile(r"(?i)(?:\W|\d)*(?:references|bibliography|acknowledge?ments?)\b")

LONGEST = 1500  # characters of a sentence; what is longer is a table, and would make the patterns slow

PAIR = r"\d{1,2}\.\d{1,2}"
LIST = r"(?:\s*(?:,|/|&|\band\b|\bor\b)\s*(?:and\s+)?"
HEAD_LIST = re.compile(rf"\b[Hh]eads?\s+\(?({PAIR}{LIST}{PAIR})*)")
HEAD_FORMS = (
    re.compile(r"\bL(\d+)[.\s]?H(\d+)\b"),
    re.compile(r"\ba(\d+)\.h(\d+)\b"),
    re.compile(r"(?i)\blayer (\d+),? head (\d+)\b"),
    re.compile(r"(?i)\bhead (?P<head>\d+) (?:of|in) layer (?P<layer>\d+)\b"),
)
NUMBERED = (
    ("MLP", re.compile(rf"\bMLPs?(?:[ -]layers?)?[ -]?(\d+{LIST}\d+)*)")),
    ("MLP", re.compile(r"(?i)\blayer[- ](\d+) MLP\b")),
    ("neuron", re.compile(rf"(?i)\bneurons?\s+((?:L?\d+[.N])?\d+{LIST}(?:L?\d+[.N])?\d+)*)\b")),
    ("feature", re.compile(r"(?i)\b(?:features?|latents?)\s+#?(\d+)\b")),
    ("layer", re.compile(rf"(?i)\blayers?\s+(\d+{LIST}\d+)*)\b(?!,? (?:heads?|MLP)\b)")),
)
CLASS = re.compile(
    r"(?i)(?<![\w-])([a-z][\w'-]{0,40})\s+(?:([a-z][\w'-]{0,40})\s+)?(heads?|neurons?|mlps?|units|features?|latents?|direction|"
    r"subspace)\b"
)
# Words before "heads" that make no class of them.
PLAIN_WORDS = """the a an this these those that such each every all other any some many few most several both attention
    transformer model random randomly single individual same different one two three four five six seven eight nine ten
    of and or in on at to from by with for as per its their our are is was were no non remaining important key relevant
    more less only specific particular top full total between across which where when while if than then also earlier
    later early late previous-layer ablating ablated ablation patching patched removing removed scaling probing probed
    training steering zeroing replacing selected chosen equal equally large small matched circuit network intact
    reported certain its whole entire first second third last final middle hidden mlp layer within among these named
    call called we residual output input read write value query key equal-sized control unrelated"""
PLAIN = frozenset(PLAIN_WORDS.split())
SYSTEM = re.compile(r"(?i)\b(?:circuits?|algorithms?|sub-?networks?|sub-?graphs?|pathways?|whole system|full system)\b")
ANAPHOR = re.compile(
    r"(?i)\b(?:it|its|itself|them|they|their|themselves|(?:this|these|the|both|all) (?:\w+ )?(?:heads?|neurons?|"
    r"mlps?|"
    r"components?|class|group|layers?|features?|units|direction))\b"
)


class Mention(NamedTuple):
    """Where a text names components, and which."""

    start: int
    end: int
    keys: frozenset[str]


class Sentence(NamedTuple):
    """A sentence on one line, its place [start, end) in the paper, and the components that it is about."""

    start: int
    end: int
    text: str
    masked: str  # the text with # for the digits of components' names, which measure nothing
    section: str
    named: frozenset[str]
    about: frozenset[str]  # named here, by a pronoun, or by the heading that it stands under
    system: bool  # names the whole


class Names:
    """The components that a paper names, each under one key, whichever form a sentence uses."""

    def __init__(self, text: str) -> None:
        flat = " ".join(text.split())
        self.surface: dict[str, str] = {}  # as the paper first writes it
        self._pairs = {pair for listed in HEAD_LIST.findall(flat) for pair in re.findall(PAIR, listed)}
        self._one, self._two = Counter[str](), Counter[str]()
        for _, _, two, one in _classes(flat):
            self._one[one] += 1
            if two:
                self._two[two] += 1

    def mentions(self, text: str) -> list[Mention]:
        """Where `text` names components, in its order."""
        found: list[Mention] = []
        for mention in sorted(self._find(text), key=lambda mention: (mention.start, -mention.end)):
            if found and mention.start < found[-1].end:
                continue  # the layer in "head 3 of layer 5"
            found.append(mention)
            for key in mention.keys:
                self.surface.setdefault(key, text[mention.start : mention.end] if len(mention.keys) == 1 else key)
        return found

    def _find(self, text: str) -> Iterator[Mention]:
        for form in HEAD_FORMS:
            for match in form.finditer(text):
                named = match.groupdict()
                layer, head = (named["layer"], named["head"]) if named else match.groups()
                yield Mention(*match.span(), frozenset({f"L{layer}H{head}"}))
        for match in re.finditer(rf"(?<![\w.])({PAIR})(?![\w.]*\d|\s*(?:%|percent|points|logits))", text):
            if match[1] in self._pairs:
                yield Mention(*match.span(), frozenset({"L{}H{}".format(*match[1].split("."))}))
        for kind, form in NUMBERED:
            for match in form.finditer(text):
                numbers = re.findall(r"L?\d+(?:[.N]\d+)?", match[1])
                yield Mention(*match.span(), frozenset(f"{kind} {number}" for number in numbers))
        for start, end, two, one in _classes(text):
            name = two if two and self._two[two] * 2 >= self._one[one] else one
            # A class has a name that the paper uses again.
            if self._one[one] > 1:
                yield Mention(start, end, frozenset({name}))


def _classes(text: str) -> Iterator[tuple[int, int, str, str]]:
    """Place and name of each "... heads": with two words before the noun ("" if there is one only), and with one."""
    for match in CLASS.finditer(text):
        words = [word.lower() for word in match.groups()[:2] if word]
        noun = match[3].lower().rstrip("s")
        if words[-1] in PLAIN or not words[-1].isascii():
            continue
        two = "" if len(words) == 1 or words[0] in PLAIN else f"{words[0]} {words[1]} {noun}"
        start = match.start() if two or len(words) == 1 else match.start(2)
        yield start, match.end(), two, f"{words[-1]} {noun}"


def read_sentences(text: str, names: Names) -> list[Sentence]:
    """The sentences of a paper's body, without headings and reference lists."""
    sentences: list[Sentence] = []
    section, headed, listed = "", frozenset[str](), False
    for start, end, heading in _blocks(text):
        line = _one_line(text[start:end])
        if heading:
            section, headed = line.lower(), _keys(names, line)
            listed = bool(LIST_END.match(line))
        elif not listed:
            sentences.extend(_block_sentences(text, start, end, section, headed, names))
    return sentences


def _block_sentences(
    text: str, start: int, end: int, section: str, headed: frozenset[str], names: Names
) -> Iterator[Sentence]:
    before = frozenset[str]()
    for place, (first, last) in enumerate(_split(text, start, end)):
        if last - first > LONGEST:
            continue
        line = _one_line(text[first:last])
        named, system, masked = _keys(names, line), bool(SYSTEM.search(line)), line
        for mention in names.mentions(line):
            hidden = re.sub(r"\d", "#", line[mention.start : mention.end])
            masked = masked[: mention.start] + hidden + masked[mention.end :]
        if place == 0 and named and len(line.split()) <= RUN_IN_WORDS:
            headed = named
        about = named
        if not named and not system:
            about = before if before and ANAPHOR.search(line) else headed
        yield Sentence(first, last, line, masked, section, named, about, system)
        before = about


def _keys(names: Names, text: str) -> frozenset[str]:
    return frozenset().union(*(mention.keys for mention in names.mentions(text)))


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in END.finditer(text, start, end):
        last = match.start() + len(match[0].rstrip())
        yield first, last
        first = match.end()
    if text[first:end].strip():
        yield first, first + len(text[first:end].rstrip())


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Headings (True), and between them the runs of lines without a blank one."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]*\n?", text) if match[0]]
    open_at: int | None = None
    for place, (start, end) in enumerate(lines):
        around = ["" if not 0 <= at < len(lines) else text[slice(*lines[at])].strip() for at in (place - 1, place + 1)]
        line = text[start:end].strip()
        heading = _is_heading(line, *around)
        if (heading or not line) and open_at is not None:
            yield open_at, start, False
            open_at = None
        if heading:
            yield start, end, True
        elif line and open_at is None:
            open_at = start + text[start:end].index(line[0])
    if open_at is not None:
        yield open_at, len(text), False


def _is_heading(line: str, before: str, after: str) -> bool:
    words = len(line.split())
    if not line or words > HEADING_WORDS or len(line) > HEADING_LENGTH or line[-1] in ".!?,;:":
        return False
    if KNOWN_HEADING.fullmatch(line) or NUMBERED_HEADING.fullmatch(line):
        return True
    alone = not before and not after
    between = words <= BARE_HEADING_WORDS and before[-1:] in ("", ".", "!", "?") and after[:1].isupper()
    return line[0].isupper() and (alone or between)


def _one_line(text: str) -> str:
    return " ".join(re.sub(r"(?<=[a-z])-\s*\n\s*(?=[a-z])", "", text).split())
