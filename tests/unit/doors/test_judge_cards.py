"""A judge's card at the first try: own labels, an own rubric, and any judge;
the workflow's commands give the same.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import mechaware as ma
from mechaware.core.seeds import derive_seed
from mechaware.doors.claims.judge_cards import EDITED_ITEMS, SEED
from mechaware.instruments.claims.items.edits import EDITS, Question, plan_questions
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.kinds import Kind
from mechaware.instruments.claims.judges.settings import JudgeFiles, JudgeSettings
from mechaware.instruments.claims.rubric.rubric import Rubric, read_rubric
from scripts.claims import draw_judge_card, judge_items, plan_items, read_replies
from tests.fake_provider import Call, FakeProvider, Reply, said
from tests.unit.doors.reviews import EXAMPLES, ITEMS, REPOSITORY, ROWS, RUBRIC, reviewer

REPLIES = EXAMPLES / "review_replies.csv"
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
ITEM_PROMPTS = sorted((REPOSITORY / "config/judge_prompts/items").glob("*.*"))


def test_own_labels_on_an_own_rubric_have_a_card() -> None:
    """By hand: of the 36 replies of the example, five differ from the label."""
    card = ma.claims.judge_card(ITEMS, RUBRIC, replies=REPLIES)

    assert card.status == "agrees"
    assert card.evidence.exact.value == pytest.approx(31 / 36)
    assert card.evidence.statuses == ("bad", "needs work", "good")
    assert card.evidence.groups == 12
    # A second person labelled the items of eleven changes, and differs in five.
    assert card.evidence.people is not None
    assert card.evidence.people.exact.value == pytest.approx(28 / 33)
    assert set(card.evidence.criteria) == {"names", "tests", "scope"}


def asked_edits() -> list[tuple[str, str]]:
    """The items and edits that are asked where six items are edited."""
    labelled = read_items(ITEMS, read_rubric(RUBRIC))
    planned = plan_questions(labelled, edited=6, seed=derive_seed(SEED, "plan_items"))
    return [(question.id, question.edit) for question in planned]


def test_a_local_server_judges_by_its_address_alone(tmp_path: Path) -> None:
    """The edits' replies are in the card, and nothing is asked twice."""
    replies = tmp_path / "replies"
    with FakeProvider(otherwise=reviewer) as server:
        address = f"openai/my-model@{server.url}"
        card = ma.claims.judge_card(ITEMS, RUBRIC, address, edited_items=6, responses=replies)
        asked = len(server.calls)
        again = ma.claims.judge_card(ITEMS, RUBRIC, address, edited_items=6, responses=replies)

    # 36 items; of six of one passage each four edits, of which "again" is another run.
    assert asked == 36 + 6 * 4
    assert len(server.calls) == asked
    assert again.record() == card.record()
    assert card.status == "agrees"
    assert card.evidence.unusable == 0
    assert card.evidence.edits["irrelevant sentence"].n == 6

    # Without the text the model answers bad: every item whose label is above that is lowered.
    edited = {item for item, edit in asked_edits() if edit == "no text"}
    above = [row for row in ROWS if row["id"] in edited and row["label"] != "bad"]
    lowered = card.evidence.edits["no text"]

    assert above
    assert (lowered.n, lowered.value) == (len(above), 1.0)

    system, user = (message["content"] for message in server.calls[0].request["messages"])
    assert "Statuses, from the lowest to the highest: bad, needs work, good" in system
    assert "Criterion names, Names: Do the new names say what they hold?" in user

    form = server.calls[0].request["response_format"]["json_schema"]["schema"]
    assert form["properties"]["status"]["enum"] == ["bad", "needs work", "good"]


def test_a_reply_that_is_no_status_is_asked_for_once_more_and_then_has_none(tmp_path: Path) -> None:
    """Of 36 items 12 are judged by the criterion *names*,
    of which the model alone knows a status.
    """

    def undecided(call: Call) -> Reply:
        is_names = "Criterion names" in call.request["messages"][-1]["content"]
        return said({"evidence": "", "status": "good" if is_names else "it depends"})

    with FakeProvider(otherwise=undecided) as server:
        card = ma.claims.judge_card(
            ITEMS, RUBRIC, f"openai/m@{server.url}", edited_items=0, responses=tmp_path
        )
        assert len(server.calls) == 12 + 2 * 24
    assert card.evidence.unusable == 24

    [note] = card.notes
    assert note.startswith(
        "24 of 36 items have no usable status; they count as not right (commonest fault: "
    )
    assert "'bad', 'needs work' or 'good'" in note


class _Echo:
    """A judge of an own kind: it answers the lowest status."""

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        del run
        return Answer(question.id, question.edit, rubric.statuses[0])


@contextmanager
def open_echo(settings: JudgeSettings, files: JudgeFiles) -> Iterator[_Echo]:
    """Open the judge that answers the lowest status."""
    del settings, files
    yield _Echo()


@contextmanager
def open_mute(settings: JudgeSettings, files: JudgeFiles) -> Iterator[object]:
    """Open a judge without the method that a card needs."""
    del settings, files
    yield object()


# A user's package imports them from here.
ECHO = Kind(open_echo)  # type: ignore[arg-type]
MUTE = Kind(open_mute)  # type: ignore[arg-type]


def test_an_own_kind_judges_passages_if_it_has_the_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "my_echo"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "judges.py").write_text(
        "from tests.unit.doors.test_judge_cards import ECHO, MUTE\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    echo = {"name": "echo", "kind": "my_echo.judges.ECHO"}

    card = ma.claims.judge_card(ITEMS, RUBRIC, echo, edited_items=0)

    assert (card.status, card.evidence.exact.n) == ("answers blindly", 36)

    with pytest.raises(ma.UserError, match=r"judge mute: its kind has no method judge_passages"):
        ma.claims.judge_card(ITEMS, RUBRIC, {"name": "mute", "kind": "my_echo.judges.MUTE"})


def test_keyword_rules_do_not_judge_by_criteria_of_ones_own() -> None:
    with pytest.raises(ma.UserError, match="know only the 27 criteria of Claim Validity Scores"):
        ma.claims.judge_card(ITEMS, RUBRIC, "lexical")


def test_keyword_rules_judge_by_the_papers_own_criteria(tmp_path: Path) -> None:
    """The first text has three of their search words, mean,
    ablation and reduces, the second none.
    """
    items = tmp_path / "items.csv"
    items.write_text(
        "id,group,criterion,claim,text,label\n"
        "a,one,I1,Head 3.1 detects it,Mean ablation of head 3.1 reduces it by 61%.,YES\n"
        "b,two,I1,Head 3.1 detects it,We thank our colleagues.,NO\n"
    )
    cvs = REPOSITORY / "config/rubrics/cvs.yaml"
    card = ma.claims.judge_card(items, cvs, "lexical", edited_items=0)

    assert card.evidence.confusion["YES"]["YES"] == 1
    assert card.evidence.confusion["NO"]["NO"] == 1
    assert card.status == "cannot tell"


@pytest.mark.parametrize("given", [{}, {"judge": "lexical", "replies": REPLIES}])
def test_a_card_has_either_a_judge_or_replies(given: dict[str, str]) -> None:
    with pytest.raises(ma.UserError, match="give either a judge, or a file of replies"):
        ma.claims.judge_card(ITEMS, RUBRIC, **given)


def test_the_workflows_commands_write_the_card_of_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked in four threads: 36 items, and 30 of them after the four edits of a single passage."""
    with FakeProvider(otherwise=reviewer) as server:
        settings = JudgeSettings(
            "mine", "provider", model="openai/m", api_base=server.url, threads=4
        )
        seed = derive_seed(SEED, "plan_items")
        plan_items.main(
            labelled=ITEMS,
            rubric=RUBRIC,
            edited_items=EDITED_ITEMS,
            seed=seed,
            questions=tmp_path / "questions.csv",
        )
        judge_items.main(
            questions=tmp_path / "questions.csv",
            rubric=RUBRIC,
            prompts=PROMPTS,
            item_prompts=ITEM_PROMPTS,
            weights=[],
            settings=settings,
            responses=tmp_path / "replies",
            attempt=1,
            answers=tmp_path / "answers.csv",
        )
        before, after = capsys.readouterr().out.splitlines()
        assert before.startswith("cost: mine: 156 calls, about ")
        assert after.startswith("cost: mine: 156 calls, ")
        entry = {"name": "mine", "kind": "provider", "model": "openai/m", "api_base": server.url}
        expected = ma.claims.judge_card(ITEMS, RUBRIC, entry, responses=tmp_path / "replies")
    settings_of_judge = {key: value for key, value in entry.items() if key != "name"}
    draw_card(tmp_path, [], {"mine": json.dumps(settings_of_judge)})
    written = json.loads((tmp_path / "verdict.json").read_text())

    assert written == json.loads(json.dumps(expected.record()))
    assert set(EDITS) <= set(written["evidence"]["edits"])


def test_the_workflows_commands_read_a_file_of_replies(tmp_path: Path) -> None:
    read_replies.main(
        labelled=ITEMS, rubric=RUBRIC, replies=REPLIES, answers=tmp_path / "answers.csv"
    )
    draw_card(tmp_path, [REPLIES], {})
    written = json.loads((tmp_path / "verdict.json").read_text())

    expected = ma.claims.judge_card(ITEMS, RUBRIC, replies=REPLIES)

    assert written == json.loads(json.dumps(expected.record()))
    line = (tmp_path / "summary.txt").read_text()
    assert line.startswith("mine: agrees: it has 86% of the labels")


def draw_card(folder: Path, replies: list[Path], entry: dict[str, str]) -> None:
    """Draw the card of the answers in a folder by the command;
    `entry` is the judge's, by its name.
    """
    draw_judge_card.main(
        name="mine",
        label="mine" if entry else "the file of replies",
        labelled=ITEMS,
        rubric=RUBRIC,
        answers=folder / "answers.csv",
        replies=replies,
        item_prompts=ITEM_PROMPTS,
        judge_entry=entry,
        revision="",
        confidence_level=0.95,
        verdict=folder / "verdict.json",
        page=folder / "index.html",
        lines=folder / "summary.txt",
    )
