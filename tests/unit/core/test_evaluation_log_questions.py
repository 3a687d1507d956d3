"""A sample's question is the field that all prompts repeat, after the passage if it has one."""

from pathlib import Path

import mechaware as ma
from tests.unit.core.evaluation_logs import GENERATION, lm_eval, write_lines


def test_a_field_is_the_question_only_where_all_prompts_repeat_it(tmp_path: Path) -> None:
    """The second prompt words its document anew: one log does not mix fields with whole prompts."""
    repeated_prompt = "Question: How much is 5 less 2?\nAnswer:"
    reworded_prompt = "Question: What is 6 - 1?\nAnswer:"
    repeated = lm_eval(
        4,
        {"question": "How much is 5 less 2?", "answer": "3"},
        "3",
        [(repeated_prompt, GENERATION)],
        metric="exact_match",
    )
    reworded = lm_eval(
        5,
        {"question": "How much is 6 less 1?", "answer": "5"},
        "5",
        [(reworded_prompt, GENERATION)],
        metric="exact_match",
    )

    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", repeated, reworded))

    assert log["question"].tolist() == [repeated_prompt, reworded_prompt]
    assert log["question_from"].tolist() == ["arguments", "arguments"]


def test_a_passage_precedes_the_question_where_the_document_has_one_that_the_prompt_repeats(
    tmp_path: Path,
) -> None:
    """In SciQ some documents have an empty support. The prompts leave out the story."""
    docs = [
        {
            "support": "Tin melts at 232 degrees.",
            "story": "Bo sang.",
            "question": "When does tin melt?",
        },
        {"support": "", "story": "", "question": "When does zinc melt?"},
    ]
    lines = []
    for doc_id, doc in enumerate(docs):
        prompt = f"{doc['support']}\nQuestion: {doc['question']}\nAnswer:"
        lines.append(lm_eval(doc_id, doc, " at 232", [(prompt, " at 232")]))

    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *lines))

    assert log["question"].tolist() == [
        "Tin melts at 232 degrees.\nWhen does tin melt?",
        "When does zinc melt?",
    ]
    assert log["question_from"].tolist() == ["support,question"] * 2
