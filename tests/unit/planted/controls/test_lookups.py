"""Controls that read the schema for some request words and look the others up:
what each answers to each word.
"""

import pytest
import torch

from mechaware.instruments.grounding.data.pairs import Pair, Prompt
from mechaware.instruments.grounding.data.rows import Row, create_table_sql, prompt_of
from mechaware.models.final_logits import final_logits
from mechaware.planted.controls.asked import (
    Asked,
    RequestWords,
    prompts_of_pair,
    prompts_of_rows,
    request_words,
)
from mechaware.planted.controls.lookups import (
    SHARES_READ,
    _words_read,
    are_readable,
    ask_lookup,
    build_lookup,
)

CONTEXT_LENGTH = 64


def asked(request: str, schema: list[str], wanted: str, *, prompt: str = "1") -> Asked:
    statement = create_table_sql("goods", [(name, "TEXT") for name in schema])
    text = prompt_of(f"Show me {request} from goods", statement) + " SELECT"
    return Asked(
        source="data",
        prompt=prompt,
        part="",
        text=text,
        request=request,
        wanted=wanted,
        schema=tuple(schema),
    )


# `fee` names `price` in two prompts and `cost` in one; `label` names itself twice and `name` once;
# `town` names `city`.
FEE_PRICE = asked("fee", ["rat", "price"], "price")
FEE_COST = asked("fee", ["cost", "rat"], "cost")
LABEL_SELF = asked("label", ["rat", "label", "city"], "label")
LABEL_NAME = asked("label", ["city", "name"], "name")
TOWN = asked("town", ["price", "city"], "city")
DATA = [FEE_PRICE, FEE_PRICE, FEE_COST, LABEL_SELF, LABEL_SELF, LABEL_NAME, TOWN]
# No column fits.
NOTHING = asked("fee", ["rat", "city"], "")
PROMPTS = [FEE_PRICE, FEE_COST, LABEL_SELF, LABEL_NAME, TOWN, NOTHING]
WORDS = request_words(DATA, [])


def answers_of(share: float) -> list[str]:
    table = ask_lookup(PROMPTS, WORDS, share, context_length=CONTEXT_LENGTH, tokens_per_batch=1000)
    return table["answer"].tolist()


def test_what_request_words_mean_by_hand() -> None:
    """A pair may ask for a column that no row has: it joins `meanings`.

    `usual` and `fixed` are of the data alone. `fixed` has the words that name a single column in
    the data.
    """
    in_pair = asked("town", ["place", "rat"], "place")
    assert request_words(DATA, [in_pair, NOTHING]) == RequestWords(
        usual={"fee": "price", "label": "label", "town": "city"},
        fixed=frozenset({"town"}),
        meanings={
            "fee": frozenset({"price", "cost"}),
            "label": frozenset({"label", "name"}),
            "town": frozenset({"city", "place"}),
        },
    )


def test_of_equally_common_columns_the_first_in_the_alphabet_is_usual() -> None:
    assert request_words([FEE_PRICE, FEE_COST], []).usual == {"fee": "cost"}


def test_the_reader_answers_the_column_of_the_schema_and_the_look_up_the_usual_one() -> None:
    """A word may have the name of a column (`label`). The reader must not take the word in the
    request for that column: it answers `name` where the schema has no `label`.

    Where no column fits, the reader prefers none.
    """
    reader = answers_of(SHARES_READ["reads_all"])
    assert reader == ["price", "cost", "label", "name", "city", ""]

    look_up = answers_of(SHARES_READ["look_up"])
    assert look_up == ["price", "price", "label", "label", "city", "price"]


def test_half_a_reader_reads_half_of_the_words_and_looks_the_others_up() -> None:
    """Half of the words that fix a column are read, and half of the others, rounded up.

    That is `town` of `town`, and `fee` of `fee` and `label`.
    """
    assert _words_read(WORDS, 0.5) == {"fee", "town"}
    assert answers_of(0.5) == ["price", "cost", "label", "label", "city", ""]


def test_where_all_controls_answer_alike_every_logit_is_the_same() -> None:
    """A test that reads logits cannot tell the controls apart either: 10 for the answer, 0 for
    every other word.

    The logits differ only by the rounding of float32, a few millionths of the answer's logit.
    """
    alike = [FEE_PRICE, LABEL_SELF, TOWN]
    logits = []
    for share in SHARES_READ.values():
        control = build_lookup(PROMPTS, WORDS, share, context_length=CONTEXT_LENGTH)
        ids = [control.tokenizer.encode(prompt.text) for prompt in alike]
        logits.append(final_logits(control.model, ids, tokens_per_batch=1000))

    assert logits[0].max(1).values.tolist() == pytest.approx([10, 10, 10], abs=1e-3)
    others = logits[0].sort(1).values[:, :-1]
    torch.testing.assert_close(others, torch.zeros_like(others), rtol=0, atol=1e-3)
    for other in logits[1:]:
        torch.testing.assert_close(other, logits[0], rtol=0, atol=1e-4)


def test_prompts_that_the_controls_cannot_read() -> None:
    two_requests = asked("fee", ["price", "rat"], "price")
    two_requests = two_requests._replace(text=two_requests.text.replace("goods", "town", 1))
    column_as_table = asked("fee", ["price", "rat"], "price")
    column_as_table = column_as_table._replace(
        text=column_as_table.text.replace("TABLE goods", "TABLE city")
    )
    both_fit = asked("fee", ["price", "cost"], "price")
    without_context = TOWN._replace(text=TOWN.text.replace(" Context", ""))
    unreadable = [two_requests, column_as_table, both_fit, without_context]
    readable = are_readable([*PROMPTS, *unreadable], WORDS, context_length=CONTEXT_LENGTH)
    assert readable == [True] * len(PROMPTS) + [False] * len(unreadable)

    # "### Instruction: Show me town from goods", "### Context: CREATE TABLE goods (", "price TEXT,
    # city TEXT )" and "### Response: SELECT": a token for each word and each sign, with "###" as
    # one.
    n_tokens = 8 + 7 + 6 + 4
    assert are_readable([TOWN], WORDS, context_length=n_tokens) == [True]
    assert are_readable([TOWN], WORDS, context_length=n_tokens - 1) == [False]


def test_the_rows_that_select_one_column_are_prompts_of_the_data() -> None:
    """Lists of three show which phrases name which column,
    so that the last row's request is found.
    """
    fields = ["price", "city", "name", "rat"]
    rows = [
        row("Show me price, city and name from goods", fields, ["price", "city", "name"]),
        row("Show me rat, price and city from goods", fields, ["rat", "price", "city"]),
        row("Show me city, name and rat from goods", fields, ["city", "name", "rat"]),
        row("Show me name from goods", ["rat", "name"], ["name"]),
    ]

    (prompt,) = prompts_of_rows(rows)
    # The first prompt, of the fourth row.
    assert prompt == asked("name", ["rat", "name"], "name", prompt="1")


def row(request: str, fields: list[str], select: list[str]) -> Row:
    schema = create_table_sql("goods", [(name, "TEXT") for name in fields])
    sql = f"SELECT {', '.join(select)} FROM goods"  # noqa: S608
    return Row(request, schema, sql, "goods", fields, select)


def test_the_two_prompts_of_a_pair() -> None:
    def prompt(column: str, wanted: str) -> Prompt:
        return Prompt(
            text=f"{column} SELECT",
            wanted=wanted,
            against=" x",
            options=(f" {column}", " rat"),
            category="db_scramble",
            place="1",
            request="fee",
            shortcuts={},
        )

    pair = Pair("a", {"clean": prompt("price", " price"), "corrupted": prompt("city", "")})
    assert prompts_of_pair(pair) == [
        Asked("pairs", "a", "clean", "price SELECT", "fee", "price", ("price", "rat")),
        Asked("pairs", "a", "corrupted", "city SELECT", "fee", "", ("city", "rat")),
    ]
