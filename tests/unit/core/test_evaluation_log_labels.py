"""Which choice an answer names by its label or by its text."""

import pytest

from mechaware.core.evaluation_log.labels import labelled_choice


def test_a_number_in_the_document_decides_unless_another_field_names_a_third_choice() -> None:
    # "B" is the label of the second choice and the text of the first.
    choices = ["B", "C", "A", "D"]
    labels = ["A", "B", "C", "D"]

    assert labelled_choice("B", choices, labels, {"label": 1}) == 1
    with pytest.raises(ValueError, match="'B' is a choice and the label of another"):
        labelled_choice("B", choices, labels, {"label": 1, "answer": "D"})
