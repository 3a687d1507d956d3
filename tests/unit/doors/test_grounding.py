"""A task's measurements against a plain loop over the hooks of transformers; token faults; the library's function."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import jsonschema
import pandas as pd
import pytest
import torch

import mechaware as ma
from mechaware.core.errors import UserError
from mechaware.doors import grounding as library
from mechaware.doors.check_pairs import __main__ as check_pairs
from mechaware.doors.grounding import _table
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.patching.runs import TokenPair
from mechaware.models.settings import Dtype, ModelSettings
from mechaware.models.sources import LoadedModel
from scripts.grounding import patch_task
from tests.tiny_models import HEADS, make_tiny_model
from tests.unit.models.patching.naive_patching import N_LAYERS, NaiveCut, NaiveLoop

REPOSITORY = Path(__file__).resolve().parents[3]
RATES = REPOSITORY / "config/calibration/rules.csv"
SCHEMA = REPOSITORY / "mechaware/verdicts/schema.json"
SCHEMA_OF_VERDICTS = json.loads(SCHEMA.read_text())
# Every byte is a token: dog and cat differ in three, dog and big in two, the first of them the answer's.
WORDS = {"a": ("dog", "cat", "fox"), "b": ("cog", "dat", "fig"), "c": ("dog", "big", "pug")}


LETTERS = {"a": ("d", "c", "f"), "b": ("c", "d", "f"), "c": ("d", "b", "p")}


def rows(
    words: Mapping[str, tuple[str, str, str]] = WORDS, red: str = "red", tan: str = "tan"
) -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    for pair, (clean, corrupted, third) in words.items():
        texts = {
            "clean": (f"x={clean} y={red} x:", clean, corrupted, f"{clean}|{red}"),
            "corrupted": (f"x={corrupted} y={red} x:", corrupted, clean, f"{corrupted}|{red}"),
            "third": (f"x={third} y={red} x:", third, clean, f"{third}|{red}"),
            "irrelevant": (f"x={clean} z={red} x:", clean, corrupted, f"{clean}|{red}"),
            "unasked": (f"x={clean} y={tan} x:", clean, corrupted, f"{clean}|{tan}"),
        }
        made += [
            {"pair": pair, "prompt": name, "text": text, "wanted": wanted, "against": against, "options": options,
             "category": "" if pair == "c" else "animal", "place": 1}
            for name, (text, wanted, against, options) in texts.items()
        ]  # fmt: skip
    return made


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    return ma.load(
        make_tiny_model("llama", tmp_path_factory.mktemp("task") / "tiny", n_layers=N_LAYERS)
    )


@pytest.fixture(scope="module")
def measured(model: LoadedModel) -> PairMeasurements:
    pairs = read_pairs(Path("mine"), pd.DataFrame(rows()))
    return measure_pairs(*model[:2], pairs, Path("mine"), tokens_per_batch=10**5)


def letter_rows() -> list[dict[str, object]]:
    """The same with letters for words."""
    return rows(LETTERS, "r", "t")


def make_answering_model(folder: Path, texts: list[str]) -> None:
    """A tiny model to which r is likeliest at the end of `texts`, then d and c: the options of `letter_rows`.

    One direction is added to their rows of the unembedding, so that the difference of d and c stays random.
    """
    network, tokenizer, _ = ma.load(make_tiny_model("llama", folder, n_layers=N_LAYERS))
    with torch.no_grad():
        ends = [
            network.base_model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, -1]
            for text in texts
        ]
        mean = torch.stack(ends).mean(0)
        raised = torch.tensor([[15.0], [15.0], [20.0]]) * mean / mean.square().sum()
        network.lm_head.weight[tokenizer("dcr").input_ids] += raised
    network.save_pretrained(folder)


def token_pairs(model: LoadedModel) -> dict[str, TokenPair]:
    """By hand: `x=` is two bytes, so that the word begins at 2; all of its bytes are exchanged together."""
    return {
        pair: TokenPair(
            *(model.tokenizer(f"x={word} y=red x:").input_ids for word in words[:2]),
            *(2, *(model.tokenizer(word[0]).input_ids[0] for word in words[:2]), 3),
        )
        for pair, words in WORDS.items()
    }


def test_layers_and_blocks_are_those_of_a_loop_of_hooks(
    model: LoadedModel, measured: PairMeasurements
) -> None:
    loop, cut = NaiveLoop(model.network), NaiveCut(model.network)
    patched = measured.patching.set_index(["pair", "layer"])["patched_diff"]
    cuts = measured.cuts[measured.cuts["kind"] == "single"].set_index(["pair", "mode", "blocks"])[
        "cut_diff"
    ]
    for name, pair in token_pairs(model).items():
        states = loop.states(pair.clean, pair)
        for layer in range(N_LAYERS):
            expected = loop.patched(pair.corrupted, pair, layer, states[layer])
            assert patched[name, layer] == pytest.approx(float(expected), abs=1e-5)
        for mode in ("denoise", "noise"):
            for block in range(1, N_LAYERS + 1):
                assert cuts[name, mode, str(block)] == pytest.approx(
                    float(cut.patched(pair, mode, {block})), abs=1e-5
                )
    gaps = measured.patching.eval("clean_diff - corrupted_diff").abs()

    assert gaps.min() > 0.01


def test_answers_are_read_in_the_logits_of_transformers(
    model: LoadedModel, measured: PairMeasurements
) -> None:
    answers = measured.answers.set_index(["pair", "prompt"])
    assert answers.loc[[("a", "clean"), ("a", "corrupted")], "unasked_diff"].notna().all()

    for row in rows():
        with torch.inference_mode():
            logits = model.network(**model.tokenizer(str(row["text"]), return_tensors="pt")).logits[
                0, -1
            ]
        by_option = {
            word: float(logits[model.tokenizer(word[0]).input_ids[0]])
            for word in str(row["options"]).split("|")
        }
        found = answers.loc[row["pair"], row["prompt"]]
        assert found["answer"] == max(by_option, key=lambda word: by_option[word])
        wanted, against = (
            model.tokenizer(word[0]).input_ids[0] for word in WORDS[str(row["pair"])][:2]
        )
        assert found["diff"] == pytest.approx(float(logits[wanted] - logits[against]), abs=1e-5)


@pytest.mark.parametrize(
    ("prompt", "changed", "message"),
    [
        (
            "corrupted",
            {"text": "x=horse y=red x:"},
            "mine, row 2, corrupted prompt of pair 'a': 16 tokens, but its clean prompt has 14",
        ),
        (
            "corrupted",
            {"text": "x=cat y=red x;"},
            "mine, row 2, corrupted prompt of pair 'a': differs from its clean prompt in the last token",
        ),
        (
            "third",
            {"text": "x=fox y=red x;"},
            "mine, row 3, third prompt of pair 'a': differs from its clean prompt in the last token",
        ),
        (
            "clean",
            {"text": "x=dog y=red x:" * 5},
            "mine, row 1, clean prompt of pair 'a': 70 tokens, but the model reads at most 64",
        ),
        (
            "clean",
            {"options": "dog|red|rat"},
            "mine, row 1, clean prompt of pair 'a': answers 'red' and 'rat' begin with the same token",
        ),
    ],
)
def test_pairs_that_a_model_cannot_read_are_refused_in_a_line(
    model: LoadedModel, prompt: str, changed: dict[str, object], message: str
) -> None:
    table = pd.DataFrame(
        [
            row | (changed if (row["pair"], row["prompt"]) == ("a", prompt) else {})
            for row in rows()[:3]
        ]
    )
    with pytest.raises(UserError) as refused:
        measure_pairs(
            *model[:2], read_pairs(Path("mine"), table), Path("mine"), tokens_per_batch=10**5
        )
    assert message in str(refused.value)


LOST = (
    "pandas reads the texts NA, None and null as missing: read the file with pd.read_csv(..., keep_default_na=False), "
    "or write '' where there is no text"
)


@pytest.mark.parametrize(
    "column", ["pair", "text", "wanted", "against", "options", "category", "place", "shortcut_last"]
)
def test_a_cell_that_pandas_takes_for_missing_is_refused(
    model: LoadedModel, tmp_path: Path, column: str
) -> None:
    table = pd.DataFrame(rows()).assign(shortcut_last="red", place="last").astype(object)
    table.loc[3, column] = "NA"
    if column != "category":
        table["category"] = "animal"
    table.to_csv(tmp_path / "mine.csv", index=False)
    read = pd.read_csv(tmp_path / "mine.csv")
    for lost in (read, read.to_dict("records")):
        with pytest.raises(ma.UserError) as refused:
            ma.patch(model, lost, name="mine")
        # Five prompts of pair c have no category, in the rows 11 to 15.
        places = "rows 4, 11, 12, 13, 14 and 1 more" if column == "category" else "row 4"
        assert str(refused.value) == f"mine, {places}: {column} is missing; {LOST}"


def test_a_row_without_a_key_or_with_none_has_no_text_there() -> None:
    whole = rows()
    for row in whole:
        row["category"] = ""
    without = [
        {key: cell for key, cell in row.items() if key != "category" or row["pair"] == "a"}
        for row in whole
    ]
    with_none = [row | {"category": None} for row in whole]
    expected = read_pairs(Path("mine"), pd.DataFrame(whole))
    for given in (without, with_none):
        assert read_pairs(Path("mine"), _table(given, "mine")) == expected


def test_the_library_gives_the_verdict_of_the_workflows_command(tmp_path: Path) -> None:
    table, folder = tmp_path / "mine.csv", tmp_path / "tiny"
    pd.DataFrame(letter_rows()).to_csv(table, index=False)
    make_answering_model(
        folder, [str(row["text"]) for row in letter_rows() if row["prompt"] == "clean"]
    )
    model = ma.load(folder)
    patch_task.main(
        name="mine", label="Tiny <model>", table=table, model=folder, calibration=RATES, options=[],
        skip_faulty=False, own_rules=[], tau=0.4,
        alpha=0.9, null_quantile=0.95, unasked_share=0.5, verdict_share=0.5, confidence_level=0.95,
        bootstrap_resamples=5000, tokens_per_batch=32768, seed=library.derive_seed(20260, "patch_task", "mine"),
        verdict=tmp_path / "verdict.json", page=tmp_path / "index.html", lines=tmp_path / "summary.txt",
    )  # fmt: skip
    record = json.loads((tmp_path / "verdict.json").read_text())
    for pairs in (table, letter_rows()):
        found = ma.patch(model, pairs, name="mine")
        assert json.loads(json.dumps(found.record())) == record
    assert (
        tmp_path / "summary.txt"
    ).read_text() == f"mine: {found.status}: {found.reason}\nopen {tmp_path}/index.html\n"

    jsonschema.validate(record, json.loads(SCHEMA.read_text()))
    assert (
        "G1 to G5: not measured with this procedure: g5, part of the measured one, was not asked"
        in record["error_rates"]["missing"]
    )

    page = (tmp_path / "index.html").read_text()
    assert (
        "G1 to G5: not measured with this procedure: g5, part of the measured one, was not asked."
        in page
    )
    assert "Tiny &lt;model&gt;" in page
    assert f"<h1>{found.status.capitalize()}.</h1>" in page
    assert found.evidence.self_test.unpatched < 1e-5
    assert found.evidence.self_test.patched < 1e-5
    assert found.evidence.self_test.sentence in page

    n_cells = N_LAYERS * (HEADS + 1)
    assert page.count('class="items"') + page.count('class="control"') == 2 * N_LAYERS + n_cells
    assert page.count("<title>MLP of block ") == N_LAYERS
    assert len(found.evidence.faithfulness) == 4  # of 15 components: 1, 2, 4 and 8


def test_pairs_in_a_chat_are_the_pairs_whose_texts_are_written_as_the_template_writes_them(
    tmp_path: Path,
) -> None:
    folder, table = tmp_path / "tiny", tmp_path / "mine.csv"
    clean = [f"U{row['text']}A" for row in letter_rows() if row["prompt"] == "clean"]
    make_answering_model(folder, clean)
    (folder / "chat_template.jinja").write_text(
        "{% for message in messages %}U{{ message.content }}{% endfor %}A"
    )
    spaced = [
        row | {"wanted": f" {row['wanted']}", "against": f" {row['against']}"}
        for row in letter_rows()
    ]
    for row in spaced:
        row["options"] = "|".join(f" {option}" for option in str(row["options"]).split("|"))
    pd.DataFrame(spaced).to_csv(table, index=False)
    patch_task.main(
        name="mine", label="Tiny", table=table, model=folder, calibration=RATES, options=[],
        skip_faulty=False, own_rules=[], tau=0.4,
        alpha=0.9, null_quantile=0.95, unasked_share=0.5, verdict_share=0.5, confidence_level=0.95,
        bootstrap_resamples=5000, tokens_per_batch=32768, seed=library.derive_seed(20260, "patch_task", "mine"),
        settings=ModelSettings(template="chat"),
        verdict=tmp_path / "verdict.json", page=tmp_path / "index.html", lines=tmp_path / "summary.txt",
    )  # fmt: skip
    record = json.loads((tmp_path / "verdict.json").read_text())

    written = [row | {"text": f"U{row['text']}A"} for row in letter_rows()]
    by_hand = ma.patch(ma.load(folder), written, name="mine").record()["evidence"]

    assert by_hand["sets"]

    for key in ("rules", "sets", "behaviour", "predicted", "blocks", "residual_map"):
        assert record["evidence"][key] == json.loads(json.dumps(by_hand[key])), key

    shown = " ".join(f"'{letter}'" for letter in "Ux=d y=r x:A")
    assert record["notes"][1] == f"the model reads the clean prompt of a as {shown}"
    assert record["notes"][0] in (tmp_path / "index.html").read_text().replace("&#39;", "'")

    in_memory = ma.patch(ma.load(folder, template="chat"), table, name="mine")
    assert json.loads(json.dumps(in_memory.record())) == record


YEARS = {
    "a": ("1984", "1987"),
    "b": ("1935", "1954"),
}  # they differ in the last digit; from the third on


def year_rows() -> list[dict[str, object]]:
    """Pairs of years; every byte is a token, and the options are those of every prompt."""
    made: list[dict[str, object]] = []
    for pair, (clean, corrupted) in YEARS.items():
        for prompt, year, other in (("clean", clean, corrupted), ("corrupted", corrupted, clean)):
            made.append(
                {
                    "pair": pair,
                    "prompt": prompt,
                    "text": f"x={year} y=2001 x:",
                    "wanted": year,
                    "against": other,
                }
            )
    return made


def test_answers_of_several_tokens_count_by_the_sum_of_their_log_probabilities(
    model: LoadedModel,
) -> None:
    """Against a loop over the digits of each answer, one run of transformers each."""

    def log_probabilities(text: str, answer: str) -> list[float]:
        found = []
        for n, digit in enumerate(answer):
            ids = model.tokenizer(text + answer[:n], return_tensors="pt").input_ids
            with torch.inference_mode():
                logits = model.network(ids).logits[0, -1].double()
            (token,) = model.tokenizer(digit).input_ids
            found.append(float(logits.log_softmax(-1)[token]))
        return found

    options = ["1984", "1987", "1935", "1954", "2001"]
    pairs = read_pairs(Path("mine"), pd.DataFrame(year_rows()), options=options)
    found = measure_pairs(
        *model[:2], pairs, Path("mine"), tokens_per_batch=10**5, whole_answers=True
    )
    answers = found.answers.set_index(["pair", "prompt"])
    patched = found.patching[found.patching["layer"] == 0].set_index("pair")
    for row in year_rows():
        text, wanted, against = (str(row[name]) for name in ("text", "wanted", "against"))
        sums = {option: sum(log_probabilities(text, option)) for option in options}
        of_prompt = answers.loc[(row["pair"], row["prompt"])]
        assert of_prompt["answer"] == max(sums, key=lambda option: sums[option])
        held = sum(math.exp(score) for score in sums.values())
        assert of_prompt["options_probability"] == pytest.approx(held, rel=1e-4)
        if row["prompt"] != "clean":
            continue
        first = next(
            n for n, digits in enumerate(zip(wanted, against, strict=True)) if len(set(digits)) > 1
        )
        one, other = (log_probabilities(text, answer)[first] for answer in (wanted, against))
        assert of_prompt["diff"] == pytest.approx(one - other, abs=1e-5)
        assert patched.loc[row["pair"], "clean_diff"] == pytest.approx(one - other, abs=1e-5)
        if row["pair"] == "a":  # all but the last digit are shared
            assert of_prompt["diff"] == pytest.approx(sums[wanted] - sums[against], abs=1e-5)


UNEQUAL = {"d": ("doe", "cattle", "bee"), "e": ("dolphin", "cow", "bat")}  # beside pairs of three


def unequal_rows() -> list[dict[str, object]]:
    """Pairs of different length and one of equal length; the answers differ in their first byte."""
    words = UNEQUAL | {"a": WORDS["a"]}
    return [row | {"category": ""} for row in rows(words)]


def test_pairs_of_different_length_are_patched_at_the_ends_of_their_words(
    model: LoadedModel,
) -> None:
    """Prompts are bytes, `x=` before the word; one unbatched run with a hook for each number."""
    pairs = read_pairs(Path("mine"), pd.DataFrame(unequal_rows()))
    found = measure_pairs(
        *model[:2], pairs, Path("mine"), tokens_per_batch=10**5, whole_answers=True
    )
    loop = NaiveLoop(model.network)
    patched = found.patching.set_index(["pair", "layer"])["patched_diff"]
    for name, (clean, corrupted, _) in UNEQUAL.items():
        ids = [model.tokenizer(f"x={word} y=red x:").input_ids for word in (clean, corrupted)]
        answers = (model.tokenizer(word[0]).input_ids[0] for word in (clean, corrupted))
        pair = TokenPair(*ids, 2, *answers, len(clean))
        last, last_corrupted = (
            pair._replace(position=1 + len(word), n_tokens=1) for word in (clean, corrupted)
        )
        states = loop.states(pair.clean, last)
        for layer in range(N_LAYERS):
            expected = loop.patched(pair.corrupted, last_corrupted, layer, states[layer])
            assert patched[name, layer] == pytest.approx(float(expected), abs=1e-5)
        assert abs(patched[name, 1] - float(loop.difference(pair.corrupted, pair))) > 0.01
    # The third word, of three bytes, takes the place of the clean one, of three or seven.
    assert found.third_word_effects["third_diff"].notna().all()


def test_a_verdict_on_pairs_of_different_length_says_what_a_patch_restores_at_most(
    tmp_path: Path,
) -> None:
    made = [row for row in unequal_rows() if row["prompt"] in ("clean", "corrupted")]
    folder = tmp_path / "tiny"
    make_answering_model(folder, [str(row["text"]) for row in made if row["prompt"] == "clean"])
    mixed = ma.patch(ma.load(folder), made, name="mine")

    assert mixed.notes[0].startswith("in 2 of 3 pairs the words differ in length: states are patch")
    assert mixed.evidence.self_test.unpatched < 1e-4
    assert mixed.evidence.self_test.patched is not None
    assert mixed.evidence.self_test.patched < 1e-4

    unequal = ma.patch(ma.load(folder), [row for row in made if row["pair"] != "a"], name="mine")
    assert unequal.evidence.self_test.patched is None
    assert "the other prompt" in mixed.evidence.self_test.sentence
    assert "the other prompt" not in unequal.evidence.self_test.sentence

    jsonschema.validate(json.loads(json.dumps(unequal.record())), SCHEMA_OF_VERDICTS)


def test_the_shared_start_of_two_answers_stands_behind_both_prompts(model: LoadedModel) -> None:
    pairs = read_pairs(Path("mine"), pd.DataFrame(year_rows()))
    tokens = tokenise(pairs[1], model.tokenizer, 10**5)
    ids = [model.tokenizer(f"x={year} y=2001 x:19").input_ids for year in YEARS["b"]]
    three, five = model.tokenizer("35").input_ids

    # `x=19` is four bytes; 35 and 54 differ in both digits.
    assert exchange(pairs[1], tokens) == TokenPair(ids[0], ids[1], 4, three, five, 2)


def test_faulty_pairs_are_left_out_and_listed(model: LoadedModel) -> None:
    longer = [row | {"text": str(row["text"]) + "=" * 60} for row in rows() if row["pair"] == "b"]
    kept = [row for row in rows() if row["pair"] != "b"]
    with pytest.raises(UserError, match="the model reads at most 64"):
        ma.patch(model, kept + longer, name="mine")
    verdict = ma.patch(model, kept + longer, name="mine", skip_faulty=True)

    assert verdict.n == 2

    lines = verdict.notes[0].splitlines()
    assert lines[0] == "2 of 3 pairs used; faults of the others:"
    assert lines[1].startswith(
        "mine, row 11, clean prompt of pair 'b': 76 tokens with its longest answer, but the model reads at most 64"
    )
    assert len(lines) == 1 + 5
    assert verdict.evidence.pairs == ma.patch(model, kept, name="mine").evidence.pairs


def test_pairs_are_checked_without_the_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, table = make_tiny_model("llama", tmp_path / "tiny"), tmp_path / "mine.csv"
    for weights in folder.glob("*.safetensors"):
        weights.unlink()
    pd.DataFrame(year_rows()).to_csv(table, index=False)
    arguments = [str(table), str(folder), "--options", "1984|1987|1935|1954"]

    assert check_pairs.main(arguments) == 0
    assert capsys.readouterr().out == f"{table}: all 2 pairs can be measured\n"

    assert check_pairs.main([*arguments[:3], "1984|1987|1935|1954|195"]) == 1

    faults = capsys.readouterr().err.splitlines()
    assert len(faults) == 4  # one for each prompt
    assert faults[0] == (
        f"error: {table}, row 2, clean prompt of pair 'a': the tokens of '195' are the beginning of '1954'; "
        "exchange one of them"
    )


def test_answers_that_a_model_would_not_give_are_no_verdict(model: LoadedModel) -> None:
    """A random model gives all 257 tokens about the same probability."""
    verdict = ma.patch(model, letter_rows(), name="mine")
    assert verdict.status == "cannot tell"

    with torch.inference_mode():
        clean = [
            model.network(**model.tokenizer(str(row["text"]), return_tensors="pt")).logits[0, -1]
            for row in letter_rows()
            if row["prompt"] == "clean"
        ]
    for logits, row in zip(clean, verdict.evidence.answers[::5], strict=True):
        pair, total = str(row["pair"]), logits.double().exp().sum()
        first = model.tokenizer(f"{LETTERS[pair][0]}r").input_ids
        held = float((logits.double()[first].exp() / total).sum())
        assert row["options_probability"] == pytest.approx(held, rel=1e-4)
        assert row["likeliest"] == model.tokenizer.decode([int(logits.argmax())])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_model_in_half_precision_is_patched_with_the_float32_shares_up_to_its_rounding(
    tmp_path: Path, dtype: Dtype
) -> None:
    folder = make_tiny_model("llama", tmp_path / "tiny", n_layers=N_LAYERS)
    exact, half = (
        ma.patch(ma.load(folder, dtype=each), rows(), name="mine").evidence.residual_map
        for each in ("float32", dtype)
    )
    # Shares are quotients of differences with 8 or 11 bits.
    for row, other in zip(half, exact, strict=True):
        assert row["recovered"] == pytest.approx(other["recovered"], abs=0.1)
