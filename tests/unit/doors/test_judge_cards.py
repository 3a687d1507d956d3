"""`mechaware.claims.judge_card` on a user's own labels and rubric.

The workflow's commands write the same card. The labels and the rubric are those of the code reviews
in examples/: 36 items, which are 12 changes, each judged by three criteria.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mechaware as ma
from mechaware.core.seeds import derive_seed
from mechaware.doors.claims.judge_cards import EDITED_ITEMS, SEED
from mechaware.instruments.claims.items.edits import EDITS, NO_TEXT, Question, plan_questions
from mechaware.instruments.claims.items.labelled import read_items
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.kinds import Kind
from mechaware.instruments.claims.judges.settings import (
    JudgeFiles,
    JudgeSettings,
    judge_settings,
)
from mechaware.instruments.claims.rubric.rubric import Rubric, read_rubric
from mechaware.verdicts.judge_cards.card import JudgeEvidence
from mechaware.verdicts.verdict import Verdict
from scripts.claims import draw_judge_card, judge_items, plan_items, read_replies
from tests.fake_provider import Call, FakeProvider, Reply, said
from tests.unit.doors.reviews import EXAMPLES, ITEMS, REPOSITORY, ROWS, RUBRIC, reviewer

REPLIES = EXAMPLES / "review_replies.csv"
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
ITEM_PROMPTS = sorted((REPOSITORY / "config/judge_prompts/items").glob("*.*"))
# Every item of the example is one passage, so that its passages cannot be reordered: four of the
# five edits apply.
EDITS_OF_ONE_PASSAGE = 4


def test_replies_that_give_31_of_36_labels_agree_with_them() -> None:
    """By hand: in the example's files, five of 36 replies differ from the label."""
    card = ma.claims.judge_card(ITEMS, RUBRIC, replies=REPLIES)

    assert card.status == "agrees"
    assert card.evidence.exact.value == pytest.approx(31 / 36)
    assert card.evidence.statuses == ("bad", "needs work", "good")
    assert card.evidence.groups == 12
    # A second person labelled the 33 items of eleven changes, 28 of them as the first did.
    assert card.evidence.people is not None
    assert card.evidence.people.exact.value == pytest.approx(28 / 33)
    assert set(card.evidence.criteria) == {"names", "tests", "scope"}


class LocalCards(NamedTuple):
    """Two cards of the same model on a local server, with the same folder of kept replies.

    - `first`, `second`: the cards.
    - `calls`: all calls that the server got.
    - `calls_of_first`: how many of these the first card made.
    """

    first: Verdict[JudgeEvidence]
    second: Verdict[JudgeEvidence]
    calls: list[Call]
    calls_of_first: int


@pytest.fixture(scope="module")
def local_cards(tmp_path_factory: pytest.TempPathFactory) -> LocalCards:
    """The cards of `reviewer`, which gives each item its label, or "bad" if the text is empty.

    Six items are also asked about after edits of their text.
    """
    replies = tmp_path_factory.mktemp("local") / "replies"
    with FakeProvider(otherwise=reviewer) as server:
        address = f"openai/my-model@{server.url}"
        first = ma.claims.judge_card(ITEMS, RUBRIC, address, edited_items=6, responses=replies)
        calls_of_first = len(server.calls)
        second = ma.claims.judge_card(ITEMS, RUBRIC, address, edited_items=6, responses=replies)
    return LocalCards(first, second, server.calls, calls_of_first)


def test_a_local_server_judges_by_its_address_alone(local_cards: LocalCards) -> None:
    card = local_cards.first

    assert local_cards.calls_of_first == 36 + 6 * EDITS_OF_ONE_PASSAGE
    assert card.status == "agrees"
    assert card.evidence.unusable == 0
    assert card.evidence.edits["irrelevant sentence"].n == 6


def test_a_second_card_asks_for_no_kept_reply(local_cards: LocalCards) -> None:
    assert len(local_cards.calls) == local_cards.calls_of_first
    assert local_cards.second.record() == local_cards.first.record()


def test_without_its_text_every_item_above_the_lowest_status_is_lowered(
    local_cards: LocalCards,
) -> None:
    """`reviewer` answers "bad", the lowest status, where the text is empty.

    An edit can lower only a status above it.
    """
    labelled = read_items(ITEMS, read_rubric(RUBRIC))
    questions = plan_questions(labelled, edited=6, seed=derive_seed(SEED, "plan_items"))
    emptied = {question.id for question in questions if question.edit == NO_TEXT}
    above_bad = [row for row in ROWS if row["id"] in emptied and row["label"] != "bad"]
    assert above_bad

    lowered = local_cards.first.evidence.edits[NO_TEXT]

    assert (lowered.n, lowered.value) == (len(above_bad), 1.0)


def test_the_prompt_and_the_form_of_the_reply_have_the_rubrics_statuses(
    local_cards: LocalCards,
) -> None:
    request = local_cards.calls[0].request
    system, user = (message["content"] for message in request["messages"])
    form = request["response_format"]["json_schema"]["schema"]

    assert "Statuses, from the lowest to the highest: bad, needs work, good" in system
    assert "Criterion names, Names: Do the new names say what they hold?" in user
    assert form["properties"]["status"]["enum"] == ["bad", "needs work", "good"]


def test_an_item_with_no_known_status_in_two_replies_has_none(tmp_path: Path) -> None:
    """The model knows a status for the 12 items of the criterion *names* alone.

    For each of the other 24 items it is asked a second time.
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


class _LowestJudge:
    """A judge that answers the lowest status to every question."""

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        del run
        return Answer(question.id, question.edit, rubric.statuses[0])


@contextmanager
def open_lowest(settings: JudgeSettings, files: JudgeFiles) -> Iterator[_LowestJudge]:
    """Open the judge that answers the lowest status."""
    del settings, files
    yield _LowestJudge()


@contextmanager
def open_mute(settings: JudgeSettings, files: JudgeFiles) -> Iterator[object]:
    """Open a judge without `judge_passages`, the method that a card needs."""
    del settings, files
    yield object()


# The kinds of the package my_kinds, which the next fixture writes.
LOWEST = Kind(open_lowest)  # type: ignore[arg-type]
MUTE = Kind(open_mute)  # type: ignore[arg-type]


@pytest.fixture
def own_kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's package my_kinds, which can be imported and has the kinds `LOWEST` and `MUTE`."""
    package = tmp_path / "my_kinds"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "judges.py").write_text(
        "from tests.unit.doors.test_judge_cards import LOWEST, MUTE\n", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.usefixtures("own_kinds")
def test_a_judge_of_an_own_kind_that_always_answers_the_lowest_status_answers_blindly() -> None:
    lowest = {"name": "lowest", "kind": "my_kinds.judges.LOWEST"}

    card = ma.claims.judge_card(ITEMS, RUBRIC, lowest, edited_items=0)

    assert (card.status, card.evidence.exact.n) == ("answers blindly", 36)


@pytest.mark.usefixtures("own_kinds")
def test_an_own_kind_without_judge_passages_is_refused() -> None:
    mute = {"name": "mute", "kind": "my_kinds.judges.MUTE"}

    with pytest.raises(ma.UserError, match=r"judge mute: its kind has no method judge_passages"):
        ma.claims.judge_card(ITEMS, RUBRIC, mute)


def test_keyword_rules_refuse_a_users_own_criteria() -> None:
    with pytest.raises(ma.UserError, match="know only the 27 criteria of Claim Validity Scores"):
        ma.claims.judge_card(ITEMS, RUBRIC, "lexical")


def test_keyword_rules_judge_by_the_27_criteria_that_they_know(tmp_path: Path) -> None:
    """The first text has three search words of the rules, mean, ablation and reduces.

    The second text has none. Two items are too few for another verdict than *cannot tell*.
    """
    items = tmp_path / "items.csv"
    items.write_text(
        "id,group,criterion,claim,text,label\n"
        "a,one,I1,Head 3.1 detects it,Mean ablation of head 3.1 reduces it by 61%.,YES\n"
        "b,two,I1,Head 3.1 detects it,We thank our colleagues.,NO\n"
    )
    claim_validity_scores = REPOSITORY / "config/rubrics/cvs.yaml"

    card = ma.claims.judge_card(items, claim_validity_scores, "lexical", edited_items=0)

    assert card.evidence.confusion["YES"]["YES"] == 1
    assert card.evidence.confusion["NO"]["NO"] == 1
    assert card.status == "cannot tell"


@pytest.mark.parametrize(
    "judge_and_replies",
    [{}, {"judge": "lexical", "replies": REPLIES}],
    ids=["neither", "both"],
)
def test_a_card_needs_either_a_judge_or_replies(judge_and_replies: dict[str, Any]) -> None:
    with pytest.raises(ma.UserError, match="give either a judge, or a file of replies"):
        ma.claims.judge_card(ITEMS, RUBRIC, **judge_and_replies)


def test_the_workflows_commands_write_the_same_card_as_the_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command asks in four threads; the library then reads the replies that were kept."""
    questions = tmp_path / "questions.csv"
    plan_items.main(
        labelled=ITEMS,
        rubric=RUBRIC,
        edited_items=EDITED_ITEMS,
        seed=derive_seed(SEED, "plan_items"),
        questions=questions,
    )
    with FakeProvider(otherwise=reviewer) as server:
        entry = {"kind": "provider", "model": "openai/m", "api_base": server.url}
        judge_items.main(
            questions=questions,
            rubric=RUBRIC,
            prompts=PROMPTS,
            item_prompts=ITEM_PROMPTS,
            weights=[],
            settings=judge_settings("mine", entry | {"threads": 4}),
            responses=tmp_path / "replies",
            attempt=1,
            answers=tmp_path / "answers.csv",
        )
        forecast, account = capsys.readouterr().out.splitlines()
        expected = ma.claims.judge_card(
            ITEMS, RUBRIC, {"name": "mine"} | entry, responses=tmp_path / "replies"
        )
    written = card_by_command(tmp_path, judge_entry={"mine": json.dumps(entry)})

    n_calls = 36 + EDITED_ITEMS * EDITS_OF_ONE_PASSAGE
    assert n_calls == 156
    assert forecast.startswith("cost: mine: 156 calls, about ")
    assert account.startswith("cost: mine: 156 calls, ")
    assert written == through_json(expected.record())
    assert set(EDITS) <= set(written["evidence"]["edits"])


def test_the_workflows_commands_read_a_file_of_replies(tmp_path: Path) -> None:
    read_replies.main(
        labelled=ITEMS, rubric=RUBRIC, replies=REPLIES, answers=tmp_path / "answers.csv"
    )
    written = card_by_command(tmp_path, replies=[REPLIES])

    expected = ma.claims.judge_card(ITEMS, RUBRIC, replies=REPLIES)

    assert written == through_json(expected.record())
    line = (tmp_path / "summary.txt").read_text()
    # 31 of 36 labels, as above.
    assert line.startswith("mine: agrees: it has 86% of the labels")


def through_json(record: object) -> Any:
    """A record as it is read from a JSON file: with lists in place of tuples, for instance."""
    return json.loads(json.dumps(record))


def card_by_command(
    folder: Path, *, replies: Sequence[Path] = (), judge_entry: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run draw_judge_card on the answers.csv of a folder, and return the verdict that it writes.

    The answers are those of the one file in `replies` or, without a file, of the judge whose name
    `judge_entry` maps to its settings as JSON.
    """
    draw_judge_card.main(
        name="mine",
        label="the file of replies" if replies else "mine",
        labelled=ITEMS,
        rubric=RUBRIC,
        answers=folder / "answers.csv",
        replies=list(replies),
        item_prompts=ITEM_PROMPTS,
        judge_entry=dict(judge_entry or {}),
        revision="",
        confidence_level=0.95,
        verdict=folder / "verdict.json",
        page=folder / "index.html",
        lines=folder / "summary.txt",
    )
    record: dict[str, Any] = json.loads((folder / "verdict.json").read_text())
    return record
