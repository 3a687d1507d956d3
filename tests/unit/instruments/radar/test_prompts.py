"""The prompt sets as their card describes them, and the messages that faulty sets get."""

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.prompts import (
    PAPER_CATEGORIES,
    Prompt,
    check_disjoint,
    check_folds,
    has_papers_categories,
    pair_id,
    read_prompts,
)

FOLDER = Path(__file__).resolve().parents[4] / "config/prompts"
SETS = ("radar_train", "radar_test", "radar_matched", "radar_matched_800")
HEADER = "id,prompt,label,category,source\n"


def read(name: str) -> list[Prompt]:
    return read_prompts(FOLDER / f"{name}.csv")


def test_the_training_set_is_15_recall_and_15_reasoning() -> None:
    assert Counter(prompt.label for prompt in read("radar_train")) == {
        "recall": 15,
        "reasoning": 15,
    }


def test_the_test_set_has_the_split_that_the_printed_numbers_imply() -> None:
    assert Counter((prompt.category, prompt.label) for prompt in read("radar_test")) == {
        ("clear_recall", "recall"): 20,
        ("clear_reasoning", "reasoning"): 20,
        ("challenging", "recall"): 24,
        ("challenging", "reasoning"): 6,
        ("complex_reasoning", "reasoning"): 30,
    }


@pytest.mark.parametrize(("name", "n"), [("radar_matched", 60), ("radar_matched_800", 400)])
def test_a_matched_set_is_pairs_that_open_alike_and_are_equally_long_within_a_word(
    name: str, n: int
) -> None:
    prompts = read(name)
    assert len(prompts) == 2 * n
    for recall, reasoning in zip(prompts[::2], prompts[1::2], strict=True):
        assert (recall.label, reasoning.label) == ("recall", "reasoning")
        assert pair_id(recall.id, recall.label) == pair_id(reasoning.id, reasoning.label), recall.id
        first = recall.prompt.split()
        second = reasoning.prompt.split()
        assert first[:3] == second[:3], recall.id
        assert abs(len(first) - len(second)) <= 1, recall.id


def test_the_prompts_of_the_400_pairs_are_the_same_words_in_another_order() -> None:
    prompts = read("radar_matched_800")
    for recall, reasoning in zip(prompts[::2], prompts[1::2], strict=True):
        assert words_of(recall) == words_of(reasoning), recall.id
        assert recall.prompt != reasoning.prompt, recall.id
        # An answer shows which question was answered.
        assert not set(recall.answers) & set(reasoning.answers), recall.id


def words_of(prompt: Prompt) -> Counter[str]:
    """How often each word and each punctuation mark occurs in the prompt."""
    return Counter(re.findall(r"\w+|[^\w\s]", prompt.prompt))


def test_no_prompt_occurs_twice_within_or_across_the_sets() -> None:
    # Prompts that differ only in case and punctuation count as one.
    counts: Counter[str] = Counter()
    for name in SETS:
        for prompt in read(name):
            words = re.findall(r"[^\W_]+", prompt.prompt.casefold())
            counts[" ".join(words)] += 1
    assert [text for text, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,One,recal,c,s\n", "row 2: label 'recal'; write recall or reasoning"),
        ("a,One,recall,c,s\nb,,recall,c,s\n", "row 3: empty prompt; fill it in or remove the row"),
        (
            "a,One two,recall,c,s\nb,one  TWO,reasoning,c,s\n",
            "row 3: the same prompt as row 2; remove or change",
        ),
        ("a,One,recall,c,s\na,Two,recall,c,s\n", "row 3: the same id as row 2; remove or change"),
        ("", "no prompts; add rows below the header"),
        ('a,"One,recall,c,s\n', "row 2: unexpected end of data; close each quote"),
        ("a,One\n", "row 2: empty label"),
        ('a,"One\nand more",recall,c,s\nb,Two,guess,c,s\n', "row 4: label 'guess'"),
    ],
)
def test_a_bad_row_is_refused_by_file_and_row(tmp_path: Path, rows: str, message: str) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(HEADER + rows)
    with pytest.raises(UserError) as refused:
        read_prompts(path)
    assert str(refused.value).startswith(str(path))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


LONG = "word " * 40_000  # 200,000 characters; Python's csv module stops at 131,072


def test_a_long_field_is_read_whole_and_the_limit_of_the_csv_module_stays(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    path = tmp_path / "mine.csv"
    path.write_text(f"{HEADER}a,{LONG}end,recall,c,s\nb,Two,reasoning,c,s\n")
    long, short = read_prompts(path)
    assert long.prompt == f"{LONG}end"
    assert short.prompt == "Two"
    assert csv.field_size_limit() == limit


def test_a_quote_that_swallows_a_long_file_is_blamed_in_the_row_that_opens_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.csv"
    rows = "".join(f"r{index},Prompt {index} {'x' * 90},recall,c,s\n" for index in range(2000))
    path.write_text(f'{HEADER}a,One,recall,c,s\nb,"Two,recall,c,s\n{rows}')
    with pytest.raises(UserError) as refused:
        read_prompts(path)
    assert str(refused.value).startswith(f"{path}, row 3: unexpected end of data; close each quote")


def test_a_byte_order_mark_and_further_columns_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "id,prompt,label,category,source,note\na,Ein Wort,recall,c,s,x\n", encoding="utf-8-sig"
    )
    assert read_prompts(path) == [Prompt("a", "Ein Wort", "recall", "c", "s", row=2)]


def test_accepted_answers_are_a_column_that_a_set_may_lack(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "id,prompt,label,category,source,answers\n"
        "a,Two,recall,c,s, 2 | two\n"
        "b,Why?,reasoning,c,s,\n"
    )
    assert [prompt.answers for prompt in read_prompts(path)] == [("2", "two"), ()]
    path.write_text(HEADER + "a,Two,recall,c,s\n")
    assert read_prompts(path)[0].answers == ()


def test_a_missing_column_or_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    with pytest.raises(UserError, match="no such file; add it, or remove 'mine' from the config"):
        read_prompts(path)
    path.write_text("id,prompt,category,source\na,One,c,s\n")
    with pytest.raises(
        UserError, match="no column 'label' in 'id,prompt,category,source'; write id,prompt,label"
    ):
        read_prompts(path)


def prompts_of(*labels: str) -> list[Prompt]:
    """A prompt per label, `Prompt 0`, `Prompt 1` and so on, from row 2, below the header."""
    prompts = []
    for index, label in enumerate(labels):
        prompts.append(Prompt(str(index), f"Prompt {index}", label, "c", "s", row=index + 2))
    return prompts


@pytest.mark.parametrize(
    ("n_recall", "folds", "needs_both"),
    [
        pytest.param(3, 3, True, id="one of three in each fold"),
        pytest.param(4, 2, True, id="two in each fold"),
        pytest.param(0, 5, False, id="an evaluation set may lack a class"),
    ],
)
def test_a_class_with_a_prompt_in_each_fold_and_two_outside_is_accepted(
    n_recall: int, folds: int, needs_both: bool
) -> None:
    prompts = prompts_of(*["recall"] * n_recall, *["reasoning"] * 9)
    check_folds(prompts, folds, Path("mine.csv"), needs_both_classes=needs_both)


@pytest.mark.parametrize(
    ("n_recall", "folds", "needs_both"),
    [
        pytest.param(3, 5, False, id="two folds without a prompt"),
        pytest.param(2, 2, True, id="one outside each fold: too few to calibrate the SVM"),
        pytest.param(3, 2, True, id="two of three in the larger fold: one outside it"),
        pytest.param(0, 5, True, id="a set that is fitted may not lack a class"),
    ],
)
def test_a_class_without_a_prompt_in_each_fold_and_two_outside_is_refused(
    n_recall: int, folds: int, needs_both: bool
) -> None:
    prompts = prompts_of(*["recall"] * n_recall, *["reasoning"] * 9)
    message = (
        f"mine.csv: {n_recall} recall prompts, but radar/folds is {folds}; add recall prompts or"
    )
    with pytest.raises(UserError, match=message):
        check_folds(prompts, folds, Path("mine.csv"), needs_both_classes=needs_both)


def test_a_training_prompt_among_the_evaluation_prompts_is_refused() -> None:
    training = prompts_of("recall", "reasoning")
    evaluation = prompts_of("recall")
    with pytest.raises(
        UserError, match=r"test.csv, row 2: also a training prompt \(train.csv, row 2\)"
    ):
        check_disjoint(training, evaluation, Path("train.csv"), Path("test.csv"))
    # In another row, and in other letters and spaces.
    spaced = Prompt("x", " PROMPT  1", "recall", "c", "s", row=7)
    with pytest.raises(
        UserError, match=r"test.csv, row 7: also a training prompt \(train.csv, row 3\)"
    ):
        check_disjoint(training, [spaced], Path("train.csv"), Path("test.csv"))


def test_only_a_set_with_all_four_categories_is_of_the_papers_kind() -> None:
    assert has_papers_categories([*PAPER_CATEGORIES, "mine"])
    assert has_papers_categories(prompt.category for prompt in read("radar_test"))
    assert not has_papers_categories(["clear_recall", "clear_reasoning", "challenging"])
