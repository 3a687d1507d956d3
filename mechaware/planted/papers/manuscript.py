"""Writes a short paper from a planned level of every criterion, sentence by sentence."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeVar

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
from mechaware.planted.papers.plan import HEADS, PlantedClaim, PlantedPaper

T = TypeVar("T")

OPENED = 0.5  # the share of sentences on criteria that begin with words that add nothing
# The share of unmet criteria without a sentence, among those where silence is unambiguous (those
# that are not `spoken` in phrases.yaml).
SILENT = 0.4
LAYERS = 12  # the layers of GPT-2 small; the other models that the papers name have more
WORKS = 9  # the number of works that a paper cites
COUNTS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five"}
SHUFFLED = ("introduction", "background", "method")  # sections whose filler may have any order
# Every claim has a results section; these are the criteria of its first and its second paragraph.
RESULTS = (("C2", "C3", "C4", "C5", "V3"), ("I1", "I2", "I3", "I4", "E1", "E2", "E3", "E4"))
# By heading, each later section: the name of its filler, and its criteria.
LATER = {
    "Controls and measurement": ("controls", ("I5", "M1", "M2", "M3", "M4", "M5", "M6")),
    "Generality": ("generality", ("E5", "E6")),
    "Discussion": ("discussion", ("V1", "V2", "V4")),
    "Limitations": ("limitations", ("V5",)),
}


class Sentence(NamedTuple):
    """A sentence; or a row of a table, with tabs between its cells.

    - `claim`: the index of the claim that it is about; None for filler.
    - `code`: the criterion that it is about; None for filler.
    - `status`: the status that it supports; None for filler. The last sentence on a criterion of a
      claim decides; without any sentence the status is NO.
    - `leak`: whether it offers the circuit's evidence for a component.
    """

    text: str
    claim: int | None = None
    code: str | None = None
    status: Status | None = None
    leak: bool = False


class Paragraph(NamedTuple):
    """A paragraph: `lead` is its run-in heading, empty for none."""

    lead: str
    sentences: list[Sentence]


class Section(NamedTuple):
    """A section of a paper.

    - `table`: the rows of its table, of which the first is the header; empty for no table.
    """

    heading: str
    paragraphs: list[Paragraph]
    table: Sequence[Sentence] = ()


class Manuscript(NamedTuple):
    """A paper before it is typeset."""

    title: str
    authors: str
    sections: list[Section]
    references: list[str]

    def sentences(self) -> list[Sentence]:
        """All sentences, in the order of the text, with the rows of tables."""
        all_sentences: list[Sentence] = []
        for section in self.sections:
            for _, sentences in section.paragraphs:
                all_sentences += sentences
            all_sentences += section.table
        return all_sentences

    def text(self) -> str:
        """The paper as text: a line for a title, a heading, a paragraph, a row and a reference."""
        lines = [self.title, self.authors]
        for section in self.sections:
            lines += ["", section.heading, ""]
            for lead, sentences in section.paragraphs:
                paragraph = " ".join(sentence.text for sentence in sentences)
                lines.append(f"{lead} {paragraph}".strip())
            lines += [row.text for row in section.table]
        return "\n".join([*lines, "", "References", "", *self.references]) + "\n"


def compose(paper: PlantedPaper) -> Manuscript:
    """A paper whose text supports each claim's levels and no higher ones.

    The draws depend on the paper's seed and id.
    """
    return Author(paper).write()


class _Work(NamedTuple):
    """A work that the paper cites: its authors, its year and its full reference."""

    authors: str
    year: int
    reference: str


class Author:
    """Writes one paper.

    Each sentence has a seed of its own, so that a new phrasing changes no other sentence.
    """

    def __init__(self, paper: PlantedPaper) -> None:
        self.paper = paper
        self.seed = derive_seed(paper.seed, paper.paper)
        self.used: set[str] = set()  # the templates of sentences on criteria that are written

        random = self._random("setting")
        topic = topic_of(paper.task)
        (model,) = (model for model in phrases()["models"] if model["model"] == paper.model)
        self.slots = {key: value for key, value in topic.items() if isinstance(value, str)}
        self.slots |= model
        self.slots["arch"] = random.choice(phrases()["architectures"])
        self.slots["metric"] = random.choice(phrases()["metrics"])

        # Three authors of the paper, then two of each work that it cites.
        names = _in_random_order(phrases()["names"], random)
        self.authors = listing(names[:3])
        works = []
        for number in range(WORKS):
            first = 3 + 2 * number
            works.append(_invent_work(names[first : first + 2], random, number))
        self.works = sorted(works)

        self.outsiders = self._draw_outsiders()
        self.asides = _in_random_order(phrases()["filler"]["aside"], random)

    def write(self) -> Manuscript:
        """The whole paper."""
        claims = self.paper.claims
        main_claim, *part_claims = [self._statement(index) for index in range(len(claims))]
        opening, *abstract = self._filler("abstract")
        introduction = self._filler("introduction")
        background = self._filler("background")
        if self.paper.instructs:
            random = self._random("instruction")
            position = random.randrange(len(background))
            background.insert(position, Sentence(random.choice(phrases()["instructions"])))

        sections = [
            Section("Abstract", [Paragraph("", [opening, main_claim, *abstract])]),
            Section(
                "Introduction",
                [
                    Paragraph("", introduction),
                    Paragraph("", [self._statement(0, 1), *part_claims]),
                ],
            ),
            Section("Background", [Paragraph("", background)]),
            Section("Method", [Paragraph("", self._filler("method"))]),
        ]
        sections += [self._results(index) for index in range(len(claims))]
        rows = self._table_rows()
        if rows:
            opening = Sentence(self.filler_text([phrases()["table"]["lead"]], 0, "table"))
            sections.append(Section("Sizes of effects", [Paragraph("", [opening])], rows))
        for heading, (filler, codes) in LATER.items():
            first = Paragraph("", self._filler(filler))
            sections.append(Section(heading, [first, *self._by_claim(codes)]))

        references = [work.reference for work in self.works]
        return Manuscript(self.paper.title, self.authors, sections, references)

    def sentence(self, index: int, code: str, level: Status, *names: str | int) -> Sentence:
        """A sentence for this level of a criterion other than C1.

        The level may differ from the claim's planned level. `names` identify the draw.
        """
        claim = self.paper.claims[index]
        random = self._random("claim", index, code, *names)
        templates = phrasings(code, level, _conditions(claim))
        return Sentence(self._write(templates, index, random), index, code, level)

    def evidence_text(self, templates: Sequence[str], index: int, *names: str | int) -> str:
        """The text of a sentence on a criterion of a claim, from one of these templates.

        `names` identify the draw.
        """
        return self._write(templates, index, self._random(*names))

    def filler_text(self, templates: Sequence[str], index: int, *names: str | int) -> str:
        """The text of filler from one of these templates; `names` identify the draw."""
        random = self._random(*names)
        return self._fill(random.choice(templates), index, random)

    def _statement(self, index: int, wording: int = 0) -> Sentence:
        """A claim in one of its wordings: 0 is the statement, from 1 on are the restated ones."""
        claim = self.paper.claims[index]
        text = [claim.statement, *claim.restated][wording]
        return Sentence(text, index, "C1", claim.levels["C1"])

    def _table_rows(self) -> list[Sentence]:
        """The table's header and a row for each claim whose effect has a size (E4 is YES).

        Empty if the paper has no table, or no effect has a size.
        """
        if not self.paper.tabled:
            return []
        claims = enumerate(self.paper.claims)
        sized = [index for index, claim in claims if claim.levels["E4"] == "YES"]
        if not sized:
            return []

        rows = [Sentence("\t".join(phrases()["table"]["header"]))]
        for index in sized:
            random = self._random("row", index)
            cells = [self._fill(cell, index, random) for cell in phrases()["table"]["row"]]
            rows.append(Sentence("\t".join(cells), index, "E4", "YES"))
        return rows

    def _results(self, index: int) -> Section:
        """The results section of a claim: a paragraph for each list of criteria in `RESULTS`."""
        claim = self.paper.claims[index]
        random = self._random("results", index)
        opening = self._fill(random.choice(phrases()["filler"]["results"]), index, random)
        first, *others = [self._planned_sentences(index, codes) for codes in RESULTS]

        # An aside is inserted anywhere in the first paragraph, before its opening is added.
        position = random.randrange(len(first) + 1)
        aside = self.asides[index % len(self.asides)]
        first.insert(position, Sentence(self._fill(aside, index, random)))
        # The introduction already restates the system-level claim in wording 1.
        restated = self._statement(index, 2 if claim.system else 1)
        first = [Sentence(opening), restated, *first]

        paragraphs = [Paragraph("", sentences) for sentences in (first, *others) if sentences]
        return Section(f"The {claim.name}", paragraphs)

    def _by_claim(self, codes: Sequence[str]) -> list[Paragraph]:
        """A paragraph for each claim that has sentences on these criteria.

        Its run-in heading is the claim's name. The last section also withdraws evidence.
        """
        paragraphs = []
        for index, claim in enumerate(self.paper.claims):
            sentences = self._planned_sentences(index, codes)
            if "V5" in codes:  # the last section
                for code in claim.withdrawn:
                    templates = phrases()["withdrawals"][code]
                    text = self.evidence_text(templates, index, "withdrawal", index, code)
                    sentences.append(Sentence(text, index, code, "NO"))
            if sentences:
                lead = f"{claim.name[0].upper()}{claim.name[1:]}."
                paragraphs.append(Paragraph(lead, sentences))
        return paragraphs

    def _planned_sentences(self, index: int, codes: Sequence[str]) -> list[Sentence]:
        """The sentences on these criteria of a claim, in random order; some criteria have none."""
        sentences = []
        for code in codes:
            sentence = self._planned_sentence(index, code)
            if sentence is not None:
                sentences.append(sentence)
        return self._shuffled(sentences, index, *codes)

    def _planned_sentence(self, index: int, code: str) -> Sentence | None:
        """The sentence for a claim's planned level on a criterion.

        None where the paper is silent, or where its table has the size of the effect (E4).
        """
        claim = self.paper.claims[index]
        random = self._random("claim", index, code)
        if code in claim.leaks:
            circuit = self.paper.claims[0]
            # A leak offers the circuit's evidence, from the block for the circuit's level.
            templates = phrases()["leaks"][code][BLOCKS[circuit.levels[code]]]
            return Sentence(self._write(templates, index, random), index, code, "NO", leak=True)

        # Evidence that the limitations withdraw (`_by_claim`) is first reported here.
        level: Status = "YES" if code in claim.withdrawn else claim.levels[code]
        if level == "NO" and code not in phrases()["spoken"] and random.random() < SILENT:
            return None
        if level == "YES" and code == "E4" and self.paper.tabled:
            return None

        conditions = _conditions(claim)
        if claim.levels["I1"] != "NO":
            conditions.add("ablated")
        templates = phrasings(code, level, conditions)
        return Sentence(self._write(templates, index, random), index, code, level)

    def _write(self, templates: Sequence[str], index: int, random: Random) -> str:
        """One of the templates, filled in; some begin with words that add nothing.

        It is one that this paper has not used, unless it has used them all.
        """
        unused = [template for template in templates if template not in self.used]
        template = random.choice(unused or templates)
        self.used.add(template)
        if random.random() < OPENED:
            # The template no longer begins the sentence: `The model` becomes `the model`, and
            # `{Task}` becomes `{task}`.
            start = 2 if template.startswith("{") else 1
            opener = random.choice(phrases()["openers"])
            template = f"{opener} {template[:start].lower()}{template[start:]}"
        return self._fill(template, index, random)

    def _fill(self, template: str, index: int, random: Random) -> str:
        """The template with its slots filled for a claim; numbers and works are drawn."""
        claim = self.paper.claims[index]
        plural = not claim.system
        mode = phrases()["modes"][claim.description_mode]
        article = "an" if mode[0] in "aeiou" else "a"
        work = random.choice(self.works)
        lines = []
        for family in claim.evidence_families:
            line = random.choice(phrases()["lines"][line_of(family, claim.levels)])
            lines.append(fill(line, self.slots, random, plural=plural))

        slots = self.slots | self._sizes(index)
        slots |= {
            "x": f"the {claim.name}",
            "units": list_components(claim.components),
            "mode": mode,
            "a_mode": f"{article} {mode}",
            "count": COUNTS[len(claim.evidence_families)],
            "others": self.outsiders,
            "cite": f"({work.authors}, {work.year})",
            "author": f"{work.authors} ({work.year})",
            "lines": listing(lines),
        }
        return fill(template, slots, random, plural=plural)

    def _sizes(self, index: int) -> dict[str, str]:
        """The sizes of a claim's effect and of two repetitions, and the intact model's score.

        They have one decimal. The effect is large if the claim is met on necessity (I1) or
        sufficiency (I2); the score exceeds the effect.
        """
        random = self._random("sizes", index)
        levels = self.paper.claims[index].levels
        is_large = "YES" in (levels["I1"], levels["I2"])
        least, most = (2.1, 3.3) if is_large else (0.4, 0.8)
        effect = random.uniform(least, most)
        sizes = {
            "effect": effect,
            "again": effect * random.uniform(1.03, 1.1),
            "third": effect * random.uniform(0.9, 0.97),
            "intact": effect + random.uniform(0.3, 0.6),
        }
        return {name: f"{size:.1f}" for name, size in sizes.items()}

    def _draw_outsiders(self) -> str:
        """Two heads, in words, that are components of no claim.

        One head is drawn in each layer; the last two that are components of no claim are taken.
        """
        random = self._random("outsiders")
        members: set[str] = set()
        for claim in self.paper.claims:
            members.update(claim.components)

        outsiders = []
        for layer in range(LAYERS):
            head = f"{layer}.{random.randrange(HEADS)}"
            if head not in members:
                outsiders.append(head)
        return list_components(outsiders[-2:])

    def _filler(self, section: str) -> list[Sentence]:
        """A section's sentences about no criterion, in random order in the sections `SHUFFLED`."""
        sentences = []
        for number, template in enumerate(phrases()["filler"][section]):
            random = self._random("filler", section, number)
            sentences.append(Sentence(self._fill(template, 0, random)))
        if section in SHUFFLED:
            return self._shuffled(sentences, "filler", section)
        return sentences

    def _shuffled(self, sentences: list[Sentence], *names: str | int) -> list[Sentence]:
        return _in_random_order(sentences, self._random("order", *names))

    def _random(self, *names: str | int) -> Random:
        return Random(derive_seed(self.seed, *names))  # noqa: S311


def line_of(family: str, levels: Mapping[str, Status]) -> str:
    """The name in phrases.yaml of the lines on a family of evidence that suit a claim's levels.

    Levels at which the family has no evidence raise KeyError.
    """
    if family == "structural":
        return "weights" if levels["C2"] == "YES" else "attention"
    if family == "causal":
        by_sufficiency = {"YES": "isolated", "PARTIAL": "restored"}
        by_necessity = {"YES": "ablated", "PARTIAL": "weakened"}
        if levels["I2"] in by_sufficiency:
            return by_sufficiency[levels["I2"]]
        return by_necessity[levels["I1"]]
    return family


def _conditions(claim: PlantedClaim) -> set[str]:
    """The conditions that hold for a claim (`phrasings`): its kind and its families of evidence."""
    return {"system" if claim.system else "component", *claim.evidence_families}


def _invent_work(names: Sequence[str], random: Random, number: int) -> _Work:
    """A work that does not exist."""
    authors = listing(names)
    year = random.randint(2017, 2025)
    nouns = phrases()["nouns"]
    noun = nouns[number % len(nouns)]
    title = fill(random.choice(phrases()["works"]), {"noun": noun}, random)
    venue = random.choice(phrases()["venues"])
    pages = random.randint(10, 400)
    return _Work(authors, year, f"{authors} ({year}). {title}. {venue}, {pages}.")


def _in_random_order(items: Sequence[T], random: Random) -> list[T]:
    return random.sample(items, len(items))
