"""The paper of one small real run: everything is in it, no number is typed,
and the words follow the numbers.
"""

import fnmatch
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from pypdf import PdfReader

from exhibits.report.ledger import read_entries, read_ledger, write_ledger
from exhibits.report.reported import COLUMNS, read_reported, reported_rows
from exhibits.report.tables import fixed
from exhibits.report.typesetting import typeset
from exhibits.report.values import read_values
from mechaware.core.frames import write_csv
from tests.checkout import REPOSITORY, Checkout
from tests.one_page import on_one_page
from tests.outputs import FIGURES, FIGURES_OF, TABLES, TABLES_OF

STUDIES = ("radar", "grounding", "claims")
# The tables and figures of the three papers, as the captions name them.
COUNTERPARTS = (
    "RADAR's Table 1",
    "RADAR's Tables 2 to 5",
    "RADAR's Figure 2, left",
    "RADAR's Figure 2, right",
    "symbolic-mechanistic paper's Table 1",
    "symbolic-mechanistic paper's Table 2",
    *(f"Table {number} of the claim-validity paper" for number in range(1, 7)),
    *(f"claim-validity paper's Figure {number}" for number in range(2, 6)),
)


def text_of(pdf: Path) -> str:
    """The text of a PDF; the glyph of a hyphen may stand for a soft one."""
    text = " ".join(page.extract_text() for page in PdfReader(pdf).pages)
    text = text.replace("\N{SOFT HYPHEN}", "-")
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return " ".join(text.split())


def says(text: str, words: str) -> bool:
    """Whether a text has these words, wherever its lines break."""
    return re.sub(r"[-\s]", "", words) in re.sub(r"[-\s]", "", text)


def typeset_copy(
    finished: Checkout,
    pdf: Path,
    *,
    studies: Sequence[str] = STUDIES,
    values: dict[str, Path] | None = None,
    sources: Path | None = None,
    reported: Path | None = None,
) -> str:
    """The text of the paper on the finished results, with other values,
    from other sources or beside another run.
    """
    folder = finished.folder
    sources = sources or folder
    values = values or {}
    reported = reported or folder / "docs/measured/headlines.csv"

    copy = pdf.parent / "results"
    results = []
    for study in studies:
        for name in results_of(study):
            path = folder / "results" / name
            path = values.get(path.name, path)
            place = copy / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
            results.append(place)

    headlines = copy / "values/headlines.json"
    by_name = read_values(copy / f"values/{study}.json" for study in studies)
    ledger = read_ledger(folder / "paper/claims.yaml", by_name, studies)
    write_ledger(ledger, by_name, read_reported(reported), headlines)
    results.append(headlines)

    texts = [path for path in (sources / "paper").rglob("*.*") if path.is_file()]
    texts += [sources / "CITATION.cff", sources / "config/prompts/radar_matched.csv"]
    typeset(sources / "paper/main.typ", texts, results, list(studies), pdf)
    return text_of(pdf)


def results_of(study: str) -> list[str]:
    """The files of a study's results that the paper reads, within results/."""
    names = [f"values/{study}.json", f"values/{study}.provenance.json"]
    for figure in FIGURES_OF[study]:
        names.append(f"figures/{figure}.pdf")
    for table in TABLES_OF[study]:
        names += [f"tables/{table}.csv", f"tables/shown/{table}.csv"]
    if study == "grounding":
        names.append("grounding/pairs.jsonl")
    return names


@pytest.fixture(scope="module")
def text(finished: Checkout) -> str:
    """The text of the small run's paper."""
    return text_of(finished.folder / "results/paper/paper.pdf")


def set_in_the_text(kind: str) -> list[str]:
    """The names of the tables or figures of results that the sections set,
    without those of the appendix.
    """
    names = []
    for section in (REPOSITORY / "paper/sections").glob("*.typ"):
        names += re.findall(rf'#result-{kind}\("(\w+)"', section.read_text())
    return names


def test_every_table_and_figure_is_in_it_with_its_file(text: str) -> None:
    flowing = text.replace(" ", "")
    for name in TABLES:
        assert f"results/tables/{name}.csv" in flowing, name
    for name in FIGURES:
        assert f"results/figures/{name}.pdf" in flowing, name
    # The tables of natural text, of correspondence, of other models and of the ledger, the opening
    # figure and two pipelines are written in the text.
    for kind, count, in_text in (
        ("Table", len(TABLES) + 4, len(set_in_the_text("table")) + 1),
        ("Figure", len(FIGURES) + 3, len(set_in_the_text("figure")) + 1),
    ):
        numbered = set(re.findall(rf"\b{kind} (A?\d+)\. ", text))
        expected = {str(n + 1) for n in range(in_text)}
        in_appendix = {f"A{n + 1}" for n in range(count - in_text)}
        # Numbers of the source papers' tables and figures, with which sentences end, have no A,
        # too.
        assert numbered >= expected | in_appendix
        assert {name for name in numbered if name.startswith("A")} == in_appendix


def test_every_table_and_figure_of_the_three_papers_has_its_counterpart(text: str) -> None:
    for counterpart in COUNTERPARTS:
        assert counterpart in text, counterpart


def test_reported_numbers_stand_beside_ours(finished: Checkout, text: str) -> None:
    values = json.loads((finished.folder / "results/values/grounding.json").read_text())["values"]
    effect = values["grounding_rules/overall/delta/difference"]

    assert (effect["reported"], effect["place"]) == (0.93, "Table 2")
    assert says(text, "+1.23 logits in the text and +0.93 in its table")

    def printed(name: str) -> str:
        return fixed(effect[name], 2, sign="+").replace("-", "\N{MINUS SIGN}")

    interval = f"{printed('low')} to {printed('high')}"
    assert says(text, f"changes the gap by {printed('value')} ({interval}) logits")
    assert "43 of 44 recall, 50 of 56 reasoning" in text

    # A float may stand between two lines of a sentence.
    for part in ("the tier is exact for 5 of 9 papers", "at most one tier off for 9 of 9"):
        assert says(text, part)


def test_nothing_is_missing_or_unresolved(text: str) -> None:
    assert "??" not in text
    assert "[" not in re.sub(r"\[\d+\]", "", text)  # no code that was taken for text
    assert "else [" not in text
    # The symbol, not a variable of that name.
    assert says(text, "some layer recovers at least a share \N{MATHEMATICAL ITALIC SMALL ALPHA}")


def test_the_headlines_of_a_run_become_rows_beside_which_the_paper_stands(
    finished: Checkout, text: str, tmp_path: Path
) -> None:
    """The run is compared with no rows, with its own,
    and with rows in which one outcome is another.
    """
    committed = read_reported(REPOSITORY / "docs/measured/headlines.csv")
    assert says(text, f"commit {committed['printed-tiers-exact'].commit[:12]}")

    path = tmp_path / "headlines.csv"
    write_csv(pd.DataFrame(columns=list(COLUMNS)), path)
    before = typeset_copy(finished, tmp_path / "before/paper.pdf", reported=path)

    assert says(before, "No such run has been committed yet")

    headlines = json.loads((finished.folder / "results/values/headlines.json").read_text())
    git = {"commit": "0123abc4567d", "modified": False}
    rows = reported_rows(headlines, git, seeds="1 planted", machine="2 CPU cores")

    assert set(rows["headline"]) == set(headlines)

    write_csv(rows, path)
    same = typeset_copy(finished, tmp_path / "same/paper.pdf", reported=path)

    assert says(same, "commit 0123abc4567d, 2 CPU cores")
    assert says(same, "agrees")
    assert not says(same, "differs: reversed")

    turned = rows["headline"] == "printed-tiers-exact"  # undecided in every run
    rows.loc[turned, "outcome"] = "reversed"
    write_csv(rows, path)
    other = typeset_copy(finished, tmp_path / "other/paper.pdf", reported=path)

    assert says(other, "differs: reversed")


PAIRS = "smollm2-135m-instruct/radar_matched"
# Prompts that do not come in pairs, which the small run lacks: the paired ones under another name.
UNPAIRED = "smollm2-135m-instruct/radar_unpaired"
SWITCHES = yaml.safe_load((Path(__file__).parent / "switches.yaml").read_text())


def switchable_records(finished: Checkout) -> dict[str, Any]:
    """The values of the small run, with prompts that are not paired,
    and with a language model as its judge.
    """
    records = {}
    for study in STUDIES:
        path = finished.folder / f"results/values/{study}.json"
        records[study] = json.loads(path.read_text())

    radar = records["radar"]
    by_name = {prompts["name"]: prompts for prompts in radar["lists"]["sets"]}
    matched = by_name["radar_matched"]
    unpaired = matched | {"name": "radar_unpaired", "paired": False, "papers_kind": True}
    radar["lists"]["sets"] = [by_name["radar_train"], matched, unpaired]
    for key, value in list(radar["values"].items()):
        if f"{PAIRS}/" in key:
            radar["values"][key.replace(PAIRS, UNPAIRED)] = dict(value)

    claims = records["claims"]
    (judge,) = claims["lists"]["judges"]
    judge |= {"label": "A language model", "kind": "provider", "most_claims": 1, "temperature": 0.3}
    for key, value in claims["values"].items():
        if key.startswith("claims_planted/lexical/") and value["value"] is None:
            value |= {"value": 0.2, "low": 0.1, "high": 0.3, "n": 27}

    for study, record in records.items():
        put_controls_at_their_bounds(record["values"], study)
    return records


def put_controls_at_their_bounds(values: dict[str, Any], study: str) -> None:
    """As of a run of many seeds: of the small run's one seed no control has an interval,
    so no statement is decided.
    """
    for entry in read_entries(REPOSITORY / "paper/claims.yaml").values():
        if entry["study"] != study:
            continue
        for control in entry.get("controls", ()):
            bound = float(control["bound"])
            for cell in fnmatch.filter(values, control["cell"]):
                values[cell] |= {"value": bound, "low": bound, "high": bound}


def switched(finished: Checkout, folder: Path, settings: dict[str, str]) -> str:
    """The text of the paper with every switch of a study in its setting."""
    folder.mkdir()
    values = {}
    for study, record in switchable_records(finished).items():
        for switch in SWITCHES[study]:
            for key, change in switch[settings[study]]["values"].items():
                if isinstance(change, dict):  # of a quantity that may have no pairs in a small run
                    record["values"].setdefault(key, {"low": None, "high": None}).update(change)
                else:
                    record["values"][key]["value"] = change
        values[f"{study}.json"] = folder / f"{study}.json"
        values[f"{study}.json"].write_text(json.dumps(record))
    return typeset_copy(
        finished, folder / "paper.pdf", values=values, sources=on_one_page(finished.folder, folder)
    )


# The message where no instrument is ahead.
NONE_IS_SHOWN = "None is shown to know more than a reader that sees no mechanism"
# The message on the rules over patching, unless they are ahead of runs without a patch.
NO_LEAD_COULD_SHOW = "so that patching could hardly add anything in our test"


def test_the_sentences_follow_the_values(finished: Checkout, tmp_path: Path) -> None:
    """In one paper all studies are satisfied by something simpler,
    in the other one all mechanisms are ahead.
    """
    simpler = switched(finished, tmp_path / "simpler", dict.fromkeys(STUDIES, "simpler"))
    mechanism = switched(finished, tmp_path / "mechanism", dict.fromkeys(STUDIES, "mechanism"))

    for switches in SWITCHES.values():
        for switch in switches:
            for text, other, setting in (
                (simpler, mechanism, "simpler"),
                (mechanism, simpler, "mechanism"),
            ):
                words = switch[setting].get("words")
                if words:
                    assert says(text, words), words
                    assert not says(other, words), words

    assert says(simpler, NONE_IS_SHOWN)
    assert not says(mechanism, NONE_IS_SHOWN)

    assert says(simpler, NO_LEAD_COULD_SHOW)
    assert not says(mechanism, NO_LEAD_COULD_SHOW)

    assert says(
        mechanism,
        "RADAR, rules over activation patching and Claim Validity Scores beat the best baseline.",
    )


def test_the_message_names_the_instruments_for_which_it_holds(
    finished: Checkout, tmp_path: Path
) -> None:
    settings = {"radar": "mechanism", "grounding": "simpler", "claims": "mechanism"}
    text = switched(finished, tmp_path / "mixed", settings)

    assert says(text, NO_LEAD_COULD_SHOW)
    assert not says(text, NONE_IS_SHOWN)
    assert not says(text, "No test here shows")
    assert says(text, "RADAR and Claim Validity Scores beat the best baseline.")


UNTESTED = "The large judge of Claim Validity Scores was not run"


def test_an_instrument_without_a_judge_that_stands_for_it_is_not_said_to_be_satisfied(
    text: str,
) -> None:
    """The lexical rules, the small run's judge, do not stand for it."""
    assert says(text, UNTESTED)
    assert not says(text, "Claim Validity Scores beat the best baseline")


@pytest.mark.gate
def test_nor_is_one_whose_judge_is_the_embedded_model(embedded: Checkout) -> None:
    text = text_of(embedded.folder / "results/paper/paper.pdf")
    assert says(text, UNTESTED)
    assert says(text, "SmolLM2-135M-Instruct")
    assert "??" not in text


def test_the_abstract_is_short_and_no_other_part_repeats_its_message(text: str) -> None:
    abstract, rest = re.split(
        "1 Introduction|Recall: recalled", text[text.index("Abstract.") :], maxsplit=1
    )
    assert len(abstract.split()) <= 180
    assert not says(rest, "beat the best baseline")


@pytest.mark.gate
@pytest.mark.parametrize("study", STUDIES)
def test_a_study_that_is_left_out_is_left_out_cleanly(
    finished: Checkout, tmp_path: Path, study: str
) -> None:
    others = [name for name in STUDIES if name != study]
    text = typeset_copy(finished, tmp_path / "paper.pdf", studies=others)
    flowing = text.replace(" ", "")
    for name in (*TABLES_OF[study], *FIGURES_OF[study]):
        assert name not in flowing
    for other in others:
        assert all(f"tables/{name}.csv" in flowing for name in TABLES_OF[other])
    assert "??" not in text
    without_references = re.split("References|Bibliography", text, maxsplit=1)[0]
    term = {"radar": "RADAR", "grounding": "R1", "claims": "CVS"}[study]
    assert term not in without_references


@pytest.mark.gate
@pytest.mark.parametrize("study", STUDIES)
def test_a_study_can_stand_alone(finished: Checkout, tmp_path: Path, study: str) -> None:
    text = typeset_copy(finished, tmp_path / "paper.pdf", studies=[study])
    assert says(text, "We rebuild one from its paper")

    sentences = ("No test here shows", "RADAR is shown to beat", NO_LEAD_COULD_SHOW, UNTESTED)
    assert sum(says(text, sentence) for sentence in sentences) == 1


def report_of(tree: Checkout, path: Path) -> tuple[set[str], str]:
    """The names of the files in Snakemake's report, and its page without markup."""
    tree.snakemake("--report", str(path))
    with zipfile.ZipFile(path) as report:
        files = report.namelist()
        (page,) = [name for name in files if name.endswith("report.html")]
        text = re.sub(r"<[^>]*>", "", report.read(page).decode())
    return {Path(name).name for name in files}, " ".join(text.split())


def test_the_report_holds_everything_with_its_caption_as_it_now_reads(
    tree: Checkout, tmp_path: Path
) -> None:
    """A caption that was edited since stands in the report as it now is."""
    captions = tree.folder / "paper/captions"
    with (captions / "figures/radar_scores.rst").open("a") as caption:
        caption.write("Seen from above.\n")
    names, page = report_of(tree, tmp_path / "report.zip")

    assert "Seen from above." in page
    assert names >= {f"{name}.csv" for name in TABLES}
    assert names >= {f"{name}.png" for name in FIGURES}
    assert "paper.pdf" in names

    captioned = [f"tables/{name}" for name in TABLES]
    captioned += [f"figures/{name}" for name in FIGURES]
    for name in (*captioned, "paper"):
        opening = re.split(r"[`*:;.,'(]", (captions / f"{name}.rst").read_text())[0]
        assert " ".join(opening.split()) in page, name
