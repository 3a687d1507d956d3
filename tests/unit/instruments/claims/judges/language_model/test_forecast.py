"""What a judge's calls will cost, and what they took; prices are worked out by hand."""

from pathlib import Path

from mechaware.instruments.claims.items.edits import UNEDITED, Question
from mechaware.instruments.claims.judges.judge import AskedQuestion
from mechaware.instruments.claims.judges.language_model.calls.prices import count_tokens
from mechaware.instruments.claims.judges.language_model.forecast import (
    account,
    forecast,
    forecast_questions,
)
from mechaware.instruments.claims.judges.language_model.item_prompts import ItemPrompts
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import Usage
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric

REPOSITORY = Path(__file__).resolve().parents[6]
PROMPTS = Prompts.load(sorted((REPOSITORY / "config/judge_prompts/v1").iterdir()))
ITEM_PROMPTS = ItemPrompts.load((REPOSITORY / "config/judge_prompts/items").iterdir())
TEXT = "Head 9.9 copies the name. " * 40


def test_tokens_are_four_characters_and_white_space_counts_once() -> None:
    # "aaaa aaa" has 8 characters, which are two tokens; "b c" has 3 characters, too few for one.
    chat = [{"role": "system", "content": "aaaa\n\n   aaa"}, {"role": "user", "content": "b  c"}]
    assert count_tokens(chat) == 2


def test_the_cost_of_all_runs_is_given_without_and_with_the_longest_replies() -> None:
    settings = JudgeSettings(
        "mine",
        "provider",
        model="openai/m",
        max_tokens=1000,
        usd_per_million_prompt_tokens=100.0,
        usd_per_million_completion_tokens=1000.0,
    )
    sent = 3 * count_tokens(PROMPTS.claims(TEXT, [], settings.max_claims, judged=True))
    # The number of tokens has a comma, and the prompts cost more than a dollar.
    assert sent > 10_000
    prompts_usd = sent * 100 / 1e6
    # Three replies of 1,000 tokens at $1,000 a million are $3.
    total_usd = prompts_usd + 3

    assert forecast(settings, PROMPTS, TEXT, [], 3) == (
        f"3 calls, about {sent:,} prompt tokens, ${prompts_usd:.4f} without the replies, ${total_usd:.4f} with replies "
        "of max_tokens; kept replies cost nothing"
    )


def test_questions_cost_their_prompts_and_a_reply_each() -> None:
    settings = JudgeSettings(
        "mine",
        "provider",
        model="openai/m",
        max_tokens=1000,
        usd_per_million_prompt_tokens=100.0,
        usd_per_million_completion_tokens=1000.0,
    )
    criterion = Criterion(code="a", name="A", definition="Is it?", statuses={})
    rubric = Rubric(name="Ours", statuses=("bad", "good"), guidance="", criteria={"a": criterion})
    short = Question(id="1", edit=UNEDITED, criterion="a", claim="", text="It is.")
    long = short._replace(id="2", text="It is." + 40 * " yes, it is")
    asked = [
        AskedQuestion(short, run=0),
        AskedQuestion(short, run=1),
        AskedQuestion(long, run=0),
    ]
    short_tokens = count_tokens(ITEM_PROMPTS.judge_passages(short, rubric, evidence=True))
    # The long text has 40 x 11 = 440 characters more, which are 110 tokens.
    sent = 3 * short_tokens + 110
    prompts_usd = sent * 100 / 1e6
    # Three replies of 1,000 tokens at $1,000 a million are $3.
    total_usd = prompts_usd + 3

    assert forecast_questions(settings, ITEM_PROMPTS, asked, rubric) == (
        f"3 calls, about {sent:,} prompt tokens, ${prompts_usd:.4f} without the replies, ${total_usd:.4f} with replies "
        "of max_tokens; kept replies cost nothing"
    )


def test_a_forecast_without_a_known_price_says_so() -> None:
    settings = JudgeSettings("mine", "provider", model="openai/none")

    assert ", price not known; " in forecast(settings, PROMPTS, TEXT, [], 2)


def test_a_judge_that_is_asked_claim_by_claim_may_make_more_calls_than_runs() -> None:
    settings = JudgeSettings("mine", "provider", model="openai/none", mode="claim_by_claim")

    assert forecast(settings, PROMPTS, TEXT, [], 2).startswith("2 calls or more, about ")


def test_an_account_gives_calls_tokens_cost_and_time() -> None:
    usage = Usage(calls=4, prompt_tokens=39_799, completion_tokens=1_200, cost=0.25)
    assert account(usage, 12.4) == (
        "4 calls, 39,799 prompt tokens, 1,200 of replies, $0.2500, kept replies included; 12 s"
    )


def test_an_account_of_calls_without_a_known_price_says_so() -> None:
    assert "price not known" in account(Usage(calls=1, cost=None), 1)
