"""The paper of one small real run: it shows every table and figure, no number is typed, and its
sentences follow the values.

First the paper as the run made it, and beside other reported headlines; then copies of it on other
values (from `SWITCHES` on) and on fewer studies; at the end Snakemake's report, which has the same
captions.
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
# The tables and figures of the three source papers, as our captions name them.
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
    """The text of a PDF in one line, with plain hyphens and apostrophes.

    Hyphens may be extracted as soft hyphens, since the two have the same glyph.
    """
    text = " ".join(page.extract_text() for page in PdfReader(pdf).pages)
    text = text.replace("\N{SOFT HYPHEN}", "-")
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return " ".join(text.split())


def contains(text: str, words: str) -> bool:
    """Whether a text has these words, wherever its lines break: spaces and hyphens are ignored."""
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
    """Typeset a copy of the paper as `pdf`, and return its text.

    The results are copied into the folder of `pdf`; the headlines are decided anew.

    - `studies`: the studies of the paper.
    - `values`: files that replace files of the results, by name, such as `radar.json`.
    - `sources`: a folder with the paper's sources: paper/, CITATION.cff and config/prompts/; by
      default the finished run's.
    - `reported`: the table of headlines with which the run's are compared; by default the
      committed one.
    """
    folder = finished.folder
    sources = sources or folder
    values = values or {}
    reported = reported or folder / "docs/measured/headlines.csv"

    copied_results = pdf.parent / "results"
    results = []
    for study in studies:
        for name in results_of(study):
            original = folder / "results" / name
            source = values.get(original.name, original)
            copy = copied_results / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
            results.append(copy)

    headlines = copied_results / "values/headlines.json"
    by_name = read_values(copied_results / f"values/{study}.json" for study in studies)
    ledger = read_ledger(folder / "paper/claims.yaml", by_name, studies)
    write_ledger(ledger, by_name, read_reported(reported), headlines)
    results.append(headlines)

    source_files = [path for path in (sources / "paper").rglob("*.*") if path.is_file()]
    source_files += [sources / "CITATION.cff", sources / "config/prompts/radar_matched.csv"]
    typeset(sources / "paper/main.typ", source_files, results, list(studies), pdf)
    return text_of(pdf)


def results_of(study: str) -> list[str]:
    """The files of a study's results that the paper reads, relative to results/."""
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


def results_in_sections(kind: str) -> list[str]:
    """The names of the results, of the kind `table` or `figure`, that the paper shows before its
    appendix.
    """
    names = []
    for section in (REPOSITORY / "paper/sections").glob("*.typ"):
        names += re.findall(rf'#result-{kind}\("(\w+)"', section.read_text())
    return names


def test_every_table_and_figure_is_in_the_paper_with_its_file(text: str) -> None:
    # A line break may cut a file name.
    without_spaces = text.replace(" ", "")
    for name in TABLES:
        assert f"results/tables/{name}.csv" in without_spaces, name
    for name in FIGURES:
        assert f"results/figures/{name}.pdf" in without_spaces, name


def test_tables_are_numbered_without_a_gap(text: str) -> None:
    """Four tables are no files of results. The table of natural text is in the sections; the tables
    of other models, of correspondence and of the ledger are in the appendix.
    """
    in_sections = results_in_sections("table")
    n_in_appendix = len(TABLES) - len(in_sections)
    check_numbers(text, "Table", in_sections=len(in_sections) + 1, in_appendix=n_in_appendix + 3)


def test_figures_are_numbered_without_a_gap(text: str) -> None:
    """Three figures are no files of results. The opening figure is in the sections, and two figures
    of pipelines are in the appendix.
    """
    in_sections = results_in_sections("figure")
    n_in_appendix = len(FIGURES) - len(in_sections)
    check_numbers(text, "Figure", in_sections=len(in_sections) + 1, in_appendix=n_in_appendix + 2)


def check_numbers(text: str, kind: str, *, in_sections: int, in_appendix: int) -> None:
    """Check that captions are numbered from 1 in the sections and from A1 in the appendix."""
    numbers = set(re.findall(rf"\b{kind} (A?\d+)\. ", text))
    expected = {f"{n}" for n in range(1, in_sections + 1)}
    expected_in_appendix = {f"A{n}" for n in range(1, in_appendix + 1)}

    # `numbers` also has, without an A, tables and figures of the source papers with which a
    # sentence ends.
    assert numbers >= expected
    assert {number for number in numbers if number.startswith("A")} == expected_in_appendix


def test_every_table_and_figure_of_the_three_papers_has_its_counterpart(text: str) -> None:
    for counterpart in COUNTERPARTS:
        assert counterpart in text, counterpart


def test_reported_numbers_stand_beside_ours(finished: Checkout, text: str) -> None:
    values = json.loads((finished.folder / "results/values/grounding.json").read_text())["values"]
    effect = values["grounding_rules/overall/delta/difference"]

    assert (effect["reported"], effect["place"]) == (0.93, "Table 2")
    # The source paper gives two values.
    assert contains(text, "+1.23 logits in the text and +0.93 in its table")

    def printed(name: str) -> str:
        return fixed(effect[name], 2, sign="+").replace("-", "\N{MINUS SIGN}")

    interval = f"{printed('low')} to {printed('high')}"
    assert contains(text, f"changes the gap by {printed('value')} ({interval}) logits")
    assert "43 of 44 recall, 50 of 56 reasoning" in text

    # One sentence; between its two parts the PDF may have a table or figure.
    for part in ("the tier is exact for 5 of 9 papers", "at most one tier off for 9 of 9"):
        assert contains(text, part)


def test_nothing_is_missing_or_unresolved(text: str) -> None:
    # The usual mark of a reference that was not resolved.
    assert "??" not in text
    # Brackets other than a citation's, such as [7], would be code that was taken for text.
    assert "[" not in re.sub(r"\[\d+\]", "", text)
    assert "else [" not in text
    # `alpha` is printed as the symbol.
    assert contains(
        text, "some layer recovers at least a share \N{MATHEMATICAL ITALIC SMALL ALPHA}"
    )


def test_the_paper_names_the_commit_of_the_reported_run(text: str) -> None:
    reported = read_reported(REPOSITORY / "docs/measured/headlines.csv")
    assert contains(text, f"commit {reported['printed-tiers-exact'].commit[:12]}")


def test_a_paper_without_a_reported_run_has_nothing_to_compare_with(
    finished: Checkout, tmp_path: Path
) -> None:
    path = tmp_path / "headlines.csv"
    write_csv(pd.DataFrame(columns=list(COLUMNS)), path)
    text = typeset_copy(finished, tmp_path / "paper.pdf", reported=path)

    assert contains(text, "No such run has been committed yet")


def test_the_headlines_of_a_run_are_compared_with_the_reported_ones(
    finished: Checkout, tmp_path: Path
) -> None:
    """They agree with the rows that are made of themselves, and differ from rows with another
    outcome.
    """
    headlines = json.loads((finished.folder / "results/values/headlines.json").read_text())
    git = {"commit": "0123abc4567d", "modified": False}
    rows = reported_rows(headlines, git, seeds="1 planted", machine="2 CPU cores")

    assert set(rows["headline"]) == set(headlines)

    path = tmp_path / "headlines.csv"
    write_csv(rows, path)
    same = typeset_copy(finished, tmp_path / "same/paper.pdf", reported=path)

    assert contains(same, "commit 0123abc4567d, 2 CPU cores")
    assert contains(same, "agrees")
    assert not contains(same, "differs: reversed")

    # This headline rests on printed numbers alone, and is undecided in every run.
    rows.loc[rows["headline"] == "printed-tiers-exact", "outcome"] = "reversed"
    write_csv(rows, path)
    other = typeset_copy(finished, tmp_path / "other/paper.pdf", reported=path)

    assert contains(other, "differs: reversed")


PAIRED = "smollm2-135m-instruct/radar_matched"
# The small run evaluates no unpaired prompt set. The values of its paired set stand in for one.
UNPAIRED = "smollm2-135m-instruct/radar_unpaired"
# By study, a list of switches. A switch has two settings, `simpler` (a baseline that reads no
# mechanism is not beaten) and `mechanism` (it is beaten). A setting has values of the study and, in
# most switches, words that the paper must have in this setting and not in the other one.
SWITCHES = yaml.safe_load((Path(__file__).parent / "switches.yaml").read_text())


def switchable_records(finished: Checkout) -> dict[str, Any]:
    """By study, the small run's record of values, with what the switches need and the run lacks: an
    unpaired prompt set, a language model as the judge, values on planted papers, and controls with
    intervals.
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
        if f"{PAIRED}/" in key:
            radar["values"][key.replace(PAIRED, UNPAIRED)] = dict(value)

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
    """Give each control of the ledger an interval that holds its bound, as a run of many seeds has.

    In the small run, with its one seed, no control has an interval, so no headline with controls
    is decided.
    """
    for entry in read_entries(REPOSITORY / "paper/claims.yaml").values():
        if entry["study"] != study:
            continue
        for control in entry.get("controls", ()):
            bound = float(control["bound"])
            for cell in fnmatch.filter(values, control["cell"]):
                values[cell] |= {"value": bound, "low": bound, "high": bound}


def switched_paper(finished: Checkout, folder: Path, settings: dict[str, str]) -> str:
    """The text of the paper with all switches of a study in one setting; `settings` is by study."""
    folder.mkdir()
    values = {}
    for study, record in switchable_records(finished).items():
        for switch in SWITCHES[study]:
            for key, change in switch[settings[study]]["values"].items():
                change_value(record["values"], key, change)
        path = folder / f"{study}.json"
        path.write_text(json.dumps(record))
        values[path.name] = path

    sources = on_one_page(finished.folder, folder)
    return typeset_copy(finished, folder / "paper.pdf", values=values, sources=sources)


def change_value(values: dict[str, Any], key: str, change: Any) -> None:
    """Change the value of a quantity, or, by a dict such as {value: 0.2, low: 0.1}, several fields.

    A dict may also change a quantity that the small run lacks because it has no pairs for it.
    """
    if isinstance(change, dict):
        values.setdefault(key, {"low": None, "high": None}).update(change)
    else:
        values[key]["value"] = change


# Parts of the paper's message (paper/sections/headlines.typ): the first if no instrument beats its
# baseline, the second unless the rules over patching beat runs without a patch.
NONE_IS_SHOWN = "None is shown to know more than a reader that sees no mechanism"
PATCHING_ADDS_LITTLE = "so that patching could hardly add anything in our test"


def words_of_switches(setting: str) -> list[str]:
    """The words that the paper must have in one setting of all switches, and not in the other."""
    words = []
    for switches in SWITCHES.values():
        for switch in switches:
            if "words" in switch[setting]:
                words.append(switch[setting]["words"])
    return words


def test_the_sentences_follow_the_values(finished: Checkout, tmp_path: Path) -> None:
    """In one paper no study beats its baselines, and in the other one all do."""
    all_simpler = dict.fromkeys(STUDIES, "simpler")
    simpler = switched_paper(finished, tmp_path / "simpler", all_simpler)
    all_mechanism = dict.fromkeys(STUDIES, "mechanism")
    mechanism = switched_paper(finished, tmp_path / "mechanism", all_mechanism)

    for words in words_of_switches("simpler"):
        assert contains(simpler, words), words
        assert not contains(mechanism, words), words
    for words in words_of_switches("mechanism"):
        assert contains(mechanism, words), words
        assert not contains(simpler, words), words

    assert contains(simpler, NONE_IS_SHOWN)
    assert not contains(mechanism, NONE_IS_SHOWN)

    assert contains(simpler, PATCHING_ADDS_LITTLE)
    assert not contains(mechanism, PATCHING_ADDS_LITTLE)

    assert contains(
        mechanism,
        "RADAR, rules over activation patching and Claim Validity Scores beat the best baseline.",
    )


def test_the_message_names_the_instruments_that_beat_their_baseline(
    finished: Checkout, tmp_path: Path
) -> None:
    settings = {"radar": "mechanism", "grounding": "simpler", "claims": "mechanism"}
    text = switched_paper(finished, tmp_path / "mixed", settings)

    assert contains(text, PATCHING_ADDS_LITTLE)
    assert not contains(text, NONE_IS_SHOWN)
    assert not contains(text, "No test here shows")
    assert contains(text, "RADAR and Claim Validity Scores beat the best baseline.")


# Claim Validity Scores are tested only with a judge that is neither the lexical rules nor the
# embedded model.
UNTESTED = "The large judge of Claim Validity Scores was not run"


def test_with_the_lexical_judge_claim_validity_scores_are_not_tested(text: str) -> None:
    assert contains(text, UNTESTED)
    assert not contains(text, "Claim Validity Scores beat the best baseline")


@pytest.mark.gate
def test_with_the_embedded_judge_claim_validity_scores_are_not_tested(embedded: Checkout) -> None:
    text = text_of(embedded.folder / "results/paper/paper.pdf")
    assert contains(text, UNTESTED)
    assert contains(text, "SmolLM2-135M-Instruct")
    assert "??" not in text


MAX_ABSTRACT_WORDS = 180


def test_the_abstract_is_short_and_no_other_part_repeats_its_message(text: str) -> None:
    from_abstract = text[text.index("Abstract.") :]
    # The opening figure, whose text begins with "Recall: recalled", may come before section 1.
    abstract, rest = re.split("1 Introduction|Recall: recalled", from_abstract, maxsplit=1)

    assert len(abstract.split()) <= MAX_ABSTRACT_WORDS
    assert not contains(rest, "beat the best baseline")


@pytest.mark.gate
@pytest.mark.parametrize("study", STUDIES)
def test_a_study_that_is_left_out_is_left_out_cleanly(
    finished: Checkout, tmp_path: Path, study: str
) -> None:
    others = [name for name in STUDIES if name != study]
    text = typeset_copy(finished, tmp_path / "paper.pdf", studies=others)

    without_spaces = text.replace(" ", "")
    for name in (*TABLES_OF[study], *FIGURES_OF[study]):
        assert name not in without_spaces
    for other in others:
        for name in TABLES_OF[other]:
            assert f"tables/{name}.csv" in without_spaces
    assert "??" not in text

    # No sentence names the study's instrument; a title among the references may.
    before_references = re.split("References|Bibliography", text, maxsplit=1)[0]
    instrument = {"radar": "RADAR", "grounding": "R1", "claims": "CVS"}[study]
    assert instrument not in before_references


@pytest.mark.gate
@pytest.mark.parametrize("study", STUDIES)
def test_a_study_can_stand_alone(finished: Checkout, tmp_path: Path, study: str) -> None:
    text = typeset_copy(finished, tmp_path / "paper.pdf", studies=[study])
    assert contains(text, "We rebuild one from its paper")

    # The message has one of these sentences, about the one instrument.
    sentences = ("No test here shows", "RADAR is shown to beat", PATCHING_ADDS_LITTLE, UNTESTED)
    assert sum(contains(text, sentence) for sentence in sentences) == 1


def make_report(tree: Checkout, path: Path) -> tuple[set[str], str]:
    """Write Snakemake's report, a zip file, to `path`.

    Returns the names of its files, without folders, and the text of its page.
    """
    tree.snakemake("--report", str(path))
    with zipfile.ZipFile(path) as report:
        files = report.namelist()
        (page,) = [name for name in files if name.endswith("report.html")]
        text = re.sub(r"<[^>]*>", "", report.read(page).decode())
    return {Path(name).name for name in files}, " ".join(text.split())


def test_the_report_has_every_result_and_its_present_caption(
    tree: Checkout, tmp_path: Path
) -> None:
    """A caption that was edited after the run is in the report with the edit."""
    captions = tree.folder / "paper/captions"
    with (captions / "figures/radar_scores.rst").open("a") as caption:
        caption.write("Seen from above.\n")
    names, page = make_report(tree, tmp_path / "report.zip")

    assert "Seen from above." in page
    assert names >= {f"{name}.csv" for name in TABLES}
    assert names >= {f"{name}.png" for name in FIGURES}
    assert "paper.pdf" in names

    captioned = [f"tables/{name}" for name in TABLES]
    captioned += [f"figures/{name}" for name in FIGURES]
    for name in (*captioned, "paper"):
        # The report may change markup and punctuation: only the words before the first such mark
        # are compared.
        opening = re.split(r"[`*:;.,'(]", (captions / f"{name}.rst").read_text())[0]
        assert " ".join(opening.split()) in page, name
