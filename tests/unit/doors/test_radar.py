"""RADAR's public functions give the numbers of the workflow's commands, which go through files.

Features first, then scores, then verdicts.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import mechaware as ma
from mechaware.core.seeds import derive_seed
from mechaware.doors.radar import library
from mechaware.instruments.radar.evidence.evidence import OPTIONAL_FIELDS
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.models.registry import write_manifest
from mechaware.verdicts.seen import SeenEvidence
from mechaware.verdicts.verdict import Verdict
from scripts.models import capture_activations
from scripts.radar import (
    extract_features,
    measure_suspected,
    rank_detectors,
    reach_verdict,
    score_suspected,
)
from tests.tiny_models import make_tiny_model

REPOSITORY = Path(__file__).resolve().parents[3]
TRAIN = REPOSITORY / "config/prompts/radar_train.csv"
PROMPTS = ["Rome is", "Twice 4 is more than", "Oslo lies in"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of two blocks that reads at most 64 tokens, one a byte.

    Its positions are rotary, so that `long_context` can have the same weights.
    """
    folder = make_tiny_model("llama", tmp_path_factory.mktemp("tiny") / "model", n_layers=2)
    write_manifest(folder, name="tiny", kind="local", source="here", revision="local")
    return folder


@pytest.fixture(scope="module")
def long_context(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model with a context of 1024 tokens: RADAR's training prompts are longer than 64.

    No weight of a model with rotary positions depends on its context.
    """
    copy = tmp_path_factory.mktemp("long") / "model"
    shutil.copytree(folder, copy)
    config = copy / "config.json"
    settings = json.loads(config.read_text())
    config.write_text(json.dumps(settings | {"max_position_embeddings": 1024}))
    return copy


@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_features_are_those_of_the_workflows_file(
    folder: Path, tmp_path: Path, reduction: str
) -> None:
    prompts = tmp_path / "prompts.csv"
    table = pd.DataFrame({"id": ["p0", "p1", "p2"], "prompt": PROMPTS})
    table.assign(label="recall", category="c", source="s").to_csv(prompts, index=False)
    activations = tmp_path / "activations"
    capture_activations.main(
        model=folder,
        prompts=prompts,
        tokens_per_batch=768,
        shard_bytes=1 << 20,
        keep="summaries",
        out=activations,
    )
    extract_features.main(
        activations=activations,
        prompts=prompts,
        specialised_head_entropy=1.5,
        entropy_sum=tmp_path / "sum.parquet",
        entropy_mean=tmp_path / "mean.parquet",
    )

    features = ma.radar.features(ma.load(folder), PROMPTS, reduction=reduction)

    assert features.shape == (3, len(library.FEATURES))
    written = pd.read_parquet(tmp_path / f"{reduction}.parquet")
    expected = written[list(features.columns)]
    pd.testing.assert_frame_equal(features, expected, rtol=1e-5, check_names=False)


def test_features_keep_the_tables_index_and_do_not_depend_on_how_many_prompts_are_read_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ma.load(folder)
    prompts = pd.DataFrame({"prompt": PROMPTS}, index=["x", "y", "z"])

    whole = ma.radar.features(model, prompts)
    monkeypatch.setattr(library, "PROMPTS_AT_ONCE", 2)
    in_parts = ma.radar.features(model, prompts)

    assert list(whole.index) == ["x", "y", "z"]
    pd.testing.assert_frame_equal(in_parts, whole, rtol=1e-5)


def test_activations_have_the_number_of_tokens_of_each_prompt(folder: Path) -> None:
    activations = ma.radar.activations(ma.load(folder), pd.DataFrame({"prompt": PROMPTS}))

    # One token a byte.
    assert activations.token_counts.tolist() == [
        len("Rome is"),
        len("Twice 4 is more than"),
        len("Oslo lies in"),
    ]


def test_a_pair_from_transformers_is_read_like_its_folder(folder: Path) -> None:
    """The pair is loaded as a user would: in half precision, for training, and with sdpa attention.

    Features need attention weights, which sdpa does not return.
    """
    network = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.bfloat16, attn_implementation="sdpa"
    ).train()
    tokenizer = AutoTokenizer.from_pretrained(folder)

    model = ma.load((network, tokenizer))

    assert model.network.dtype == torch.float32
    assert not model.network.training
    # The same weights, rounded to half precision, in the model as `load` opens its folder.
    halved = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).float()
    rounded = ma.load(folder)
    rounded.network.load_state_dict(halved.state_dict())
    pd.testing.assert_frame_equal(
        ma.radar.features(model, PROMPTS), ma.radar.features(rounded, PROMPTS)
    )


def test_a_prompt_set_of_the_library_is_that_of_the_config() -> None:
    train = ma.radar.prompt_set("radar_train")

    in_config = pd.read_csv(TRAIN, keep_default_na=False)
    pd.testing.assert_frame_equal(train, in_config[list(train.columns)])


def test_an_unknown_prompt_set_is_refused_with_the_known_ones() -> None:
    known = "radar_matched, radar_matched_800, radar"

    with pytest.raises(ma.UserError, match=f"no prompt set 'mine'; known: {known}"):
        ma.radar.prompt_set("mine")


def separable_features() -> tuple[pd.DataFrame, list[str]]:
    """Twenty rows of random features, and their labels.

    The feature `max_confidence` has standard deviation 1 in each label, and its means are 40 apart.
    """
    labels = ["recall", "reasoning"] * 10
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.normal(size=(20, len(library.FEATURES))), columns=list(library.FEATURES)
    )
    table["max_confidence"] += [20.0 if label == "recall" else -20.0 for label in labels]
    return table, labels


def test_the_ensemble_separates_labels_that_one_feature_separates() -> None:
    table, labels = separable_features()

    predicted = ma.radar.fit(table, labels).predict(table)["predicted"]

    assert list(predicted) == labels


# Three seen and three unseen items; one is a text without a question.
ITEMS = """id,question,answer,seen
a,Who wrote it?,Ann,true
b,Where is it?,There,true
c,,A text alone,true
d,When was it?,Once,false
e,How was it?,Well,false
f,Why was it?,So,false
"""


def score_by_commands(
    model: Path,
    folder: Path,
    *,
    optional_evidence: Sequence[str] = library.OPTIONAL_EVIDENCE,
    control: Sequence[Path] = (),
    reference: Sequence[Path] = (),
    unseen: Sequence[Path] = (),
    seen: Sequence[Path] = (),
    corpus: Sequence[Path] = (),
) -> None:
    """Measure and score items.csv in a folder by the commands, with the seeds of the rules.

    They write evidence.parquet, notes.txt and scores.csv there.
    """
    questions = folder / "items.csv"
    evidence = folder / "evidence.parquet"
    measure_suspected.main(
        questions=questions,
        model=model,
        prompts=TRAIN,
        attention_entropy_reduction="sum",
        specialised_head_entropy=1.5,
        optional_evidence=list(optional_evidence),
        detector_samples=10,
        tokens_per_batch=768,
        start_token="auto",
        skip_faulty=False,
        seed=derive_seed(20260, "measure_suspected"),
        evidence=evidence,
        notes=folder / "notes.txt",
        control=list(control),
        reference=list(reference),
        unseen=list(unseen),
        seen=list(seen),
    )
    score_suspected.main(
        questions=questions,
        control=list(control),
        evidence=evidence,
        model=model,
        corpus=list(corpus),
        seed=derive_seed(20260, "score_suspected"),
        scores=folder / "scores.csv",
    )


def test_scores_and_ranks_are_those_of_the_workflows_files(
    long_context: Path, tmp_path: Path
) -> None:
    """Every argument of `detect` but a detector of the user's own is given."""
    items = tmp_path / "items.csv"
    items.write_text(ITEMS)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Who wrote it? Ann\nSome other text\n")
    unseen = tmp_path / "unseen.csv"
    unseen.write_text("text\nNever read.\n")
    seen = tmp_path / "seen.csv"
    seen.write_text("text\nOften read.\n")
    reference = make_tiny_model("llama", tmp_path / "other", n_layers=2, seed=1)
    score_by_commands(
        long_context,
        tmp_path,
        optional_evidence=OPTIONAL_FIELDS,
        reference=[reference],
        corpus=[corpus],
        unseen=[unseen],
        seen=[seen],
    )
    rank_detectors.main(
        scores=tmp_path / "scores.csv",
        own_scores=[],
        own_detectors=[],
        confidence_level=0.95,
        bootstrap_resamples=5000,
        seed=derive_seed(20260, "rank_detectors", "mine"),
        detectors=tmp_path / "detectors.csv",
    )

    scores = ma.radar.detect(
        ma.load(long_context),
        pd.read_csv(items, keep_default_na=False),
        reference=ma.load(reference),
        unseen=["Never read."],
        seen=["Often read."],
        corpus=["Who wrote it? Ann", "Some other text"],
        optional_evidence=OPTIONAL_FIELDS,
        name="mine",
    )
    ranks = ma.radar.rank(scores, name="mine")

    written_scores = pd.read_csv(tmp_path / "scores.csv")
    written_ranks = pd.read_csv(tmp_path / "detectors.csv")
    assert len(written_scores.columns) == 2 + len(library.DETECTORS)  # id and seen
    # A CSV has no type for whole numbers.
    pd.testing.assert_frame_equal(scores, written_scores, rtol=1e-6, check_dtype=False)
    pd.testing.assert_frame_equal(ranks, written_ranks, rtol=1e-6, check_dtype=False)


# By item, whether the model answers it rightly: four of five, and four of six in the control.
ITEMS_RIGHT = {"ba": True, "be": True, "bi": True, "bo": False, "bu": True}
CONTROL_RIGHT = {"ca": True, "ce": True, "ci": True, "co": False, "cu": False, "da": True}


def write_items(path: Path, right: Mapping[str, bool]) -> None:
    """A benchmark of an item for each name, with whether the model answers it rightly."""
    rows = []
    for name, correct in right.items():
        rows.append((name, f"Who is {name}?", f"Ann {name}", correct))
    table = pd.DataFrame(rows, columns=["id", "question", "answer", "correct"])
    table.to_csv(path, index=False)


class JudgedBenchmark(NamedTuple):
    """The workflow's files and verdict record, and the library's verdict on the same items."""

    folder: Path
    record: dict[str, Any]
    verdict: Verdict[SeenEvidence]


@pytest.fixture(scope="module")
def judged(long_context: Path, tmp_path_factory: pytest.TempPathFactory) -> JudgedBenchmark:
    """The verdict on five items beside a control of six, by the commands and by the library."""
    folder = tmp_path_factory.mktemp("judged")
    items = folder / "items.csv"
    control = folder / "control.csv"
    write_items(items, ITEMS_RIGHT)
    write_items(control, CONTROL_RIGHT)
    score_by_commands(long_context, folder, control=[control])
    # A ranking of an earlier run, which had the truth.
    (folder / "detectors.csv").write_text("earlier ranking")
    rank_detectors.main(
        scores=folder / "scores.csv",
        own_scores=[],
        own_detectors=[],
        confidence_level=0.95,
        bootstrap_resamples=10,
        seed=0,
        detectors=folder / "detectors.csv",
    )
    reach_verdict.main(
        name="mine",
        label="Tiny",
        questions=items,
        control=[control],
        scores=folder / "scores.csv",
        own_scores=[],
        evidence=folder / "evidence.parquet",
        notes=folder / "notes.txt",
        calibration=[REPOSITORY / "config/calibration/detectors.csv"],
        order_calibration=REPOSITORY / "config/calibration/order.csv",
        verdict_detectors=["loss", "reference"],
        confidence_level=0.95,
        seed=derive_seed(20260, "reach_verdict", "mine"),
        verdict=folder / "verdict.json",
        page=folder / "index.html",
        lines=folder / "summary.txt",
        decisions=folder / "decisions.csv",
        orders=[],
        clean=folder / "clean.csv",
    )
    record = json.loads((folder / "verdict.json").read_text())
    model = ma.load(long_context)
    verdict = ma.radar.verdict(model, pd.read_csv(items), pd.read_csv(control), name="mine")
    return JudgedBenchmark(folder, record, verdict)


def test_the_verdict_is_that_of_the_workflows_files(judged: JudgedBenchmark) -> None:
    record = judged.record
    evidence = judged.verdict.evidence

    assert judged.verdict.record()["status"] == record["status"]
    written = record["evidence"]
    assert [test["p"] for test in written["blind"]] == [test.p for test in evidence.blind]
    assert evidence.detectors[0].p == pytest.approx(written["detectors"][0]["p"])
    assert [item.id for item in evidence.items] == [item["id"] for item in written["items"]]
    assert evidence.share is not None
    assert written["share"] == pytest.approx(evidence.share._asdict())
    missing = [
        "not measured with fewer than 11 items",
        "the error of the share of items that were seen is not measured on planted shares",
    ]
    assert judged.verdict.error_rates.missing == missing
    assert record["error_rates"]["missing"] == missing
    schema = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
    jsonschema.validate(record, schema)


def test_a_verdict_has_the_share_of_right_answers_on_either_side(judged: JudgedBenchmark) -> None:
    shares = [(row.items, row.n, row.value) for row in judged.verdict.evidence.accuracy]

    assert shares == [
        ("all items", 5, 4 / 5),
        ("control", 6, pytest.approx(4 / 6)),
    ]


def test_a_verdict_has_lines_and_decisions_beside_its_page(judged: JudgedBenchmark) -> None:
    verdict = judged.verdict
    folder = judged.folder

    lines = f"mine: {verdict.status}: {verdict.reason}\nopen {folder}/index.html\n"
    assert (folder / "summary.txt").read_text() == lines
    decisions = pd.read_csv(folder / "decisions.csv")
    assert decisions["id"].tolist() == [item.id for item in verdict.evidence.items]
    # The items are not shown to be seen, so that no part of them was shown to be cleaner.
    assert pd.read_csv(folder / "clean.csv").empty


def test_without_the_truth_nothing_is_ranked(judged: JudgedBenchmark) -> None:
    """The ranking of an earlier run is replaced by an empty one."""
    ranking = pd.read_csv(judged.folder / "detectors.csv")

    assert ranking.empty
    assert {"detector", "auroc", "p_adjusted"} <= set(ranking.columns)


def test_the_control_is_scored_after_the_items_and_does_not_change_their_scores(
    judged: JudgedBenchmark, long_context: Path
) -> None:
    """RADAR and the isolation forest are fitted on RADAR's own prompts, with one seed."""
    items = pd.read_csv(judged.folder / "items.csv")

    scores = pd.read_csv(judged.folder / "scores.csv")
    alone = ma.radar.detect(ma.load(long_context), items, name="other")

    assert scores["control"].tolist() == [False] * 5 + [True] * 6
    assert scores["id"].tolist()[4:6] == ["bu", "control/ca"]
    fitted = ["radar", "isolation"]
    pd.testing.assert_frame_equal(alone[fitted], scores.loc[:4, fitted], rtol=1e-5)


# Pairs of a question and its answer, of equal length; the first list is judged beside the second.
PAIRS = [(f"Who is {letter}?", "Ann") for letter in "bcdfg"]
CONTROL_PAIRS = [(f"Who is {letter}?", "Ann") for letter in "klmnp"]


def test_a_verdict_measures_what_its_detectors_need_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not needed is replaced by None, which cannot be called."""
    monkeypatch.setattr(TokenisedModel, "sample", None)
    monkeypatch.setattr(TokenisedModel, "lowercased", None)
    model = ma.load(folder)

    by_gradient = ma.radar.verdict(model, PAIRS, CONTROL_PAIRS, detectors=["gradient_norm"])
    scores = ma.radar.detect(model, PAIRS, optional_evidence=["gradient_norms"])
    by_id = {item.id: item.score for item in by_gradient.evidence.items}
    for item in scores.itertuples():
        assert by_id[item.id] == pytest.approx(item.gradient_norm)

    monkeypatch.setattr(TokenisedModel, "gradient_norms", None)
    by_loss = ma.radar.verdict(model, PAIRS, CONTROL_PAIRS)
    assert [test.detector for test in by_loss.evidence.detectors] == ["loss"]


def test_the_notes_of_a_verdict_have_the_chat_template_and_the_tokens_of_an_item(
    long_context: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = shutil.copytree(long_context, tmp_path / "chat")
    (chat / "chat_template.jinja").write_text(
        "{% for message in messages %}U{{ message.content }}{% endfor %}A"
    )

    verdict = ma.radar.verdict(ma.load(chat, template="chat"), PAIRS, CONTROL_PAIRS)

    template, tokens = verdict.record()["notes"]

    assert template.startswith("the questions are messages of a user in the tokenizer's chat temp")
    assert tokens.startswith(
        "the model reads 0, its scored tokens in brackets, as 'U' ['W'] ['h'] "
    )
    assert capsys.readouterr().out.splitlines() == [template, tokens]
