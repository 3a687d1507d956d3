"""What heads contribute, in transformers whose heads are written by hand."""

import pytest

from mechaware.instruments.grounding.attribution import attribute_heads
from mechaware.instruments.grounding.data.pairs import wanted_by_request
from mechaware.planted.controls.draw import STRENGTH
from mechaware.planted.controls.matched import MATCHED, route_of
from mechaware.planted.controls.schema_readers import build_control
from tests.unit.instruments.grounding.pairs_by_hand import PAIRS, texts_of

# The other pairs' requests would fit several columns of these.
SYNONYMS_AND_SCRAMBLE = PAIRS[:2]
SHARED = next(name for name, draw in MATCHED.items() if route_of(draw) == "shared")
ONE_BLOCK = next(name for name, draw in MATCHED.items() if route_of(draw) == "one block")


@pytest.mark.parametrize("name", [ONE_BLOCK, SHARED])
def test_a_block_is_attributed_its_share_of_each_pairs_gap(name: str) -> None:
    """A column that is read has 10 logits. Of synonyms the clean word loses them and the
    corrupted one gets them.
    """
    pairs = SYNONYMS_AND_SCRAMBLE
    gaps = {"syn": 2 * STRENGTH, "scr": STRENGTH}
    model, tokenizer, _ = build_control(
        texts_of(pairs), wanted_by_request(pairs), name=name, context_length=64
    )

    heads = attribute_heads(model, tokenizer, pairs, tokens_per_batch=10**4)

    by_block = heads.groupby(["pair", "block"])["attribution"].sum()
    for pair, gap in gaps.items():
        for block in range(1, MATCHED[name].n_blocks + 1):
            share = MATCHED[name].shares.get(block, 0.0)
            assert by_block[pair, block] == pytest.approx(share * gap, abs=1e-3), (pair, block)
    assert list(heads) == ["pair", "block", "head", "attribution"]
    n_heads = model.config.num_attention_heads
    assert len(heads) == len(pairs) * MATCHED[name].n_blocks * n_heads
