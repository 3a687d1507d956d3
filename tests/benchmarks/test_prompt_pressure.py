"""How far sentences of the prompts press a judge's statuses downwards.

`PRESSING` has these sentences. The tests are of the copy of the prompts without them, of the
comparison of statuses by both versions, and of the whole measurement with a judge.
"""

from pathlib import Path

import pytest

from benchmarks.prompt_pressure import (
    PRESSING,
    PROMPTS,
    Question,
    compare,
    measure_pressure,
    without_pressing,
)
from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import PaperText, write_record


def test_the_copy_lacks_the_pressing_sentences_and_nothing_else(tmp_path: Path) -> None:
    copied = without_pressing(PROMPTS, tmp_path / "prompts")

    assert {path.name for path in copied} == {path.name for path in PROMPTS.glob("*.*")}
    for path in copied:
        original = (PROMPTS / path.name).read_text(encoding="utf-8")
        copy = path.read_text(encoding="utf-8")
        sentence = PRESSING.get(path.name, "")
        assert copy == original.replace(sentence, "")
        assert len(original) - len(copy) == len(sentence)
    assert "give the lower" not in (tmp_path / "prompts/system.md").read_text(encoding="utf-8")
    assert "doubt" not in (tmp_path / "prompts/criteria_small.md").read_text(encoding="utf-8")


def test_prompts_that_lack_a_pressing_sentence_are_refused(tmp_path: Path) -> None:
    # The version v2 has none.
    with pytest.raises(ValueError, match="0 times"):
        without_pressing(PROMPTS.parent / "v2", tmp_path / "prompts")


def test_the_difference_is_a_mean_over_papers_by_hand() -> None:
    # Question of paper, run, claim and criterion -> the value of its status.
    with_them = {
        Question("a", 0, "first", "C1"): 0.5,
        Question("a", 0, "first", "C2"): 0.0,
        Question("b", 0, "only", "C1"): 1.0,
        Question("c", 0, "only", "C1"): 0.0,
        Question("c", 1, "only", "C1"): 0.0,
        Question("c", 2, "only", "C1"): 1.0,  # unscored by the other version
    }
    without_them = {
        Question("a", 0, "first", "C1"): 1.0,
        Question("a", 0, "first", "C2"): 0.0,
        Question("b", 0, "only", "C1"): 0.5,
        Question("c", 0, "only", "C1"): 0.0,
        Question("c", 1, "only", "C1"): 1.0,
    }

    pressure = compare(with_them, without_them)

    # Without the sentences, paper a's 0.5 and 0 become 1 and 0, +0.25 in the mean; paper b's 1
    # becomes 0.5, -0.5; paper c's 0 and 0 become 0 and 1, +0.5. The mean of the three is 1/12. The
    # deviations are 2/12, -7/12 and 5/12, so that the variance is (4 + 49 + 25) / 144 / 2 = 39/144,
    # and the half-width t(0.975, 2) * sqrt(39/144/3).
    t_quantile = 4.302653
    half_width = t_quantile * (13 / 144) ** 0.5
    assert (pressure.papers, pressure.statuses) == (3, 5)
    assert pressure.with_them == pytest.approx((0.25 + 1 + 0) / 3)
    assert pressure.without_them == pytest.approx((0.5 + 0.5 + 0.5) / 3)
    assert pressure.difference == pytest.approx(1 / 12)
    assert pressure.difference_low == pytest.approx(1 / 12 - half_width, rel=1e-6)
    assert pressure.difference_high == pytest.approx(1 / 12 + half_width, rel=1e-6)
    # Of the five statuses, one of a and one of c rise, and the one of b falls.
    assert (pressure.raised, pressure.lowered) == (2 / 5, 1 / 5)


def test_one_paper_has_no_interval() -> None:
    answers = {Question("a", 0, "first", "C1"): 0.5}
    with pytest.raises(UserError, match="judge more papers"):
        compare(answers, answers)


def write_paper(folder: Path, text: str) -> Path:
    """A paper as the workflow leaves it for a judge."""
    folder.mkdir()
    (folder / "text.txt").write_text(text, encoding="utf-8")
    about = PaperText(
        paper=folder.name,
        pages=None,
        pages_read=None,
        truncated=False,
        characters=len(text),
        flags=[],
        hidden=[],
    )
    write_record(about, folder / "flags.json")
    return folder


def test_a_judge_that_reads_no_sentence_of_the_prompts_is_not_pressed(tmp_path: Path) -> None:
    # The lexical judge takes only search words from the prompts; no pressing sentence is one.
    folders = [
        write_paper(
            tmp_path / "planted-01",
            "Abstract\nHead 7.4 copies the larger age.\n\n2 Results\nAblating head 7.4 drops it.\n",
        ),
        write_paper(
            tmp_path / "planted-02",
            "Abstract\nHead 2.1 plays a role in comparing ages.\n",
        ),
        write_paper(tmp_path / "planted-03", "Abstract\nWe rank reports.\n"),
    ]

    pressure = measure_pressure(
        JudgeSettings("lexical", "lexical"),
        folders,
        responses=tmp_path / "responses",
        weights=[],
        runs=2,
    )

    # planted-03 has no claim, and so no statuses.
    assert pressure.papers == 2
    assert pressure.statuses == 2 * 27 * 2  # papers, criteria, runs
    # In planted-01 the judge finds a claim with a definite operation (C1 YES, 1) and two words of
    # I1, "ablating" and "drops" (PARTIAL, 0.5); in planted-02 a claim without a definite operation
    # (C1 PARTIAL, 0.5). All other criteria of both papers are NO, 0.
    assert pressure.with_them == pytest.approx((1.5 / 27 + 0.5 / 27) / 2)
    assert pressure.without_them == pressure.with_them
    assert (pressure.difference_low, pressure.difference, pressure.difference_high) == (0, 0, 0)
    assert (pressure.raised, pressure.lowered) == (0, 0)
