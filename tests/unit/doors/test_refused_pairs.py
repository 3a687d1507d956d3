"""Pairs that cannot be measured, and cells that are missing: what is refused, with which message.

The study calls `measure_pairs`, and a user `mechaware.patch`; check_pairs is a command that needs
no weights. A message names the row of the table, counted from 1 in memory and from 2 in a file,
whose first line is the header.
"""

from pathlib import Path

import pandas as pd
import pytest

import mechaware as ma
from mechaware.core.errors import UserError
from mechaware.doors.check_pairs import __main__ as check_pairs
from mechaware.doors.grounding import _table
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.models.opening import LoadedModel
from tests.tiny_models import make_tiny_model
from tests.unit.doors.task_pairs import Row, word_rows, year_rows
from tests.unit.models.patching.naive_patching import N_LAYERS


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A random model of three blocks, which reads at most 64 tokens; every byte is a token."""
    folder = tmp_path_factory.mktemp("task") / "tiny"
    return ma.load(make_tiny_model("llama", folder, n_layers=N_LAYERS))


@pytest.mark.parametrize(
    ("prompt", "changed_cells", "message"),
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
    ids=[
        "unequal lengths",
        "corrupted prompt ends differently",
        "third prompt ends differently",
        "longer than the context",
        "answers begin alike",
    ],
)
def test_the_study_refuses_a_pair_that_it_cannot_measure(
    model: LoadedModel, prompt: str, changed_cells: dict[str, object], message: str
) -> None:
    """`measure_pairs` with the study's settings. The settings of `ma.patch` also allow words of
    different length, and answers with the same first token.

    The clean, corrupted and third prompt of pair a are x=dog y=red x:, x=cat y=red x: and
    x=fox y=red x:. Cells of one of the three are changed.
    """
    rows = word_rows()[:3]
    for row in rows:
        if row["prompt"] == prompt:
            row |= changed_cells
    pairs = read_pairs(Path("mine"), pd.DataFrame(rows))

    with pytest.raises(UserError) as refused:
        measure_pairs(model.network, model.tokenizer, pairs, Path("mine"), tokens_per_batch=10**5)

    assert message in str(refused.value)


ADVICE_ON_MISSING = (
    "pandas reads the texts NA, None and null as missing: read the file with pd.read_csv(..., keep_default_na=False), "
    "or write '' where there is no text"
)


@pytest.mark.parametrize(
    "column", ["pair", "text", "wanted", "against", "options", "category", "place", "shortcut_last"]
)
def test_a_cell_that_pandas_takes_for_missing_is_refused(
    model: LoadedModel, tmp_path: Path, column: str
) -> None:
    """The fourth row has the text NA in a column of texts.

    The five rows of pair c, 11 to 15, have no category, which pandas also reads as missing. They
    are given one, except where the column is the category itself.
    """
    table = pd.DataFrame(word_rows()).assign(shortcut_last="red", place="last").astype(object)
    table.loc[3, column] = "NA"
    if column == "category":
        rows = "rows 4, 11, 12, 13, 14 and 1 more"
    else:
        table["category"] = "animal"
        rows = "row 4"
    table.to_csv(tmp_path / "mine.csv", index=False)
    with_missing = pd.read_csv(tmp_path / "mine.csv")

    for pairs in (with_missing, with_missing.to_dict("records")):
        with pytest.raises(ma.UserError) as refused:
            ma.patch(model, pairs, name="mine")
        assert str(refused.value) == f"mine, {rows}: {column} is missing; {ADVICE_ON_MISSING}"


def test_in_rows_none_and_an_absent_key_stand_for_the_empty_text() -> None:
    """No pair has a category.

    All rows have the empty text in the first table, and None in the second. In the third the rows
    of pair a have the empty text, and the rows of the pairs b and c lack the key.
    """
    with_empty_text: list[Row] = []
    without_key: list[Row] = []
    with_none: list[Row] = []
    for row in word_rows():
        with_empty_text.append(row | {"category": ""})
        with_none.append(row | {"category": None})

        maybe_without = row | {"category": ""}
        if row["pair"] != "a":
            del maybe_without["category"]
        without_key.append(maybe_without)

    expected = read_pairs(Path("mine"), pd.DataFrame(with_empty_text))
    assert read_pairs(Path("mine"), _table(without_key, "mine")) == expected
    assert read_pairs(Path("mine"), _table(with_none, "mine")) == expected


def test_faulty_pairs_are_left_out_and_listed(model: LoadedModel) -> None:
    """The five prompts of pair b are made longer than the model's context, 64 tokens.

    They come last in the table, as the rows 11 to 15. The clean prompt x=cog y=red x: then has
    14 + 60 tokens. Of its longest answer, of 3 tokens, all but the last are read after it: 76 in
    total.
    """
    too_long: list[Row] = []
    kept: list[Row] = []
    for row in word_rows():
        if row["pair"] == "b":
            too_long.append(row | {"text": str(row["text"]) + "=" * 60})
        else:
            kept.append(row)

    with pytest.raises(UserError, match="the model reads at most 64"):
        ma.patch(model, kept + too_long, name="mine")
    verdict = ma.patch(model, kept + too_long, name="mine", skip_faulty=True)

    assert verdict.n == 2
    heading, *faults = verdict.notes[0].splitlines()
    assert heading == "2 of 3 pairs used; faults of the others:"
    assert faults[0].startswith(
        "mine, row 11, clean prompt of pair 'b': 76 tokens with its longest answer, but the model reads at most 64"
    )
    assert len(faults) == 5
    assert verdict.evidence.pairs == ma.patch(model, kept, name="mine").evidence.pairs


def test_check_pairs_needs_no_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The four prompts of two pairs of years; their options are on the command line.

    The option 195 is a fault of every prompt: the model's tokens are bytes, so that 1954 begins
    with all tokens of 195.
    """
    table = tmp_path / "mine.csv"
    folder = make_tiny_model("llama", tmp_path / "tiny")
    for weights in folder.glob("*.safetensors"):
        weights.unlink()
    pd.DataFrame(year_rows()).to_csv(table, index=False)
    arguments = [str(table), str(folder), "--options"]

    assert check_pairs.main([*arguments, "1984|1987|1935|1954"]) == 0
    assert capsys.readouterr().out == f"{table}: all 2 pairs can be measured\n"

    assert check_pairs.main([*arguments, "1984|1987|1935|1954|195"]) == 1
    faults = capsys.readouterr().err.splitlines()
    assert len(faults) == 4
    assert faults[0] == (
        f"error: {table}, row 2, clean prompt of pair 'a': the tokens of '195' are the beginning of '1954'; "
        "exchange one of them"
    )
