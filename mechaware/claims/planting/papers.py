"""Short papers written from a stated level on every criterion: what a judge should find in them is known beforehand."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from mechaware.claims.planting.paper_phrases import KEY, bank, fill, join, list_components, phrasings, topic_of
from mechaware.seeds import derive_seed

SILENT = 0.4  # the share of unmet criteria of which nothing is said, where silence is plain
COUNTS = {3: "three", 4: "four", 5: "five"}
MIXED = ("introduction", "background", "method")  # whose filler may stand in any order
# Where the criteria are dealt with. Those of `results` have a section for each claim, of two paragraphs.
RESULTS = (("C2", "C3", "C4", "C5", "V3"), ("I1", "I2", "I3", "I4", "E1", "E2", "E3", "E4"))
LATER = {
    "Controls and measurement": ("controls", ("I5", "M1", "M2", "M3", "M4", "M5", "M6")),
    "Generality": ("generality", ("E5", "E6")),
    "Discussion": ("discussion", ("V1", "V2", "V4")),
    "Limitations": ("limitations", ("V5",)),
}


class PaperClaim(NamedTuple):
    """What is known of a claim: `levels` by criterion code; `leaks` are criteria with the circuit's evidence near."""

    statement: str
    system: bool
    name: str  # "agreement circuit", "number movers"
    components: tuple[str, ...]
    mode: str
    families: tuple[str, ...]
    levels: Mapping[str, str]
    leaks: tuple[str, ...]


class PaperFacts(NamedTuple):
    """What a paper is written from; its first claim is the circuit's."""

    paper: str
    title: str
    task: str
    model: str
    claims: tuple[PaperClaim, ...]


class Sentence(NamedTuple):
    """A sentence and why it stands there: for which claim and criterion, or for none (filler)."""

    text: str
    claim: int | None = None
    code: str | None = None
    leak: bool = False


class Section(NamedTuple):
    """A heading and its paragraphs: a run-in lead (may be empty) and sentences."""

    heading: str
    paragraphs: list[tuple[str, list[Sentence]]]


class Manuscript(NamedTuple):
    """A paper before it is set."""

    title: str
    authors: str
    sections: list[Section]
    references: list[str]

    def sentences(self) -> list[Sentence]:
        """All sentences, in the order of the text."""
        return [sentence for section in self.sections for _, paragraph in section.paragraphs for sentence in paragraph]


def compose(facts: PaperFacts, seed: int) -> Manuscript:
    """The sections of a paper whose text states each claim's levels, and nothing that would speak for others."""
    return _Author(facts, seed).write()


class _Author:
    """The draws of one paper. Each sentence has its own seed: a new phrasing shifts no other."""

    def __init__(self, facts: PaperFacts, seed: int) -> None:
        self.facts, self.seed = facts, derive_seed(seed, facts.paper)
        topic, random = topic_of(facts.task), self._random("setting")
        (model,) = (model for model in bank()["models"] if model["model"] == facts.model)
        self.slots: dict[str, str] = {key: value for key, value in topic.items() if isinstance(value, str)} | model
        self.slots |= {"arch": random.choice(bank()["architectures"]), "metric": random.choice(bank()["metrics"])}
        names = random.sample(bank()["names"], len(bank()["names"]))
        self.authors = join(names[:3])
        self.works = sorted(_invent_work(names[3 + 2 * i : 5 + 2 * i], random, i) for i in range(9))
        self.used: set[str] = set()
        self.asides = random.sample(bank()["filler"]["aside"], len(bank()["filler"]["aside"]))

    def write(self) -> Manuscript:
        claims = self.facts.claims
        statements = [Sentence(claim.statement, index, "C1") for index, claim in enumerate(claims)]
        abstract = self._filler("abstract")
        sections = [
            Section("Abstract", [("", [abstract[0], statements[0], *abstract[1:]])]),
            Section("Introduction", [("", self._filler("introduction")), *self._list(statements)]),
            Section("Background", [("", self._filler("background"))]),
            Section("Method", [("", self._filler("method"))]),
        ]
        sections += [self._results(index) for index in range(len(claims))]
        for heading, (filler, codes) in LATER.items():
            sections.append(Section(heading, [("", self._filler(filler)), *self._by_claim(codes)]))
        return Manuscript(self.facts.title, self.authors, sections, [text for *_, text in self.works])

    def _list(self, statements: list[Sentence]) -> list[tuple[str, list[Sentence]]]:
        lead = [Sentence(f"We make {_count(len(statements))} claims.")]
        return [("", lead), *((f"Claim {number}.", [text]) for number, text in enumerate(statements, 1))]

    def _results(self, index: int) -> Section:
        claim = self.facts.claims[index]
        random = self._random("results", index)
        opening = self._fill(random.choice(bank()["filler"]["results"]), index, random)
        paragraphs = [self._evidence(index, codes) for codes in RESULTS]
        paragraphs[0].insert(random.randrange(len(paragraphs[0]) + 1), self._aside(index, random))
        paragraphs[0].insert(0, Sentence(opening))
        heading = f"The {claim.name}"
        return Section(heading, [("", paragraph) for paragraph in paragraphs if paragraph])

    def _by_claim(self, codes: Sequence[str]) -> list[tuple[str, list[Sentence]]]:
        found = [(claim.name, self._evidence(index, codes)) for index, claim in enumerate(self.facts.claims)]
        return [(f"{name[0].upper()}{name[1:]}.", sentences) for name, sentences in found if sentences]

    def _evidence(self, index: int, codes: Sequence[str]) -> list[Sentence]:
        sentences = [sentence for code in codes if (sentence := self._sentence(index, code))]
        return self._shuffled(sentences, index, *codes)

    def _sentence(self, index: int, code: str) -> Sentence | None:
        """The sentence for a claim's level on a criterion; None where the paper is silent."""
        claim, random = self.facts.claims[index], self._random("claim", index, code)
        if code in claim.leaks:
            templates = bank()["leaks"][code][KEY[self.facts.claims[0].levels[code]]]
            return Sentence(self._fill(self._choose(templates, random), index, random), index, code, leak=True)
        level = claim.levels[code]
        if level == "NO" and code not in bank()["spoken"] and random.random() < SILENT:
            return None
        holds = {"system" if claim.system else "component", *claim.families}
        if claim.levels["I1"] != "NO":
            holds.add("ablated")
        templates = phrasings(code, level, holds)
        return Sentence(self._fill(self._choose(templates, random), index, random), index, code)

    def _choose(self, templates: Sequence[str], random: Random) -> str:
        """One that this paper has not used yet, while there is one."""
        chosen = random.choice([template for template in templates if template not in self.used] or templates)
        self.used.add(chosen)
        return chosen

    def _fill(self, template: str, index: int, random: Random) -> str:
        claim = self.facts.claims[index]
        mode = bank()["modes"][claim.mode]
        slots = self.slots | {"x": f"the {claim.name}", "units": list_components(claim.components), "mode": mode}
        slots |= {"a_mode": f"{'an' if mode[0] in 'aeiou' else 'a'} {mode}", "count": _count(len(claim.families))}
        slots |= self._cite(random)
        slots["lines"] = join([self._line(family, claim, random) for family in claim.families])
        return fill(template, slots, random, plural=not claim.system)

    def _line(self, family: str, claim: PaperClaim, random: Random) -> str:
        if family == "structural":
            family = "weights" if claim.levels["C2"] == "YES" else "attention"
        return fill(random.choice(bank()["lines"][family]), self.slots, random)

    def _cite(self, random: Random) -> dict[str, str]:
        names, year, _ = random.choice(self.works)
        return {"cite": f"({names}, {year})", "author": f"{names} ({year})"}

    def _filler(self, place: str) -> list[Sentence]:
        sentences = []
        for number, template in enumerate(bank()["filler"][place]):
            random = self._random("filler", place, number)
            sentences.append(Sentence(self._fill(template, 0, random)))
        return self._shuffled(sentences, "filler", place) if place in MIXED else sentences

    def _aside(self, index: int, random: Random) -> Sentence:
        return Sentence(self._fill(self.asides[index % len(self.asides)], index, random))

    def _shuffled(self, sentences: list[Sentence], *names: str | int) -> list[Sentence]:
        return self._random("order", *names).sample(sentences, len(sentences))

    def _random(self, *names: str | int) -> Random:
        return Random(derive_seed(self.seed, *names))  # noqa: S311


def _count(number: int) -> str:
    return {1: "one", 2: "two", **COUNTS}[number]


def _invent_work(names: Sequence[str], random: Random, number: int) -> tuple[str, int, str]:
    """The authors, year and full entry of a work that does not exist."""
    works, nouns = bank()["works"], bank()["nouns"]
    authors, year, noun = join(names), random.randint(2017, 2025), nouns[number % len(nouns)]
    title = fill(random.choice(works), {"noun": noun}, random)
    return authors, year, f"{authors} ({year}). {title}. {random.choice(bank()['venues'])}, {random.randint(10, 400)}."


LAYOUT = """\
#set document(title: {title}, date: none)
#set page(paper: "a4", margin: 2.5cm, numbering: "1")
#set text(font: "Libertinus Serif", size: 10.5pt, lang: "en", hyphenate: false, ligatures: false)
#set par(justify: true, leading: 0.62em, spacing: 0.9em)
#show heading: set block(above: 1.4em, below: 0.8em)
#show heading: set text(size: 11.5pt)
// A compound word is never broken at its hyphen, so that the extracted text has it in one piece.
#show regex("[\\p{L}\\d]+([-.][\\p{L}\\d]+)+"): box
#let part(lead, body) = par(if lead == "" { body } else { strong(lead) + " " + body })
#let entry(body) = par(hanging-indent: 1.2em, justify: false, body)
#align(center, par(justify: false, text(size: 16pt, weight: "bold", {title})))
#align(center, {authors})
"""


def typeset(manuscript: Manuscript) -> str:
    """Typst source of a manuscript: A4, one column, no date, no hyphenation and no ligatures."""
    lines = [LAYOUT.replace("{title}", _quote(manuscript.title)).replace("{authors}", _quote(manuscript.authors))]
    number = 0
    for section in manuscript.sections:
        number += section.heading != "Abstract"
        heading = section.heading if section.heading == "Abstract" else f"{number} {section.heading}"
        lines.append(f"#heading({_quote(heading)})")
        for lead, sentences in section.paragraphs:
            lines.append(f"#part({_quote(lead)}, {_quote(' '.join(sentence.text for sentence in sentences))})")
    lines.append('#heading("References")')
    lines += [f"#entry({_quote(reference)})" for reference in manuscript.references]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def print_pdf(source: str) -> bytes:
    """The PDF of a typst source: equal bytes for equal sources, with the compiler's own fonts only."""
    import typst

    compiled: Callable[..., bytes] = typst.compile
    return compiled(source.encode(), format="pdf", ignore_system_fonts=True)
