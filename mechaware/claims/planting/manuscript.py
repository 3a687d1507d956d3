"""Writes a short paper from a planned level of every criterion: its sections, sentence by sentence."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from mechaware.claims.planting.phrases import BLOCKS, fill, list_components, listing, phrases, phrasings, topic_of
from mechaware.claims.planting.records import PlantedClaim, PlantedPaper
from mechaware.seeds import derive_seed

SILENT = 0.4  # the share of unmet criteria without a sentence, where silence is unambiguous
COUNTS = {3: "three", 4: "four", 5: "five"}
SHUFFLED = ("introduction", "background", "method")  # sections whose filler may have any order
# The criteria of each section. Every claim has a results section of its own, of two paragraphs.
RESULTS = (("C2", "C3", "C4", "C5", "V3"), ("I1", "I2", "I3", "I4", "E1", "E2", "E3", "E4"))
LATER = {
    "Controls and measurement": ("controls", ("I5", "M1", "M2", "M3", "M4", "M5", "M6")),
    "Generality": ("generality", ("E5", "E6")),
    "Discussion": ("discussion", ("V1", "V2", "V4")),
    "Limitations": ("limitations", ("V5",)),
}


class Sentence(NamedTuple):
    """A sentence with the claim and the criterion that it is about; None for filler."""

    text: str
    claim: int | None = None
    code: str | None = None
    leak: bool = False


class Section(NamedTuple):
    """A heading and its paragraphs: a run-in lead (may be empty) and sentences."""

    heading: str
    paragraphs: list[tuple[str, list[Sentence]]]


class Manuscript(NamedTuple):
    """A paper before it is typeset."""

    title: str
    authors: str
    sections: list[Section]
    references: list[str]

    def sentences(self) -> list[Sentence]:
        """All sentences, in the order of the text."""
        return [sentence for section in self.sections for _, paragraph in section.paragraphs for sentence in paragraph]


def compose(paper: PlantedPaper) -> Manuscript:
    """The sections of a paper whose text states each claim's levels, and nothing that would support higher ones.

    The draws depend on the paper's seed and id.
    """
    return _Author(paper).write()


class _Author:
    """The draws of one paper. Each sentence has a seed of its own, so that a new phrasing changes no other sentence."""

    def __init__(self, paper: PlantedPaper) -> None:
        self.paper, self.seed = paper, derive_seed(paper.seed, paper.paper)
        topic, random = topic_of(paper.task), self._random("setting")
        (model,) = (model for model in phrases()["models"] if model["model"] == paper.model)
        self.slots: dict[str, str] = {key: value for key, value in topic.items() if isinstance(value, str)} | model
        self.slots |= {"arch": random.choice(phrases()["architectures"]), "metric": random.choice(phrases()["metrics"])}
        names = random.sample(phrases()["names"], len(phrases()["names"]))
        self.authors = listing(names[:3])
        self.works = sorted(_invent_work(names[3 + 2 * i : 5 + 2 * i], random, i) for i in range(9))
        self.used: set[str] = set()
        self.asides = random.sample(phrases()["filler"]["aside"], len(phrases()["filler"]["aside"]))

    def write(self) -> Manuscript:
        claims = self.paper.claims
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
        return Manuscript(self.paper.title, self.authors, sections, [text for *_, text in self.works])

    def _list(self, statements: list[Sentence]) -> list[tuple[str, list[Sentence]]]:
        lead = [Sentence(f"We make {_count(len(statements))} claims.")]
        return [("", lead), *((f"Claim {number}.", [text]) for number, text in enumerate(statements, 1))]

    def _results(self, index: int) -> Section:
        claim = self.paper.claims[index]
        random = self._random("results", index)
        opening = self._fill(random.choice(phrases()["filler"]["results"]), index, random)
        paragraphs = [self._evidence(index, codes) for codes in RESULTS]
        paragraphs[0].insert(random.randrange(len(paragraphs[0]) + 1), self._aside(index, random))
        paragraphs[0].insert(0, Sentence(opening))
        heading = f"The {claim.name}"
        return Section(heading, [("", paragraph) for paragraph in paragraphs if paragraph])

    def _by_claim(self, codes: Sequence[str]) -> list[tuple[str, list[Sentence]]]:
        paragraphs = [(claim.name, self._evidence(index, codes)) for index, claim in enumerate(self.paper.claims)]
        return [(f"{name[0].upper()}{name[1:]}.", sentences) for name, sentences in paragraphs if sentences]

    def _evidence(self, index: int, codes: Sequence[str]) -> list[Sentence]:
        sentences = [sentence for code in codes if (sentence := self._sentence(index, code))]
        return self._shuffled(sentences, index, *codes)

    def _sentence(self, index: int, code: str) -> Sentence | None:
        """The sentence for a claim's level on a criterion; None where the paper is silent."""
        claim, random = self.paper.claims[index], self._random("claim", index, code)
        if code in claim.leaks:
            templates = phrases()["leaks"][code][BLOCKS[self.paper.claims[0].levels[code]]]
            return Sentence(self._fill(self._choose(templates, random), index, random), index, code, leak=True)
        level = claim.levels[code]
        if level == "NO" and code not in phrases()["spoken"] and random.random() < SILENT:
            return None
        holds = {"system" if claim.system else "component", *claim.evidence_families}
        if claim.levels["I1"] != "NO":
            holds.add("ablated")
        templates = phrasings(code, level, holds)
        return Sentence(self._fill(self._choose(templates, random), index, random), index, code)

    def _choose(self, templates: Sequence[str], random: Random) -> str:
        """A random template among those that this paper has not used, or among all if it has used them all."""
        chosen = random.choice([template for template in templates if template not in self.used] or templates)
        self.used.add(chosen)
        return chosen

    def _fill(self, template: str, index: int, random: Random) -> str:
        claim = self.paper.claims[index]
        mode = phrases()["modes"][claim.description_mode]
        slots = self.slots | {"x": f"the {claim.name}", "units": list_components(claim.components), "mode": mode}
        slots |= {
            "a_mode": f"{'an' if mode[0] in 'aeiou' else 'a'} {mode}",
            "count": _count(len(claim.evidence_families)),
        }
        slots |= self._cite(random)
        slots["lines"] = listing([self._line(family, claim, random) for family in claim.evidence_families])
        return fill(template, slots, random, plural=not claim.system)

    def _line(self, family: str, claim: PlantedClaim, random: Random) -> str:
        if family == "structural":
            family = "weights" if claim.levels["C2"] == "YES" else "attention"
        return fill(random.choice(phrases()["lines"][family]), self.slots, random)

    def _cite(self, random: Random) -> dict[str, str]:
        names, year, _ = random.choice(self.works)
        return {"cite": f"({names}, {year})", "author": f"{names} ({year})"}

    def _filler(self, section: str) -> list[Sentence]:
        sentences = []
        for number, template in enumerate(phrases()["filler"][section]):
            random = self._random("filler", section, number)
            sentences.append(Sentence(self._fill(template, 0, random)))
        return self._shuffled(sentences, "filler", section) if section in SHUFFLED else sentences

    def _aside(self, index: int, random: Random) -> Sentence:
        return Sentence(self._fill(self.asides[index % len(self.asides)], index, random))

    def _shuffled(self, sentences: list[Sentence], *names: str | int) -> list[Sentence]:
        return self._random("order", *names).sample(sentences, len(sentences))

    def _random(self, *names: str | int) -> Random:
        return Random(derive_seed(self.seed, *names))  # noqa: S311


def _count(number: int) -> str:
    return {1: "one", 2: "two", **COUNTS}[number]


def _invent_work(names: Sequence[str], random: Random, number: int) -> tuple[str, int, str]:
    """Authors, year and full reference of a work that does not exist."""
    works, nouns = phrases()["works"], phrases()["nouns"]
    authors, year, noun = listing(names), random.randint(2017, 2025), nouns[number % len(nouns)]
    title = fill(random.choice(works), {"noun": noun}, random)
    return (
        authors,
        year,
        f"{authors} ({year}). {title}. {random.choice(phrases()['venues'])}, {random.randint(10, 400)}.",
    )
