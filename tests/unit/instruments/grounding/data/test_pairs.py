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
OTHER = CLEAN.replace("a,clean", "b,clean") + CORRUPTED.replace("a,corr", "b,corr")


def without_rows(pair: Pair) -> Pair:
    """A pair whose prompts do not say in which row of a file they are."""
    prompts = {name: prompt._replace(row=0) for name, prompt in pair.prompts.items()}
    return pair._replace(prompts=prompts)


def written(folder: Path, rows: str) -> Path:
    path = folder / "mine.csv"
    path.write_text(HEADER + rows)
    return path


def test_a_pair_has_its_prompts_as_they_are_written(tmp_path: Path) -> None:
    (pair,) = read_pairs(written(tmp_path, CLEAN + CORRUPTED + UNASKED))
    assert (pair.id, pair.category, pair.place) == ("a", "animal", 1)
    assert list(pair.prompts) == ["clean", "corrupted", "unasked"]
    assert pair.prompts["corrupted"].text == "a=cat b=red a:"
    assert pair.prompts["unasked"].options == ("dog", "tan")
    assert pair.exchanged == ("red", "tan")


def test_json_lines_and_a_table_give_the_same_pairs_and_a_space_belongs_to_the_answer(
    tmp_path: Path,
) -> None:
    with_spaces = CLEAN.replace("dog|red", " dog| red").replace(",dog,cat,", ", dog,cat,")
    path = written(tmp_path, with_spaces + CORRUPTED)
    (pair,) = read_pairs(path)
    assert pair.prompts["clean"].options == (" dog", " red")

    table = pd.read_csv(path, dtype=str)
    (of_table,) = read_pairs(Path("mine"), table)
    assert without_rows(of_table) == without_rows(pair)

    lines = tmp_path / "mine.jsonl"
    listed = table.assign(options=table["options"].str.split("|"))
    listed.to_json(lines, orient="records", lines=True)
    (of_lines,) = read_pairs(lines)
    assert without_rows(of_lines) == without_rows(pair)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (CLEAN, "mine.csv, pair 'a': no corrupted prompt"),
        (CLEAN + CORRUPTED.replace("corrupted", "corupted"), "row 3: pair 'a', prompt 'corupted'; write an id, and"),
        (CLEAN + CORRUPTED + CORRUPTED, "row 4: pair 'a' has a corrupted prompt in row 3; remove one"),
        (CLEAN.replace("a=dog b=red a:", " ") + CORRUPTED, "row 2: empty text"),
        (CLEAN.replace("dog|red", "cow|red") + CORRUPTED, "row 2: options 'cow|red'; write two or more, all diff"),
        (CLEAN.replace("dog|red", "dog|dog") + CORRUPTED, "row 2: options 'dog|dog'; write two or more"),
        (CLEAN.replace("dog|red", "dog") + CORRUPTED, "row 2: options 'dog'; write two or more"),
        (CLEAN.replace(",cat,", ",,") + CORRUPTED, "row 2, clean prompt of pair 'a': needs two different answers"),
        (CLEAN + CORRUPTED.replace("a=cat", "a=dog"), "row 3, corrupted prompt of pair 'a': the text of row 2"),
        (CLEAN + CORRUPTED.replace(",cat,dog,", ",red,dog,"), "row 3, corrupted prompt of pair 'a': wants 'red'"),
        (CLEAN + CORRUPTED + CLEAN.replace("clean", "third"), "row 4, third prompt of pair 'a': needs a wanted"),
        (CLEAN + CORRUPTED + CLEAN.replace("clean", "unasked"), "row 4, unasked prompt of pair 'a': needs the options"),
        (CLEAN + CORRUPTED + CLEAN.replace("clean", "other"), "row 4, other prompt of pair 'a': needs another"),
        (CLEAN + CORRUPTED + UNASKED + OTHER, "pair 'b': no unasked prompt, which other pairs have; give it to all"),
        ("", "mine.csv: no pairs; add rows below the header"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_in_a_line(tmp_path: Path, rows: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        read_pairs(written(tmp_path, rows))
    assert message in str(refused.value)


def test_all_faults_are_named_at_once(tmp_path: Path) -> None:
    same_text = CORRUPTED.replace("a=cat", "a=dog")
    no_such_prompt = "b,neither,x,,,y|z,,,\n"
    no_pair = ",clean,x,y,z,,,,\n"
    path = written(tmp_path, CLEAN + same_text + no_such_prompt + no_pair)
    with pytest.raises(UserError) as refused:
        read_pairs(path)
    of_row_4, of_row_5, of_row_3 = str(refused.value).splitlines()
    assert of_row_4.startswith(f"{path}, row 4: ")
    assert of_row_5.startswith(f"{path}, row 5: ")
    assert of_row_3.startswith(f"{path}, row 3, ")


def test_faulty_pairs_may_be_left_out_with_their_faults(tmp_path: Path) -> None:
    no_corrupted_prompt = "c,clean,x y z,y,z,,,,\n"
    empty_text = "d,clean, ,y,z,,,,\n"
    no_pair = ",clean,x,y,z,,,,\n"
    path = written(tmp_path, CLEAN + CORRUPTED + OTHER + no_corrupted_prompt + empty_text + no_pair)
    faults_by_pair: dict[str, list[str]] = {}
    assert [pair.id for pair in read_pairs(path, faults_by_pair=faults_by_pair)] == ["a", "b"]
    assert {pair: len(faults) for pair, faults in faults_by_pair.items()} == {"c": 1, "d": 2, "": 1}
    assert faults_by_pair["d"][0] == f"{path}, row 7: empty text; fill it in or remove the row"
    with pytest.raises(UserError, match="no corrupted prompt"):
        read_pairs(written(tmp_path, CLEAN), faults_by_pair={})


def test_prompts_of_several_pairs_must_have_the_same_kinds_whatever_is_left_out(
    tmp_path: Path,
) -> None:
    with pytest.raises(UserError, match="pair 'b': no unasked prompt"):
        read_pairs(written(tmp_path, CLEAN + CORRUPTED + UNASKED + OTHER), faults_by_pair={})


def test_one_list_of_options_is_that_of_every_prompt_that_has_none(tmp_path: Path) -> None:
    rows = (CLEAN + CORRUPTED).replace(",cat|red,", ",,")
    given = ["dog", "cat", "red", "tan"]
    (pair,) = read_pairs(written(tmp_path, rows), options=given)
    assert pair.prompts["clean"].options == ("dog", "red")
    assert pair.prompts["corrupted"].options == tuple(given)

    table = pd.read_csv(tmp_path / "mine.csv", dtype=str).drop(columns="options")
    table.to_csv(tmp_path / "mine.csv", index=False)
    (pair,) = read_pairs(tmp_path / "mine.csv", options=given)
    assert pair.prompts["clean"].options == tuple(given)
    with pytest.raises(UserError, match="no column 'options'"):
        read_pairs(tmp_path / "mine.csv")


def test_what_is_written_is_read_as_it_was(tmp_path: Path) -> None:
    write_pairs(PAIRS, tmp_path / "pairs.jsonl")
    read = read_pairs(tmp_path / "pairs.jsonl")
    rows = [prompt.row for pair in read for prompt in pair.prompts.values()]
    assert rows == list(range(1, len(rows) + 1))
    assert list(map(without_rows, read)) == PAIRS
    _, _, third, fourth = read
    assert (third.category, third.place) == ("non_db_synonyms", 3)
    assert (fourth.category, fourth.place) == ("super_scramble", 1)


def test_a_request_word_may_mean_what_is_wanted_in_any_of_its_prompts() -> None:
    assert wanted_by_request(PAIRS) == {
        # Of the clean and the corrupted prompt of synonyms, of a third one, and of the other request.
        "fee": {"price", "cost", "charge", "team"},
        "place": {"town", "spot", "city"},
    }


def test_examples_stand_before_each_prompt_and_change_nothing_else() -> None:
    for pair, shown in zip(PAIRS, with_examples(PAIRS, "one\ntwo\n"), strict=True):
        assert shown.id == pair.id
        assert list(shown.prompts) == list(pair.prompts)
        for name, prompt in pair.prompts.items():
            assert shown.prompts[name] == prompt._replace(text=f"one\ntwo\n{prompt.text}")
