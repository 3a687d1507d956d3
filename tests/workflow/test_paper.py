"""The paper of one small real run: everything is in it, no number is typed, and the words follow the numbers."""

import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from pypdf import PdfReader

from mechaware.report.tables import fixed
from mechaware.report.typesetting import typeset
from tests.conftest import Checkout
from tests.outputs import FIGURES, FIGURES_OF, TABLES, TABLES_OF

STUDIES = ("radar", "grounding", "claims")
# The tables and figures of the three papers, as the captions name them.
COUNTERPARTS = (
    *(
        "RADAR's Table 1",
        "RADAR's Tables 2 to 5",
        "RADAR's Figure 2, left",
        "RADAR's Figure 2, right",
    ),
    *("symbolic-mechanistic paper's Table 1", "symbolic-mechanistic paper's Table 2"),
    *(f"Table {number} of the claim-validity paper" for number in range(1, 7)),
    *(f"claim-validity paper's Figure {number}" for number in range(2, 6)),
)
# What prose may say with a digit in it: names of rules and models.
NAMES = r"\b(?:R[1-3]|G[1-5]|[IE][2-5]|SmolLM2|BM25|TinyStories-33M)\b"
CODE = (
    *(
        r"^//.*$",
        r"\"[^\"]*\"",
        r"\$[^$]*\$",
        r"@[\w:-]+",
        r"columns: \([^)]*\)",
        r"(?:style|side-by-side): \d",
        r"[<>=]=? [\d.]+",
    ),
    *(r"update\(0\)", r"\{ 0 \}", r", \d\)"),
)


def text_of(pdf: Path) -> str:
    text = " ".join(page.extract_text() for page in PdfReader(pdf).pages)
    return " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())


def says(text: str, words: str) -> bool:
    """Whether a text has these words, wherever its lines break."""
    return re.sub(r"[-\s]", "", words) in re.sub(r"[-\s]", "", text)


def typeset_copy(
    finished: Checkout, pdf: Path, *, studies: Sequence[str] = STUDIES, values: dict[str, Path] | None = None
) -> str:
    """The text of the paper on the finished results, with other values of some studies."""
    folder = finished.folder
    copy = pdf.parent / "results"
    results = []
    for study in studies:
        names = (
            f"values/{study}.json",
            *(f"figures/{name}.pdf" for name in FIGURES_OF[study]),
            *(f"tables/{part}{name}.csv" for name in TABLES_OF[study] for part in ("", "shown/")),
        )
        for path in (folder / "results" / name for name in names):
            place = copy / path.relative_to(folder / "results")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(
                (values or {}).get(f"{study}.json", path).read_bytes() if path.suffix == ".json" else path.read_bytes()
            )
            results.append(place)
    sources = [path for path in (folder / "paper").rglob("*.*") if path.is_file()]
    typeset(folder / "paper/main.typ", sources, results, list(studies), pdf)
    return text_of(pdf)


@pytest.fixture(scope="module")
def text(finished: Checkout) -> str:
    return text_of(finished.folder / "results/paper/paper.pdf")


def test_every_table_and_figure_is_in_it_with_its_file(text: str) -> None:
    flowing = text.replace(" ", "")
    for name in TABLES:
        assert f"results/tables/{name}.csv" in flowing, name
    for name in FIGURES:
        assert f"results/figures/{name}.pdf" in flowing, name
    assert set(re.findall(r"\bTable (\d+)\. ", text)) == {str(n + 1) for n in range(len(TABLES))}
    assert set(re.findall(r"\bFigure (\d+)\. ", text)) == {str(n + 1) for n in range(len(FIGURES))}


def test_every_table_and_figure_of_the_three_papers_has_its_counterpart(text: str) -> None:
    for counterpart in COUNTERPARTS:
        assert counterpart in text, counterpart


def test_reported_numbers_stand_beside_ours(finished: Checkout, text: str) -> None:
    values = json.loads((finished.folder / "results/values/grounding.json").read_text())["values"]
    effect = values["grounding_rules/overall/delta/difference"]
    assert (effect["reported"], effect["place"]) == (0.93, "Table 2")
    assert "+0.93 (its Table 2)" in text
    assert f"a difference of {fixed(effect['value'], 2, sign='+')}".replace("-", "\N{MINUS SIGN}") in text
    assert "43 of 44 recall, 50 of 56 reasoning" in text
    # A float may stand between two lines of a sentence.
    for part in ("the exact tier for 5 of 9 papers", "(21.2% to 86.3%)", "a tier at most one off for 9 of 9"):
        assert part in text


def test_nothing_is_missing_or_unresolved(text: str) -> None:
    assert "??" not in text
    assert "[" not in re.sub(r"\[\d+\]", "", text)  # no code that was taken for text
    assert "else [" not in text


def test_no_number_is_typed_in_the_text(finished: Checkout) -> None:
    """Of each section: what is left without code, mathematics and references has no digit but in names."""
    sections = sorted((finished.folder / "paper/sections").glob("*.typ"))
    assert len(sections) > 8
    for section in sections:
        prose = re.sub("|".join(CODE), "", section.read_text(), flags=re.MULTILINE)
        assert not re.findall(r"\S*\d\S*", re.sub(NAMES, "", prose)), section.name
        assert not re.findall(r"\b(?:five|six|seven|eight|nine|ten|eleven|twelve|hundred)\b", prose), section.name


def test_the_words_follow_the_numbers(finished: Checkout, tmp_path: Path) -> None:
    record = json.loads((finished.folder / "results/values/radar.json").read_text())
    key = "radar_controls/smollm2-135m-instruct/radar_matched/{}/radar/sum/p_above_guessing"
    said = {}
    for words, p in (("significantly above", 0.04), ("not significantly above", 0.06)):
        for protocol in ("trained", "cross_validated"):
            record["values"][key.format(protocol)]["value"] = p
        values = tmp_path / "radar.json"
        values.write_text(json.dumps(record))
        (tmp_path / words).mkdir()
        said[words] = typeset_copy(
            finished, tmp_path / words / "paper.pdf", studies=["radar"], values={"radar.json": values}
        )
    for words, text in said.items():
        assert says(text, f"Averaged over the seeds, RADAR is {words} guessing")
        assert says(text, f"averaged over the seeds, it is {words} guessing")
        assert says(text, f"on radar_matched RADAR, fitted on radar_train, is {words} guessing")
        assert says(text, f"fitted within the pairs, RADAR is {words} guessing")


def test_the_conclusion_follows_the_numbers(finished: Checkout, tmp_path: Path) -> None:
    records = {study: json.loads((finished.folder / f"results/values/{study}.json").read_text()) for study in STUDIES}
    for prompts in records["radar"]["lists"]["sets"]:
        prompts["paired"] = False  # compared with prompt length; pairs with guessing
    length = "radar_controls/smollm2-135m-instruct/radar_matched/trained/prompt_length"
    found, rejected = (f"grounding_rule_sets/paper/{measure}/right" for measure in ("sensitivity", "specificity"))
    over_no = "claims_planted/smollm2/audited/over_no"
    cases = {
        "radar": {
            "on radar_matched RADAR is not distinguishable from prompt length": {f"{length}/p": 0.2},
            "on radar_matched RADAR is above prompt length": {f"{length}/p": 0.01, f"{length}/lead": 0.1},
            "on radar_matched RADAR is below prompt length": {f"{length}/p": 0.01, f"{length}/lead": -0.1},
        },
        "grounding": {
            "R1 to R3 tell the transformers that ground from those that do not": {
                found: {"value": 6, "n": 6},
                rejected: {"value": 5, "n": 5},
            },
            "R1 to R3 miss 2 of 6 transformers that ground and accept 1 of 5 that do not": {
                found: {"value": 4, "n": 6},
                rejected: {"value": 4, "n": 5},
            },
            "R1 to R3 miss 0 of 6 transformers that ground and accept 5 of 5 that do not": {
                found: {"value": 6, "n": 6},
                rejected: {"value": 0, "n": 5},
            },
        },
        "claims": {
            "SmolLM2-135M-Instruct is significantly better": {over_no: {"low": 0.1, "high": 0.2}},
            "SmolLM2-135M-Instruct is not significantly better": {over_no: {"low": -0.1, "high": 0.2}},
        },
    }
    # The small run's judge may have found none of the planted claims: as if it had.
    for key, value in records["claims"]["values"].items():
        if key.startswith("claims_planted/smollm2/") and value["value"] is None:
            value |= {"value": 0.5, "low": 0.4, "high": 0.6, "n": 27}
    judges = records["claims"]["lists"]["judges"]
    records["claims"]["lists"]["judges"] = [judge for judge in judges if judge["name"] == "smollm2"]
    # Each paper shows one outcome of every study, the last one where a study has no more.
    for number in range(max(map(len, cases.values()))):
        folder, values, expected = tmp_path / str(number), {}, {}
        folder.mkdir()
        for study, outcomes in cases.items():
            expected[study], changes = list(outcomes.items())[min(number, len(outcomes) - 1)]
            for key, value in changes.items():
                records[study]["values"][key] |= value if isinstance(value, dict) else {"value": value}
            values[f"{study}.json"] = folder / f"{study}.json"
            values[f"{study}.json"].write_text(json.dumps(records[study]))
        text = typeset_copy(finished, folder / "paper.pdf", values=values)
        conclusion = text[text.index("Conclusion") : text.index("Reproducibility")]
        for study, outcomes in cases.items():
            assert [outcome for outcome in outcomes if says(conclusion, outcome)] == [expected[study]]


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_that_is_left_out_is_left_out_cleanly(finished: Checkout, tmp_path: Path, study: str) -> None:
    others = [name for name in STUDIES if name != study]
    text = typeset_copy(finished, tmp_path / "paper.pdf", studies=others)
    flowing = text.replace(" ", "")
    for name in (*TABLES_OF[study], *FIGURES_OF[study]):
        assert name not in flowing
    for other in others:
        assert all(f"tables/{name}.csv" in flowing for name in TABLES_OF[other])
    assert "??" not in text
    assert {"radar": "RADAR", "grounding": "R1", "claims": "CVS"}[study] not in text.split("References")[0].split(
        "Bibliography"
    )[0]


def report_of(finished: Checkout, path: Path) -> tuple[set[str], str]:
    """The names of the files in Snakemake's report, and its page without markup."""
    finished.snakemake("--report", str(path))
    with zipfile.ZipFile(path) as report:
        (page,) = (name for name in report.namelist() if name.endswith("report.html"))
        text = re.sub(r"<[^>]*>", "", report.read(page).decode())
        return {Path(name).name for name in report.namelist()}, " ".join(text.split())


def test_the_report_holds_everything_with_its_caption_as_it_now_reads(finished: Checkout, tmp_path: Path) -> None:
    names, page = report_of(finished, tmp_path / "report.zip")
    assert names >= {f"{name}.csv" for name in TABLES} | {f"{name}.png" for name in FIGURES} | {"paper.pdf"}
    captions = finished.folder / "paper/captions"
    for name in (*TABLES, *FIGURES, "paper"):
        opening = re.split(r"[`*:;.,'(]", (captions / f"{name}.rst").read_text())[0]
        assert " ".join(opening.split()) in page, name
    assert "Seen from above." not in page
    caption = captions / "radar_scores.rst"
    before = caption.read_text()
    caption.write_text(before + "Seen from above.\n")
    try:
        assert "Seen from above." in report_of(finished, tmp_path / "again.zip")[1]
    finally:
        caption.write_text(before)
