"""The table of pairs: what is read and written, and what is refused."""

from pathlib import Path

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.pairs import (
    Pair,
    read_pairs,
    wanted_by_request,
    with_examples,
    write_pairs,
)
from tests.unit.instruments.grounding.pairs_by_hand import PAIRS

HEADER = "pair,prompt,text,wanted,against,options,category,place,shortcut_last\n"
CLEAN = "a,clean,a=dog b=red a:,dog,cat,dog|red,animal,1,red\n"
CORRUPTED = "a,corrupted,a=cat b=red a:,cat,dog,cat|red,,,red\n"
UNASKED = "a,unasked,a=dog b=tan a:,dog,cat,dog|tan,,,tan\n"
# The same clean and corrupted prompt, of a second pair.
PAIR_B = CLEAN.replace("a,clean", "b,clean") + CORRUPTED.replace("a,corr", "b,corr")


def without_row_numbers(pair: Pair) -> Pair:
    """The pair with row 0 in each prompt, as in pairs that no file has."""
    prompts = {name: prompt._replace(row=0) for name, prompt in pair.prompts.items()}
    return pair._replace(prompts=prompts)


def write_csv(folder: Path, rows: str) -> Path:
    path = folder / "mine.csv"
    path.write_text(HEADER + rows)
    return path


# Reading


def test_a_pair_has_its_prompts_as_they_are_written(tmp_path: Path) -> None:
    (pair,) = read_pairs(write_csv(tmp_path, CLEAN + CORRUPTED + UNASKED))

    assert (pair.id, pair.category, pair.place) == ("a", "animal", 1)
    assert list(pair.prompts) == ["clean", "corrupted", "unasked"]
    assert pair.prompts["corrupted"].text == "a=cat b=red a:"
    assert pair.prompts["unasked"].options == ("dog", "tan")
    assert pair.exchanged == ("red", "tan")


def test_an_answer_keeps_the_space_before_it(tmp_path: Path) -> None:
    clean = "a,clean,a=dog b=red a:, dog,cat, dog| red,animal,1,red\n"

    (pair,) = read_pairs(write_csv(tmp_path, clean + CORRUPTED))

    assert pair.prompts["clean"].wanted == " dog"
    assert pair.prompts["clean"].options == (" dog", " red")


def test_a_csv_a_table_and_json_lines_give_the_same_pairs(tmp_path: Path) -> None:
    clean = "a,clean,a=dog b=red a:, dog,cat, dog| red,animal,1,red\n"
    csv = write_csv(tmp_path, clean + CORRUPTED)
    table = pd.read_csv(csv, dtype=str)
    json_lines = tmp_path / "mine.jsonl"
    with_lists = table.assign(options=table["options"].str.split("|"))
    with_lists.to_json(json_lines, orient="records", lines=True)

    (from_csv,) = read_pairs(csv)
    (from_table,) = read_pairs(Path("mine"), table)
    (from_json_lines,) = read_pairs(json_lines)

    assert without_row_numbers(from_table) == without_row_numbers(from_csv)
    assert without_row_numbers(from_json_lines) == without_row_numbers(from_csv)


def test_common_options_are_the_options_of_a_prompt_that_names_none(tmp_path: Path) -> None:
    without_options = "a,corrupted,a=cat b=red a:,cat,dog,,,,red\n"
    path = write_csv(tmp_path, CLEAN + without_options)

    (pair,) = read_pairs(path, options=["dog", "cat", "red", "tan"])

    assert pair.prompts["clean"].options == ("dog", "red")
    assert pair.prompts["corrupted"].options == ("dog", "cat", "red", "tan")


def test_only_with_common_options_may_the_column_of_options_be_missing(tmp_path: Path) -> None:
    path = write_csv(tmp_path, CLEAN + CORRUPTED)
    pd.read_csv(path, dtype=str).drop(columns="options").to_csv(path, index=False)

    (pair,) = read_pairs(path, options=["dog", "cat", "red", "tan"])

    assert pair.prompts["clean"].options == ("dog", "cat", "red", "tan")
    with pytest.raises(UserError, match="no column 'options'"):
        read_pairs(path)


# Refusals


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        pytest.param(CLEAN, "mine.csv, pair 'a': no corrupted prompt", id="a prompt is missing"),
        pytest.param(
            CLEAN + CORRUPTED.replace("corrupted", "corupted"),
            "row 3: pair 'a', prompt 'corupted'; write an id, and",
            id="no such prompt",
        ),
        pytest.param(
            CLEAN + CORRUPTED + CORRUPTED,
            "row 4: pair 'a' has a corrupted prompt in row 3; remove one",
            id="a prompt twice",
        ),
        pytest.param(
            CLEAN.replace("a=dog b=red a:", " ") + CORRUPTED,
            "row 2: empty text",
            id="empty text",
        ),
        pytest.param(
            CLEAN.replace("dog|red", "cow|red") + CORRUPTED,
            "row 2: options 'cow|red'; write two or more, all diff",
            id="the wanted answer is no option",
        ),
        pytest.param(
            CLEAN.replace("dog|red", "dog|dog") + CORRUPTED,
            "row 2: options 'dog|dog'; write two or more",
            id="an option twice",
        ),
        pytest.param(
            CLEAN.replace("dog|red", "dog") + CORRUPTED,
            "row 2: options 'dog'; write two or more",
            id="a single option",
        ),
        pytest.param(
            CLEAN.replace(",cat,", ",,") + CORRUPTED,
            "row 2, clean prompt of pair 'a': needs two different answers",
            id="clean prompt without against",
        ),
        pytest.param(
            CLEAN + CORRUPTED.replace("a=cat", "a=dog"),
            "row 3, corrupted prompt of pair 'a': the text of row 2",
            id="corrupted prompt with the clean text",
        ),
        pytest.param(
            CLEAN + CORRUPTED.replace(",cat,dog,", ",red,dog,"),
            "row 3, corrupted prompt of pair 'a': wants 'red'",
            id="corrupted prompt wants a third answer",
        ),
        pytest.param(
            CLEAN + CORRUPTED + CLEAN.replace("clean", "third"),
            "row 4, third prompt of pair 'a': needs a wanted",
            id="third prompt wants the clean answer",
        ),
        pytest.param(
            CLEAN + CORRUPTED + CLEAN.replace("clean", "unasked"),
            "row 4, unasked prompt of pair 'a': needs the options",
            id="unasked prompt with the clean options",
        ),
        pytest.param(
            CLEAN + CORRUPTED + CLEAN.replace("clean", "other"),
            "row 4, other prompt of pair 'a': needs another",
            id="other prompt wants the clean answer",
        ),
        pytest.param(
            CLEAN + CORRUPTED + UNASKED + PAIR_B,
            "pair 'b': no unasked prompt, which other pairs have; give it to all",
            id="only some pairs have an unasked prompt",
        ),
        pytest.param("", "mine.csv: no pairs; add rows below the header", id="no rows"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        read_pairs(write_csv(tmp_path, rows))

    assert message in str(refused.value)


def test_all_faults_are_named_at_once_those_of_single_rows_first(tmp_path: Path) -> None:
    same_text = CORRUPTED.replace("a=cat", "a=dog")
    no_such_prompt = "b,neither,x,,,y|z,,,\n"
    no_pair = ",clean,x,y,z,,,,\n"
    path = write_csv(tmp_path, CLEAN + same_text + no_such_prompt + no_pair)

    with pytest.raises(UserError) as refused:
        read_pairs(path)

    # Row 3 can be read. Its fault is found when the prompts of pair a are compared.
    of_row_4, of_row_5, of_row_3 = str(refused.value).splitlines()
    assert of_row_4.startswith(f"{path}, row 4: ")
    assert of_row_5.startswith(f"{path}, row 5: ")
    assert of_row_3.startswith(f"{path}, row 3, ")


def test_faulty_pairs_may_be_left_out_with_their_faults(tmp_path: Path) -> None:
    no_corrupted_prompt = "c,clean,x y z,y,z,,,,\n"
    empty_text = "d,clean, ,y,z,,,,\n"
    no_pair = ",clean,x,y,z,,,,\n"
    rows = CLEAN + CORRUPTED + PAIR_B + no_corrupted_prompt + empty_text + no_pair
    path = write_csv(tmp_path, rows)
    faults_by_pair: dict[str, list[str]] = {}

    pairs = read_pairs(path, faults_by_pair=faults_by_pair)

    assert [pair.id for pair in pairs] == ["a", "b"]
    # Pair d has an empty text, and so no usable prompt.
    assert {pair: len(faults) for pair, faults in faults_by_pair.items()} == {"c": 1, "d": 2, "": 1}
    assert faults_by_pair["d"][0] == f"{path}, row 7: empty text; fill it in or remove the row"


def test_a_table_whose_pairs_are_all_left_out_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no corrupted prompt"):
        read_pairs(write_csv(tmp_path, CLEAN), faults_by_pair={})


def test_a_prompt_that_only_some_pairs_have_is_refused_whatever_is_left_out(
    tmp_path: Path,
) -> None:
    path = write_csv(tmp_path, CLEAN + CORRUPTED + UNASKED + PAIR_B)

    with pytest.raises(UserError, match="pair 'b': no unasked prompt"):
        read_pairs(path, faults_by_pair={})


# Writing


def test_written_pairs_are_read_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"

    write_pairs(PAIRS, path)
    pairs = read_pairs(path)

    rows = []
    for pair in pairs:
        rows += [prompt.row for prompt in pair.prompts.values()]
    assert rows == list(range(1, len(rows) + 1))
    assert [without_row_numbers(pair) for pair in pairs] == PAIRS
    _, _, third, fourth = pairs
    assert (third.category, third.place) == ("non_db_synonyms", 3)
    assert (fourth.category, fourth.place) == ("super_scramble", 1)


# What follows from pairs


def test_a_request_word_may_mean_what_is_wanted_in_any_of_its_prompts() -> None:
    assert wanted_by_request(PAIRS) == {
        # `syn` wants price, cost or charge, and `scr` price. The other prompts of `non` and `sup`
        # want team.
        "fee": {"price", "cost", "charge", "team"},
        # `non` wants town or spot, and `sup` city or spot. The other prompt of `syn` wants city.
        "place": {"town", "spot", "city"},
    }


def test_examples_precede_each_prompt_and_change_nothing_else() -> None:
    for pair, with_two_lines in zip(PAIRS, with_examples(PAIRS, "one\ntwo\n"), strict=True):
        assert with_two_lines.id == pair.id
        assert list(with_two_lines.prompts) == list(pair.prompts)
        for name, prompt in pair.prompts.items():
            expected = prompt._replace(text=f"one\ntwo\n{prompt.text}")
            assert with_two_lines.prompts[name] == expected
