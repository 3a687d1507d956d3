"""Each component that a text names has one key, in whatever form the text names it."""

import pytest

from mechaware.instruments.claims.judges.components import ComponentNames


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        pytest.param(
            "L9H6 and a9.h6 and layer 9, head 6 and head 6 of layer 9",
            {"L9H6"},
            id="one head in four forms",
        ),
        pytest.param(
            "heads 9.6, 9.9 and 10.0 cost 9.6% of accuracy; 9.6 points",
            {"L9H6", "L9H9", "L10H0"},
            id="a list of heads, and one of their numbers with a unit, which is not a head",
        ),
        pytest.param(
            "MLPs 8 and 9, the layer 10 MLP and MLP 11",
            {"MLP 8", "MLP 9", "MLP 10", "MLP 11"},
            id="MLPs",
        ),
        pytest.param(
            "neurons 12 and 40, feature #7, layers 3-4",
            {"neuron 12", "neuron 40", "feature 7", "layer 3", "layer 4"},
            id="neurons, a feature and layers",
        ),
        pytest.param(
            "the name mover heads and a name mover head; other heads; random heads",
            {"name mover head"},
            id="a class that the text names twice, and words that do not name a class",
        ),
        pytest.param("we ablate attention heads and the heads", set(), id="heads without a class"),
    ],
)
def test_a_component_has_the_same_key_in_each_of_its_forms(text: str, keys: set[str]) -> None:
    # The text is the whole paper, from which the names are learnt, and also the sentence to search.
    names = ComponentNames(text)

    assert names.keys_in(text) == keys
