"""Every fenced block of docs/bring-your-own.md, typed by a reader in a copy of the small run."""

import json
import shutil
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pandas as pd
import pytest
import yaml

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.grounding.data.importing import TEXTS
from mechaware.instruments.grounding.data.pairs import read_pairs, wanted_by_request
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.planted.controls.schema_readers import build_control
from mechaware.planted.sql.generation import generate_rows, read_vocabulary
from tests.checkout import REPOSITORY, Checkout
from tests.doors.reader import (
    CLAIM,
    EVIDENCE,
    FIELDS_OF_OPTIONAL_KEYS,
    Reader,
    blocks_of,
    in_copy_of,
)
from tests.fake_provider import Call, FakeProvider, Reply, said
from tests.tiny_models import make_tiny_llama

# All blocks, in the order of the document. A block that is added there needs a name here and a test
# below: the assignment fails for another number of blocks.
(
    MODEL,
    RADAR,
    SUSPECTED,
    SQL,
    TASK,
    OWN_CONTROLS,
    OWN_CONTROLS_SCORED,
    MAKE_CLAIM,
    CLAIM_ALONE,
    LISTED_PAPER,
    SCORE_LISTED,
    JUDGE,
    AUDIT_ITEMS,
    JUDGE_CARD,
    DRAW_CARD,
    TRUST,
) = blocks_of("docs/bring-your-own.md")


def prompts() -> str:
    """A prompt set as CSV: five prompts of recall and five of reasoning."""
    lines = ["id,prompt,label,category,source"]
    for number in range(3, 8):
        recall = f"Which element has the atomic number {number}?"
        reasoning = f"If Ann has {number} stones and gives two away then how many are left?"
        lines.append(f"{number}-recall,{recall},recall,mine,chemistry")
        lines.append(f"{number}-reasoning,{reasoning},reasoning,mine,sums")
    return "\n".join(lines) + "\n"


def items(thing: str, *, with_truth: bool) -> str:
    """A benchmark as CSV: eight items about boxes or bags (`thing`).

    `with_truth`: there is a column `seen`, by which every second item was seen. Items about a box
    and about a bag are equally long, since both words have three letters.
    """
    header = "id,question,answer"
    lines = [f"{header},seen" if with_truth else header]
    for number in range(8):
        question = f"How many stones are in {thing} {number}?"
        line = f"{number},{question},There are {7 * number} stones."
        lines.append(f"{line},{number % 2 == 0}" if with_truth else line)
    return "\n".join(lines) + "\n"


pytestmark = pytest.mark.gate


@pytest.fixture(scope="module")
def reader(finished: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """A copy of the finished small run, whose config is the default one: each command is quick.

    config/models.yaml has two models of the reader's, my-model and my-reference.
    """
    folder = tmp_path_factory.mktemp("bring_your_own") / "tree"
    reader = in_copy_of(finished, folder)
    for name, seed in (("my-model", 0), ("my-reference", 1)):
        make_tiny_llama(folder / name, folder / "results/models/smollm2-135m-instruct", seed=seed)
        entry = MODEL.replace("/path/to/model", str(folder / name)).replace("my-model:", f"{name}:")
        reader.adds(entry.replace("My model", f"My model {seed}"), "config/models.yaml")
    return reader


def test_ones_own_benchmark_with_every_key_has_a_score_of_every_detector(reader: Reader) -> None:
    """`unlabelled` has the required keys alone, and scores of the detectors that need no other."""
    (reader.folder / "my_benchmark.csv").write_text(items("box", with_truth=True))
    (reader.folder / "my_control.csv").write_text(items("bag", with_truth=False))
    (reader.folder / "unlabelled.csv").write_text(items("box", with_truth=False))
    (reader.folder / "known_unseen.csv").write_text("text\nA box of stones was never opened.\n")
    (reader.folder / "known_seen.csv").write_text("text\nStones are found in boxes.\n")
    (reader.folder / "training_texts.txt").write_text(
        "How many stones are in box 2? There are 14 stones.\nOther.\n"
    )
    reader.configures(SUSPECTED)
    reader.configures(
        "radar: {suspected: {unlabelled: "
        "{items: unlabelled.csv, model: my-model, scores_only: true}}}"
    )
    reader.types("snakemake suspected --cores all --resources gpu=1")
    results = reader.folder / "results/radar/suspected/my-benchmark"
    scores = pd.read_csv(results / "scores.csv")

    assert list(scores) == ["id", "control", "seen", *(detector.name for detector in DETECTORS)]
    assert scores["control"].tolist() == [False] * 8 + [True] * 8
    assert np.isfinite(scores.drop(columns="id").to_numpy(float)).all()
    # The training texts hold item 2.
    assert scores["overlap"].idxmax() == 2
    assert len(pd.read_csv(results / "detectors.csv")) == len(DETECTORS)

    unlabelled = pd.read_csv(results.with_name("unlabelled") / "scores.csv")
    detectors = [
        detector.name
        for detector in DETECTORS
        if FIELDS_OF_OPTIONAL_KEYS.isdisjoint(detector.needs)
    ]

    assert list(unlabelled) == ["id", *detectors]
    assert np.isfinite(unlabelled.to_numpy(float)).all()
    assert pd.read_csv(results.with_name("unlabelled") / "detectors.csv").empty


def test_ones_own_model_and_prompts_are_in_every_table_that_has_models_and_prompt_sets(
    reader: Reader,
) -> None:
    (reader.folder / "config/prompts/my_prompts.csv").write_text(prompts())
    reader.configures(RADAR)
    reader.types("snakemake radar --cores all --resources gpu=1")
    tables = {
        path.stem: pd.read_csv(path)
        for path in (reader.folder / "results/tables").glob("radar_*.csv")
    }

    # The loop below checks only tables with a column `model`.
    assert sum("model" in table for table in tables.values()) > 3

    for name, table in tables.items():
        if "model" in table:
            assert "my-model" in set(table["model"])
        if "prompt_set" in table:  # the prompts have no column `answers`
            assert ("my_prompts" in set(table["prompt_set"])) == (name != "radar_answers")


def test_grounding_trains_ones_own_model_on_ones_own_rows(reader: Reader) -> None:
    """The command ends without a fault."""
    data = yaml.safe_load(SQL)["grounding"]["data"]
    (reader.folder / data["path"]).mkdir(parents=True)
    vocabulary = read_vocabulary(REPOSITORY / "config/sql/vocabulary.yaml", tables=30, fields=60)
    rows = iter(
        generate_rows(
            vocabulary,
            sum(data["rows"].values()),
            max_columns=3,
            table_synonym_probability=0.8,
            field_synonym_probability=0.5,
            seed=7,
        )
    )
    for split, size in data["rows"].items():
        table = pd.DataFrame(islice(rows, size))[list(TEXTS)]
        table.to_parquet(reader.folder / data["path"] / f"{split}.parquet")
    reader.configures(SQL)
    reader.types("snakemake grounding --cores all --resources gpu=1")


def test_ones_own_task_has_a_verdict_and_a_page(reader: Reader) -> None:
    shutil.copy(REPOSITORY / "examples/ioi.csv", reader.folder / "my_pairs.csv")
    reader.configures(TASK)
    printed = reader.types("snakemake pairs --cores all --resources gpu=1").stdout
    folder = reader.folder / "results/grounding/pairs/my-task"

    assert f"my-task: {json.loads((folder / 'verdict.json').read_text())['status']}: " in printed
    assert "My model 0" in (folder / "index.html").read_text()


def test_ones_own_controls_are_scored(reader: Reader) -> None:
    """The controls are a reader of the word in blocks 1 and 3, and a copier of the first column."""
    pairs_file = reader.folder / "results/grounding/pairs.jsonl"
    table = pd.read_json(pairs_file, lines=True, dtype=False)
    table["options"] = table["options"].str.join("|")
    table.to_csv(reader.folder / "my_pairs.csv", index=False)

    pairs = read_pairs(pairs_file)
    texts = [prompt.text for pair in pairs for prompt in pair.prompts.values()]
    for name, control in (("my-reader", "split"), ("my-copier", "first_column")):
        built = build_control(texts, wanted_by_request(pairs), name=control, context_length=256)
        built.model.save_pretrained(reader.folder / name)
        built.tokenizer.save_pretrained(reader.folder / name)
        entry = MODEL.replace("/path/to/model", str(reader.folder / name))
        entry = entry.replace("my-model:", f"{name}:").replace("My model", f"My {control}")
        reader.adds(entry, "config/models.yaml")

    reader.configures(OWN_CONTROLS)
    printed = reader.types("snakemake pairs --cores all --resources gpu=1").stdout

    controls = pd.read_csv(reader.folder / "results/grounding/known/controls.csv")
    controls = controls.set_index("control")

    assert controls["status"].to_dict() == {"my-reader": "grounds", "my-copier": "does not ground"}
    assert controls.loc["my-reader", ["known_blocks", "found_blocks"]].tolist() == ["1 3", "1 3"]

    # The document's lines are about other controls: only what is before the colon is the same.
    beginnings = [line.partition(":")[0] for line in OWN_CONTROLS_SCORED.splitlines()]
    assert all(f"\n{beginning}: " in printed for beginning in beginnings)
    assert "blocks: exactly those that are known in 1 of 1 controls" in printed


def answer_by_the_ablation(call: Call) -> Reply:
    """A judge that answers YES, with the ablation as evidence, where it reads of it, and else NO.

    It gives this answer for every criterion, and as the devil's advocate downgrades nothing.
    """
    schema = call.request["response_format"]["json_schema"]["schema"]
    if "downgrades" in schema["properties"]:
        return said({"downgrades": []})
    message = " ".join(call.request["messages"][-1]["content"].split())
    answer = {"evidence": "", "status": "NO"}
    if EVIDENCE in message:
        answer = {"evidence": f'"{EVIDENCE}"', "status": "YES"}
    criteria = dict.fromkeys(CRITERIA, answer)
    if "claims" not in schema["properties"]:
        return said({"criteria": criteria})
    claim = {
        "statement": CLAIM,
        "level": "component",
        "description_mode": "algorithmic",
        "components": ["7.4"],
    }
    return said({"claims": [claim | {"evidence_families": ["causal"], "criteria": criteria}]})


@pytest.fixture(scope="module")
def provider(reader: Reader) -> Iterator[FakeProvider]:
    """The server of one's own judge, at another address than in the document."""
    with FakeProvider(otherwise=answer_by_the_ablation) as provider:
        assert "http://localhost:8000/v1" in JUDGE
        reader.adds(JUDGE.replace("http://localhost:8000/v1", provider.url), "config/judges.yaml")
        yield provider


@pytest.mark.parametrize("command", [MAKE_CLAIM, CLAIM_ALONE], ids=["make", "snakemake"])
def test_ones_own_paper_has_passages_to_read_for_every_criterion(
    reader: Reader, command: str
) -> None:
    listed = reader.folder / "config/papers.csv"
    folder = reader.folder / "results/claims/reading/my"
    shutil.rmtree(folder, ignore_errors=True)
    listed_before = listed.read_bytes()
    run = reader.types(command)

    assert run.stdout.endswith("\nopen results/claims/reading/my/index.html\n")

    page = (folder / "index.html").read_text()
    assert "head 7.4 copies the larger" in page
    assert all(f'<section id="{code}">' in page for code in CRITERIA)
    assert str(reader.folder) not in page

    others = {"review.md", "reading.json", "summary.txt"}
    assert others <= {path.name for path in folder.iterdir()}
    assert listed.read_bytes() == listed_before


def test_a_listed_paper_is_planned(reader: Reader) -> None:
    """A dry run, since a test does not ask arXiv for the paper."""
    reader.adds(LISTED_PAPER, "config/papers.csv")
    planned = reader.types(f"{SCORE_LISTED.rstrip()} -n").stdout

    assert "rule fetch_paper" in planned
    assert "results/claims/my-paper" in planned


def answer_with_the_highest_status(call: Call) -> Reply:
    """A judge that gives every item the highest status of the rubric, which is its last."""
    schema = call.request["response_format"]["json_schema"]["schema"]
    return said({"evidence": "", "status": schema["properties"]["status"]["enum"][-1]})


def test_ones_own_labels_and_rubric_have_the_card_of_a_local_server(reader: Reader) -> None:
    for name in ("items.csv", "rubric.yaml"):
        shutil.copy(REPOSITORY / f"examples/review_{name}", reader.folder / f"my_{name}")
    with FakeProvider(otherwise=answer_with_the_highest_status) as server:
        assert "http://localhost:8000/v1" in JUDGE_CARD
        reader.configures(JUDGE_CARD.replace("http://localhost:8000/v1", server.url))
        printed = reader.types(DRAW_CARD).stdout
    folder = reader.folder / "results/claims/judge_cards/my-review"
    verdict = json.loads((folder / "verdict.json").read_text())

    assert verdict["status"] == "answers blindly"
    assert "Answers blindly." in (folder / "index.html").read_text()
    assert f"my-review: answers blindly: {verdict['reason']}\nopen " in printed
    # 36 items, and 30 of them after the four edits that a single passage can have.
    assert len(pd.read_csv(folder / "answers.csv")) == 36 + 30 * 4


def test_the_trust_in_ones_own_judge_is_counted(reader: Reader, provider: FakeProvider) -> None:
    reader.types(TRUST, MY_KEY="my-key-53a1")
    assert {call.headers["authorization"] for call in provider.calls} == {"Bearer my-key-53a1"}

    folder = reader.folder / "results/claims/trust/my-judge"
    (summary,) = pd.read_csv(folder / "summary.csv").to_dict("records")

    assert summary["judge"] == "my-judge"
    assert pd.read_csv(folder / "criteria.csv")["criterion"].tolist() == list(CRITERIA)


def test_the_items_of_the_authors_audits_are_made_by_a_command_that_is_there(
    reader: Reader,
) -> None:
    """The command knows each flag of the block. It is not run: it would fetch a repository.

    What it makes of a copy of that repository is tested in tests/exhibits/author.
    """
    command = AUDIT_ITEMS.partition("#")[0].strip()
    module, *flags = command.removeprefix("python -m ").split()
    known = reader.types(f"python -m {module} --help").stdout
    for flag in flags:
        assert not flag.startswith("--") or flag in known
