"""Writes a short paper from a planned level of every criterion: its sections, sentence by sentence."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from mechaware.core.seeds import derive_seed
from mechaware.instruments.claims.rubric.criteria import Status
from mechaware.planted.papers.phrases import (
    BLOCKS,
    fill,
    list_components,
    listing,
    phrases,
    phrasings,
    topic_of,
)
from mechaware.planted.papers.plan import PlantedPaper

OPENED = 0.5  # the share of sentences on criteria that open with words of no weight
SILENT = 0.4  # the share of unmet criteria without a sentence, where silence is unambiguous
COUNTS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
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
    """A sentence with the claim and the criterion that it is about, and the status that it earns; None for filler.

    The last sentence on a criterion of a claim decides; without one the status is NO. A row of a table is a sentence
    whose cells are parted by tabs.
    """

    text: str
    claim: int | None = None
    code: str | None = None
    status: Status | None = None
    leak: bool = False


class Section(NamedTuple):
    """A heading, its paragraphs (each a run-in lead, which may be empty, and sentences) and the rows of its table.

    The first row is the table's header; without rows there is no table.
    """

    heading: str
    paragraphs: list[tuple[str, list[Sentence]]]
    table: Sequence[Sentence] = ()


class Manuscript(NamedTuple):
    """A paper before it is typeset."""

    title: str
    authors: str
    sections: list[Section]
    references: list[str]

    def sentences(self) -> list[Sentence]:
        """All sentences, in the order of the text, with the rows of tables."""
        return [
            sentence
            for section in self.sections
            for paragraph in [*(sentences for _, sentences in section.paragraphs), section.table]
            for sentence in paragraph
        ]

    def text(self) -> str:
        """The paper as text: a line for a title, a heading, a paragraph, a row and a reference."""
        lines = [self.title, self.authors]
        for section in self.sections:
            lines += ["", section.heading, ""]
            for lead, sentences in section.paragraphs:
                lines.append(f"{lead} {' '.join(sentence.text for sentence in sentences)}".strip())
            lines += [row.text for row in section.table]
        return "\n".join([*lines, "", "References", "", *self.references]) + "\n"


def compose(paper: PlantedPaper) -> Manuscript:
    """The sections of a paper whose text states each claim's levels, and nothing that would support higher ones.

    The draws depend on the paper's seed and id.
    """
    return Author(paper).write()


class Author:
    """The draws of one paper. Each sentence has a seed of its own, so that a new phrasing changes no other sentence."""

    def __init__(self, paper: PlantedPaper) -> None:
        self.paper, self.seed = paper, derive_seed(paper.seed, paper.paper)
        topic, random = topic_of(paper.task), self._random("setting")
        (model,) = (model for model in phrases()["models"] if model["model"] == paper.model)
        self.slots: dict[str, str] = {
            key: value for key, value in topic.items() if isinstance(value, str)
        } | model
        self.slots |= {
            "arch": random.choice(phrases()["architectures"]),
            "metric": random.choice(phrases()["metrics"]),
        }
        names = random.sample(phrases()["names"], len(phrases()["names"]))
        self.authors = listing(names[:3])
        self.works = sorted(_invent_work(names[3 + 2 * i : 5 + 2 * i], random, i) for i in range(9))
        self.outsiders = self._draw_outsiders()
        self.used: set[str] = set()
        self.asides = random.sample(phrases()["filler"]["aside"], len(phrases()["filler"]["aside"]))

    def write(self) -> Manuscript:
        """The whole paper."""
        claims = self.paper.claims
        abstract = self._filler("abstract")
        first, *others = (self._statement(index) for index in range(len(claims)))
        background = self._filler("background")
        if self.paper.instructs:
            random = self._random("instruction")
            background.insert(
                random.randrange(len(background)),
                Sentence(random.choice(phrases()["instructions"])),
            )
        sections = [
            Section("Abstract", [("", [abstract[0], first, *abstract[1:]])]),
            Section(
                "Introduction",
                [("", self._filler("introduction")), ("", [self._statement(0, 1), *others])],
            ),
            Section("Background", [("", background)]),
            Section("Method", [("", self._filler("method"))]),
        ]
        sections += [self._results(index) for index in range(len(claims))]
        if rows := self._rows():
            lead = Sentence(self.from_template([phrases()["table"]["lead"]], 0, "table"))
            sections.append(Section("Sizes of effects", [("", [lead])], rows))
        for heading, (filler, codes) in LATER.items():
            sections.append(Section(heading, [("", self._filler(filler)), *self._by_claim(codes)]))
        return Manuscript(
            self.paper.title, self.authors, sections, [text for *_, text in self.works]
        )

    def sentence(self, index: int, code: str, level: Status, *names: str | int) -> Sentence:
        """A sentence that gives this level of a criterion to the claim, whatever its planned level; not of C1.

        `names` identify the draw.
        """
        claim, random = self.paper.claims[index], self._random("claim", index, code, *names)
        templates = phrasings(
            code, level, {"system" if claim.system else "component", *claim.evidence_families}
        )
        return Sentence(self._write(templates, index, random), index, code, level)

    def evidence(self, templates: Sequence[str], index: int, *names: str | int) -> str:
        """A sentence on a criterion of a claim, from one of these templates; `names` identify the draw."""
        return self._write(templates, index, self._random(*names))

    def from_template(self, templates: Sequence[str], index: int, *names: str | int) -> str:
        """Filler from one of these templates; `names` identify the draw."""
        random = self._random(*names)
        return self._fill(random.choice(templates), index, random)

    def _statement(self, index: int, wording: int = 0) -> Sentence:
        """A claim in the first or a later one of its wordings."""
        claim = self.paper.claims[index]
        text = [claim.statement, *claim.restated][wording]
        return Sentence(text, index, "C1", claim.levels["C1"])

    def _rows(self) -> list[Sentence]:
        """Header and rows of the table, with a row for each claim whose effect has a size; empty if there is none."""
        claims = enumerate(self.paper.claims)
        sized = [
            index for index, claim in claims if self.paper.tabled and claim.levels["E4"] == "YES"
        ]
        if not sized:
            return []
        rows = [Sentence("\t".join(phrases()["table"]["header"]))]
        for index in sized:
            random = self._random("row", index)
            cells = [self._fill(cell, index, random) for cell in phrases()["table"]["row"]]
            rows.append(Sentence("\t".join(cells), index, "E4", "YES"))
        return rows

    def _results(self, index: int) -> Section:
        claim = self.paper.claims[index]
        random = self._random("results", index)
        opening = self._fill(random.choice(phrases()["filler"]["results"]), index, random)
        paragraphs = [self._evidence(index, codes) for codes in RESULTS]
        place = random.randrange(len(paragraphs[0]) + 1)
        paragraphs[0].insert(
            place, Sentence(self._fill(self.asides[index % len(self.asides)], index, random))
        )
        restated = self._statement(index, 2 if claim.system else 1)
        paragraphs[0][:0] = [Sentence(opening), restated]
        return Section(
            f"The {claim.name}", [("", paragraph) for paragraph in paragraphs if paragraph]
        )

    def _by_claim(self, codes: Sequence[str]) -> list[tuple[str, list[Sentence]]]:
        paragraphs = []
        for index, claim in enumerate(self.paper.claims):
            sentences = self._evidence(index, codes)
            if "V5" in codes:  # the last section
                for code in claim.withdrawn:
                    text = self.evidence(
                        phrases()["withdrawals"][code], index, "withdrawal", index, code
                    )
                    sentences.append(Sentence(text, index, code, "NO"))
            paragraphs.append((claim.name, sentences))
        return [
            (f"{name[0].upper()}{name[1:]}.", sentences)
            for name, sentences in paragraphs
            if sentences
        ]

    def _evidence(self, index: int, codes: Sequence[str]) -> list[Sentence]:
        sentences = [sentence for code in codes if (sentence := self._sentence(index, code))]
        return self._shuffled(sentences, index, *codes)

    def _sentence(self, index: int, code: str) -> Sentence | None:
        """The sentence for a claim's level on a criterion; None where the paper is silent or has a row of its table."""
        claim, random = self.paper.claims[index], self._random("claim", index, code)
        if code in claim.leaks:
            templates = phrases()["leaks"][code][BLOCKS[self.paper.claims[0].levels[code]]]
            return Sentence(self._write(templates, index, random), index, code, "NO", leak=True)
        level: Status = "YES" if code in claim.withdrawn else claim.levels[code]
        if level == "NO" and code not in phrases()["spoken"] and random.random() < SILENT:
            return None
        if level == "YES" and code == "E4" and self.paper.tabled:
            return None
        holds = {"system" if claim.system else "component", *claim.evidence_families}
        if claim.levels["I1"] != "NO":
            holds.add("ablated")
        templates = phrasings(code, level, holds)
        return Sentence(self._write(templates, index, random), index, code, level)

    def _write(self, templates: Sequence[str], index: int, random: Random) -> str:
        """One of the templates, filled in, after words of no weight or as it is."""
        # One that this paper has not used, unless it has used them all.
        template = random.choice(
            [template for template in templates if template not in self.used] or templates
        )
        self.used.add(template)
        if random.random() < OPENED:
            # A slot without its capital letter gives a value without one.
            start = 2 if template.startswith("{") else 1
            template = f"{random.choice(phrases()['openers'])} {template[:start].lower()}{template[start:]}"
        return self._fill(template, index, random)

    def _fill(self, template: str, index: int, random: Random) -> str:
        claim = self.paper.claims[index]
        mode, plural = phrases()["modes"][claim.description_mode], not claim.system
        slots = self.slots | {
            "x": f"the {claim.name}",
            "units": list_components(claim.components),
            "mode": mode,
        }
        slots |= {
            "a_mode": f"{'an' if mode[0] in 'aeiou' else 'a'} {mode}",
            "count": COUNTS[len(claim.evidence_families)],
            "others": self.outsiders,
        }
        names, year, _ = random.choice(self.works)
        slots |= {"cite": f"({names}, {year})", "author": f"{names} ({year})"} | self._sizes(index)
        lines = [
            fill(
                random.choice(phrases()["lines"][line_of(family, claim.levels)]),
                self.slots,
                random,
                plural=plural,
            )
            for family in claim.evidence_families
        ]
        return fill(template, slots | {"lines": listing(lines)}, random, plural=plural)

    def _sizes(self, index: int) -> dict[str, str]:
        """The size of a claim's effect and of two repetitions, and the intact model's score: large if a test is met."""
        levels, random = self.paper.claims[index].levels, self._random("sizes", index)
        effect = (
            random.uniform(2.1, 3.3)
            if "YES" in (levels["I1"], levels["I2"])
            else random.uniform(0.4, 0.8)
        )
        sizes = {
            "effect": effect,
            "again": effect * random.uniform(1.03, 1.1),
            "third": effect * random.uniform(0.9, 0.97),
            "intact": effect + random.uniform(0.3, 0.6),
        }
        return {name: f"{size:.1f}" for name, size in sizes.items()}

    def _draw_outsiders(self) -> str:
        """Two heads that are members of no claim's subject."""
        random, members = (
            self._random("outsiders"),
            {unit for claim in self.paper.claims for unit in claim.components},
        )
        heads = [
            head
            for layer in range(12)
            if (head := f"{layer}.{random.randrange(12)}") not in members
        ]
        return list_components(heads[-2:])

    def _filler(self, section: str) -> list[Sentence]:
        sentences = []
        for number, template in enumerate(phrases()["filler"][section]):
            random = self._random("filler", section, number)
            sentences.append(Sentence(self._fill(template, 0, random)))
        return self._shuffled(sentences, "filler", section) if section in SHUFFLED else sentences

    def _shuffled(self, sentences: list[Sentence], *names: str | int) -> list[Sentence]:
        return self._random("order", *names).sample(sentences, len(sentences))

    def _random(self, *names: str | int) -> Random:
        return Random(derive_seed(self.seed, *names))  # noqa: S311


def line_of(family: str, levels: Mapping[str, Status]) -> str:
    """Which lines name a family of evidence at these levels, so that its result agrees with what is said of them."""
    if family == "structural":
        return "weights" if levels["C2"] == "YES" else "attention"
    if family == "causal":
        isolation = {"YES": "isolated", "PARTIAL": "restored"}.get(levels["I2"])
        return isolation or {"YES": "ablated", "PARTIAL": "weakened"}[levels["I1"]]
    return family


def _invent_work(names: Sequence[str], random: Random, number: int) -> tuple[str, int, str]:
    """Authors, year and full reference of a work that does not exist."""
    works, nouns = phrases()["works"], phrases()["nouns"]
    authors, year, noun = listing(names), random.randint(2017, 2025), nouns[number % len(nouns)]
    title = fill(random.choice(works), {"noun": noun}, random)
    venue, pages = random.choice(phrases()["venues"]), random.randint(10, 400)
    return authors, year, f"{authors} ({year}). {title}. {venue}, {pages}."
