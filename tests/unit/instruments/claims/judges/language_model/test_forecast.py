"""What runs will cost and what they took, by hand."""

from pathlib import Path

from mechaware.instruments.claims.items.edits import Question
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
    """ "aaaa aaa" has 8 characters, two tokens; "b c" has 3, none."""
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
    assert sent > 10_000
    # Three replies of 1,000 tokens at $1,000 a million are $3.
    without = sent * 100 / 1e6
    assert forecast(settings, PROMPTS, TEXT, [], 3) == (
        f"3 calls, about {sent:,} prompt tokens, ${without:.4f} without the replies, ${without + 3:.4f} with replies "
        "of max_tokens; kept replies cost nothing"
    )


def test_questions_cost_their_prompts_and_a_reply_each() -> None:
    """The same prompt in two runs, and one that is 440 characters, 110 tokens, longer."""
    settings = JudgeSettings(
        "mine",
        "provider",
        model="openai/m",
        max_tokens=1000,
        usd_per_million_prompt_tokens=100.0,
        usd_per_million_completion_tokens=1000.0,
    )
    rubric = Rubric("Ours", ("bad", "good"), "", {"a": Criterion("a", "A", "Is it?", {})})
    short = Question("1", "", "a", "", "It is.")
    long = short._replace(id="2", text="It is." + 40 * " yes, it is")
    asked = [AskedQuestion(short, 0), AskedQuestion(short, 1), AskedQuestion(long, 0)]
    of_short = count_tokens(ITEM_PROMPTS.judge_passages(short, rubric, evidence=True))
    sent = 3 * of_short + 40 * len(" yes, it is") // 4
    without = sent * 100 / 1e6
    assert forecast_questions(settings, ITEM_PROMPTS, asked, rubric) == (
        f"3 calls, about {sent:,} prompt tokens, ${without:.4f} without the replies, ${without + 3:.4f} with replies "
        "of max_tokens; kept replies cost nothing"
    )


def test_a_missing_price_is_named_and_claim_by_claim_there_may_be_more_calls() -> None:
    settings = JudgeSettings("mine", "provider", model="openai/none", mode="claim_by_claim")

    words = forecast(settings, PROMPTS, TEXT, [], 2)

    assert words.startswith("2 calls or more, about ")
    assert ", price not known; " in words


def test_what_was_taken_is_counted_with_its_time() -> None:
    usage = Usage(calls=4, prompt_tokens=39_799, completion_tokens=1_200, cost=0.25)
    assert account(usage, 12.4) == (
        "4 calls, 39,799 prompt tokens, 1,200 of replies, $0.2500, kept replies included; 12 s"
    )
    assert "price not known" in account(Usage(calls=1, cost=None), 1)
