"""RADAR's public functions give the numbers of the workflow's commands, which go through files."""

import inspect
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
from mechaware.doors.radar.arguments import benchmark_of
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.detectors.sequences import PEAKEDNESS
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
from tests.unit.core.evaluation_logs import inspect_sample, write_inspect

REPOSITORY = Path(__file__).resolve().parents[3]
TRAIN = REPOSITORY / "config/prompts/radar_train.csv"
PROMPTS = ["Rome is", "Twice 4 is more than", "Oslo lies in"]
ITEMS = """id,question,answer,seen
a,Who wrote it?,Ann,true
b,Where is it?,There,true
c,,A text alone,true
d,When was it?,Once,false
e,How was it?,Well,false
f,Why was it?,So,false
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of two blocks, with rotary positions, so that `long_context` can have the same weights."""
    folder = make_tiny_model("llama", tmp_path_factory.mktemp("tiny") / "model", n_layers=2)
    write_manifest(folder, name="tiny", kind="local", source="here", revision="local")
    return folder


@pytest.fixture(scope="module")
def long_context(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model with a context of 1024 tokens, since RADAR's own training prompts are longer than 64.

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


def test_a_table_keeps_its_index_and_its_features_however_many_prompts_are_read_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ma.load(folder)
    prompts = pd.DataFrame({"prompt": PROMPTS}, index=["x", "y", "z"])

    whole = ma.radar.features(model, prompts)
    monkeypatch.setattr(library, "PROMPTS_AT_ONCE", 2)
    in_parts = ma.radar.features(model, prompts)

    assert list(whole.index) == ["x", "y", "z"]
    pd.testing.assert_frame_equal(in_parts, whole, rtol=1e-5)
    # One token a byte.
    activations = ma.radar.activations(model, prompts)
    assert activations.token_counts.tolist() == [
        len("Rome is"),
        len("Twice 4 is more than"),
        len("Oslo lies in"),
    ]


def test_a_pair_from_transformers_is_read_like_its_folder(folder: Path) -> None:
    """Loaded as a user does, in half precision and with another attention, which returns no weights."""
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


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        (["ok", "a" * 65], "prompts, text 1: 65 tokens, but the model reads at most 64; shorten"),
        (["ok", ""], "prompts, text 1: empty or no text; fill it in"),
        ([], "prompts: no text; give one or more"),
        ("The capital", "prompts: one text; put it in a list"),
        (pd.DataFrame({"text": ["a"]}), "prompts: no column 'prompt'; name the column"),
    ],
)
def test_prompts_that_cannot_be_read_are_refused(
    folder: Path, prompts: object, message: str
) -> None:
    with pytest.raises(ma.UserError, match=message):
        ma.radar.features(ma.load(folder), prompts)


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
    """Measure and score items.csv in a folder by the commands, with the seeds that the rules derive.

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
    """With every argument."""
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


# Two lists of pairs of a question and its answer, of equal length.
ASKED_ITEMS = [(f"Who is {letter}?", "Ann") for letter in "bcdfg"]
ASKED_CONTROL = [(f"Who is {letter}?", "Ann") for letter in "klmnp"]


# Four of five items are answered rightly, and four of six items of the control.
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
    """The files that the workflow's commands wrote, and the verdict of the library on the same items."""

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
    (folder / "detectors.csv").write_text("of a run with the truth")
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
    assert pd.read_csv(folder / "clean.csv").empty  # not shown to be seen


def test_without_the_truth_nothing_is_ranked(judged: JudgedBenchmark) -> None:
    """A ranking of an earlier run, which had the truth, is replaced by an empty one."""
    ranking = pd.read_csv(judged.folder / "detectors.csv")

    assert ranking.empty
    assert {"detector", "auroc", "p_adjusted"} <= set(ranking.columns)


def test_the_control_is_scored_behind_the_items_and_does_not_change_their_scores(
    judged: JudgedBenchmark, long_context: Path
) -> None:
    """RADAR and the isolation forest are fitted on its own prompts, once and with one seed."""
    items = pd.read_csv(judged.folder / "items.csv")

    scores = pd.read_csv(judged.folder / "scores.csv")
    alone = ma.radar.detect(ma.load(long_context), items, name="other")

    assert scores["control"].tolist() == [False] * 5 + [True] * 6
    assert scores["id"].tolist()[4:6] == ["bu", "control/ca"]
    fitted = ["radar", "isolation"]
    pd.testing.assert_frame_equal(alone[fitted], scores.loc[:4, fitted], rtol=1e-5)


def test_a_verdict_measures_what_its_detectors_need_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call of what is not needed would end in an error."""
    monkeypatch.setattr(TokenisedModel, "sample", None)
    monkeypatch.setattr(TokenisedModel, "lowercased", None)
    model = ma.load(folder)

    by_gradient = ma.radar.verdict(model, ASKED_ITEMS, ASKED_CONTROL, detectors=["gradient_norm"])
    scores = ma.radar.detect(model, ASKED_ITEMS, optional_evidence=["gradient_norms"])
    by_id = {item.id: item.score for item in by_gradient.evidence.items}
    for item in scores.itertuples():
        assert by_id[item.id] == pytest.approx(item.gradient_norm)

    monkeypatch.setattr(TokenisedModel, "gradient_norms", None)
    by_loss = ma.radar.verdict(model, ASKED_ITEMS, ASKED_CONTROL)
    assert [test.detector for test in by_loss.evidence.detectors] == ["loss"]


def test_a_detector_of_ones_own_is_refused_without_its_evidence(folder: Path) -> None:
    own = PEAKEDNESS._replace(name="own")
    items = [("Who is b?", "Ann"), ("Who is c?", "Ann")]
    with pytest.raises(ma.UserError, match="optional_evidence: the detector own needs samples"):
        ma.radar.detect(ma.load(folder), items, own=[own])


def test_a_verdict_says_how_a_chat_was_read(
    long_context: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = shutil.copytree(long_context, tmp_path / "chat")
    (chat / "chat_template.jinja").write_text(
        "{% for message in messages %}U{{ message.content }}{% endfor %}A"
    )

    verdict = ma.radar.verdict(ma.load(chat, template="chat"), ASKED_ITEMS, ASKED_CONTROL)

    template, shown = verdict.record()["notes"]

    assert template.startswith("the questions are messages of a user in the tokenizer's chat temp")
    assert shown.startswith("the model reads 0, its scored tokens in brackets, as 'U' ['W'] ['h'] ")
    assert capsys.readouterr().out.splitlines() == [template, shown]


def test_pairs_are_items_with_their_places_as_ids(folder: Path) -> None:
    model = ma.load(folder)
    pairs = [("Who wrote it?", "Ann"), ("", "A text alone")]
    table = pd.DataFrame(
        {"question": ["Who wrote it?", ""], "answer": ["Ann", "A text alone"]}, index=[0, 1]
    )

    scores = ma.radar.detect(model, pairs)

    assert list(scores["id"]) == ["0", "1"]
    pd.testing.assert_frame_equal(ma.radar.detect(model, table), scores)
    assert np.isfinite(scores.drop(columns="id").to_numpy(float)).all()


def test_scores_without_the_truth_cannot_be_ranked(folder: Path) -> None:
    scores = ma.radar.detect(ma.load(folder), [("Who wrote it?", "Ann"), ("", "A text alone")])

    with pytest.raises(ma.UserError, match="no column 'seen'"):
        ma.radar.rank(scores)


@pytest.mark.parametrize(
    ("items", "more", "message"),
    [
        (pd.DataFrame({"question": ["Who?"]}), {}, "items: no column 'answer'"),
        ([("Who?", "Ann"), ("Who?", "Ann")], {}, "items, row 1: the same text as row 0"),
        (
            pd.DataFrame({"question": ["a", "b"], "answer": ["c", "d"], "seen": [True, None]}),
            {},
            "items, row 1: no seen",
        ),
        ([], {}, "items: no items; add some"),
        (
            pd.DataFrame([["Who?", "Ann", "Bo"]], columns=["question", "answer", "answer"]),
            {},
            "items: two columns 'answer'; rename or drop one of them",
        ),
        (
            pd.DataFrame([["a", "Who?", "Bo", "a"]], columns=["id", "question", "answer", "id"]),
            {"name": "quiz"},
            "quiz: two columns 'id'; rename or drop one of them",
        ),
        ([("Who?", "Ann")], {"unseen": "Known text"}, "unseen: one text; put it in a list"),
        ([("Who?", "Ann")], {"unseen": [" "]}, "unseen, text 0: empty or no text"),
        ([("Who?", "Ann")], {"seen": ["Known text"]}, "seen without unseen; Con-ReCall needs both"),
        ([("Who?", "Ann")], {"corpus": []}, "corpus: no text; give one or more"),
    ],
)
def test_items_that_cannot_be_scored_are_refused(
    folder: Path, items: object, more: dict[str, object], message: str
) -> None:
    with pytest.raises(ma.UserError, match=message):
        ma.radar.detect(ma.load(folder), items, **more)


LOST = (
    "pandas reads the texts NA, None and null as missing: read the file with pd.read_csv(..., keep_default_na=False), "
    "or write '' where there is no text"
)
QUIZ = (
    "id,question,answer\nperu,What ends NAM?,NAM\nnone,Who was it?,None\n"
    "chad,What ends DNA?,NA\nempty,A text alone,\n"
)


def test_answers_that_pandas_takes_for_missing_are_refused_and_kept_if_they_are_read_as_text(
    folder: Path, tmp_path: Path
) -> None:
    """The file itself, through the workflow's door, has the answers NAM, None and NA, and an item without one."""
    (tmp_path / "quiz.csv").write_text(QUIZ)
    model = ma.load(folder)
    with pytest.raises(ma.UserError) as refused:
        ma.radar.detect(model, pd.read_csv(tmp_path / "quiz.csv"), name="quiz")
    assert str(refused.value) == f"quiz, rows 1, 2, 3: answer is missing; {LOST}"

    kept = pd.read_csv(tmp_path / "quiz.csv", keep_default_na=False)
    items = read_benchmark(tmp_path / "quiz.csv").items

    assert [item.line.answer for item in items] == [" NAM", " None", " NA", ""]
    assert [item.line for item in benchmark_of(kept, "quiz").items] == [item.line for item in items]


@pytest.mark.parametrize(
    ("lost", "named"),
    [
        ({"answer": [None, "c", "d"]}, "items, row 0: answer is missing"),
        ({"answer": ["b", np.nan, "d"]}, "items, row 1: answer is missing"),
        ({"answer": pd.array([1, 2, None], dtype="Int64")}, "items, row 2: answer is missing"),
        ({"question": ["b", None, "d"]}, "items, row 1: question is missing"),
        ({"id": ["b", "c", None]}, "items, row 2: id is missing"),
    ],
)
def test_a_missing_text_of_an_item_or_a_control_is_refused(
    folder: Path, lost: dict[str, Any], named: str
) -> None:
    table = pd.DataFrame(
        {"question": ["Who?", "Where?", "When?"], "answer": ["Ann", "Here", "Now"], **lost}
    )
    model = ma.load(folder)
    with pytest.raises(ma.UserError) as refused:
        ma.radar.detect(model, table)
    assert str(refused.value) == f"{named}; {LOST}"

    with pytest.raises(ma.UserError) as refused:
        ma.radar.verdict(model, [("Who?", "Ann")], table)
    assert str(refused.value) == f"{named}; {LOST}".replace("items", "control")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [("Who?", "Ann"), ("Where?", "There", 1)],
            "{}, row 1: no pair (question, answer); give further columns in a table",
        ),
        (
            [("Who?",)],
            "{}, row 0: no pair (question, answer); give further columns in a table",
        ),
        ([5], "{}, row 0: no pair (question, answer); give further columns in a table"),
        (
            [("Who?", "Ann"), "ab"],
            "{}, row 1: a text; give a pair (question, answer), ('', text) without a question",
        ),
        ("ab", "{}: one text; give a list of pairs (question, answer)"),
    ],
)
def test_items_and_a_control_that_are_no_pairs_are_refused_in_one_line(
    folder: Path, items: object, message: str
) -> None:
    """Without the check of types that tests have and users do not."""
    model = ma.load(folder)
    detect = inspect.unwrap(ma.radar.detect)
    verdict = inspect.unwrap(ma.radar.verdict)
    with pytest.raises(ma.UserError) as refused:
        detect(model, items)
    assert str(refused.value) == message.format("items")

    with pytest.raises(ma.UserError) as refused:
        verdict(model, [("Who?", "Ann")], items)
    assert str(refused.value) == message.format("control")


def test_of_many_missing_texts_five_are_named_and_all_counted(folder: Path) -> None:
    table = pd.DataFrame(
        {"question": [f"Question {n}?" for n in range(9)], "answer": ["Ann", *[np.nan] * 8]}
    )
    with pytest.raises(
        ma.UserError, match=r"^items, rows 1, 2, 3, 4, 5 and 3 more: answer is missing; pandas"
    ):
        ma.radar.detect(ma.load(folder), table)


def test_choices_and_a_truth_may_be_missing() -> None:
    table = pd.DataFrame(
        {"question": ["Who?", "Where?"], "answer": ["Ann", "Here"], "seen": [None, None]}
    )
    table["choices"] = [["Ann", "Bob"], np.nan]

    assert [item.line.text for item in benchmark_of(table, "items").items] == [
        "Who?\nA. Ann\nB. Bob\nAnswer: A",
        "Where? Here",
    ]


def test_a_missing_prompt_of_a_table_is_refused_with_its_likely_cause(folder: Path) -> None:
    table = pd.DataFrame({"prompt": ["Rome is", None]}, index=[7, 8])
    for measure in (ma.radar.features, ma.radar.activations):
        with pytest.raises(ma.UserError) as refused:
            measure(ma.load(folder), table)
        assert str(refused.value) == f"prompts, row 1: prompt is missing; {LOST}"


def test_a_prompt_set_of_the_library_can_be_fitted_and_others_are_named() -> None:
    train = ma.radar.prompt_set("radar_train")
    pd.testing.assert_frame_equal(
        train, pd.read_csv(TRAIN, keep_default_na=False)[list(train.columns)]
    )

    with pytest.raises(
        ma.UserError, match="no prompt set 'mine'; known: radar_matched, radar_matched_800, radar"
    ):
        ma.radar.prompt_set("mine")


def separable_features() -> tuple[pd.DataFrame, list[str]]:
    """Twenty rows of random features, and their labels, by which `max_confidence` is 40 deviations apart."""
    labels = ["recall", "reasoning"] * 10
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        rng.normal(size=(20, len(library.FEATURES))), columns=list(library.FEATURES)
    )
    table["max_confidence"] += [20.0 if label == "recall" else -20.0 for label in labels]
    return table, labels


def test_the_ensemble_tells_classes_apart_that_one_feature_tells_apart() -> None:
    table, labels = separable_features()

    predicted = ma.radar.fit(table, labels).predict(table)["predicted"]

    assert list(predicted) == labels


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["guess"] * 20, "label 'guess'; write recall or reasoning"),
        (["recall"] * 19, "19 labels for 20 rows; give one label for each row"),
        (["recall"] * 19 + ["reasoning"], "fewer than 2 prompts with the label reasoning"),
    ],
)
def test_labels_that_no_ensemble_can_be_fitted_to_are_refused(
    labels: list[str], message: str
) -> None:
    table, _ = separable_features()

    with pytest.raises(ma.UserError, match=message):
        ma.radar.fit(table, labels)


def test_a_log_that_was_read_has_the_items_of_its_file(tmp_path: Path) -> None:
    """The table of `read_log` and the log as `items` of a config: with choices, and without, in one table."""
    samples = [
        inspect_sample("a", target="B", choices=["Quito", "Lima"]),
        inspect_sample("b", input="Capital of Chad?", target="N'Djamena", scores=None),
    ]
    path = write_inspect(tmp_path / "log.eval", *samples)
    lines = benchmark_of(ma.read_log(path), "log").lines

    assert [line.text for line in lines] == [
        "Capital of Peru?\nA. Quito\nB. Lima\nAnswer: B",
        "Capital of Chad? N'Djamena",
    ]
    assert lines == read_benchmark(path).lines
