"""Splits a paper into the sentences that the lexical judge reads, with the model components that each is about."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mechaware.claims.judges.components import ComponentNames

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
REFERENCES = re.compile(r"(?i)(?:\W|\d)*(?:references|bibliography|acknowledge?ments?)\b")

LONGEST = 1500  # characters of a sentence; anything longer is a table, and would make the patterns slow

SYSTEM = re.compile(r"(?i)\b(?:circuits?|algorithms?|sub-?networks?|sub-?graphs?|pathways?|whole system|full system)\b")
ANAPHOR = re.compile(
    r"(?i)\b(?:it|its|itself|them|they|their|themselves|(?:this|these|the|both|all) (?:\w+ )?(?:heads?|neurons?|"
    r"mlps?|"
    r"components?|class|group|layers?|features?|units|direction))\b"
)


class Sentence(NamedTuple):
    """A sentence on one line, its place [start, end) in the paper's text, and the components that it is about."""

    start: int
    end: int
    text: str
    masked: str  # the text with # for the digits of components' names, which measure nothing
    section: str  # its heading in lower case
    named: frozenset[str]  # keys of the components that it names
    about: frozenset[str]  # those, or the ones that a pronoun or the heading refers to
    system: bool  # whether it names the whole circuit


def read_sentences(text: str, names: ComponentNames) -> list[Sentence]:
    """The sentences of a paper's body in order, without headings, reference lists and sentences over `LONGEST`."""
    sentences: list[Sentence] = []
    section, headed, in_references = "", frozenset[str](), False
    for start, end, heading in _blocks(text):
        line = _one_line(text[start:end])
        if heading:
            section, headed = line.lower(), names.keys_in(line)
            in_references = bool(REFERENCES.match(line))
        elif not in_references:
            sentences.extend(_block_sentences(text, start, end, section, headed, names))
    return sentences


def _block_sentences(
    text: str, start: int, end: int, section: str, headed: frozenset[str], names: ComponentNames
) -> Iterator[Sentence]:
    previous = frozenset[str]()  # the components that the sentence before is about
    for number, (first, last) in enumerate(_split(text, start, end)):
        if last - first > LONGEST:
            continue
        line = _one_line(text[first:last])
        named, system, masked = names.keys_in(line), bool(SYSTEM.search(line)), line
        for mention in names.mentions(line):
            hidden = re.sub(r"\d", "#", line[mention.start : mention.end])
            masked = masked[: mention.start] + hidden + masked[mention.end :]
        if number == 0 and named and len(line.split()) <= RUN_IN_WORDS:
            headed = named
        about = named
        if not named and not system:
            about = previous if previous and ANAPHOR.search(line) else headed
        yield Sentence(first, last, line, masked, section, named, about, system)
        previous = about


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    first = start
    for match in END.finditer(text, start, end):
        last = match.start() + len(match[0].rstrip())
        yield first, last
        first = match.end()
    if text[first:end].strip():
        yield first, first + len(text[first:end].rstrip())


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Start, end and kind of each block: headings (True), and between them runs of lines without a blank one."""
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n]*\n?", text) if match[0]]
    open_at: int | None = None
    for number, (start, end) in enumerate(lines):
        around = [
            "" if not 0 <= other < len(lines) else text[slice(*lines[other])].strip()
            for other in (number - 1, number + 1)
        ]
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
