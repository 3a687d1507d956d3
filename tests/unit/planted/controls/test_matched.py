"""The matched controls give equal answers to every prompt, and no two have one mechanism."""

from collections import Counter

import torch

from mechaware.planted.controls.draw import Draw
from mechaware.planted.controls.matched import MATCHED, route_of
from mechaware.planted.controls.schema_readers import build_control
from tests.unit.planted.controls.control_runs import Planted
from tests.unit.planted.controls.schema_prompts import CONTEXT_LENGTH, PROMPTS, WANTED


def test_no_two_mechanisms_are_alike_and_each_half_has_every_route_at_every_depth() -> None:
    # The half to which a control belongs is no part of its mechanism.
    mechanisms = [draw._replace(held_out=False) for draw in MATCHED.values()]
    assert len(mechanisms) == 48
    assert all(mechanisms.count(mechanism) == 1 for mechanism in mechanisms)

    routes = ("one block", "shared", "relay", "redundant")
    for held_out in (False, True):
        half = [draw for draw in MATCHED.values() if draw.held_out == held_out]
        counts = Counter((draw.n_blocks, route_of(draw)) for draw in half)
        assert counts == {(depth, route): 2 for depth in (5, 6, 8) for route in routes}


def test_the_route_of_a_control_follows_from_its_shares_relay_and_redundancy() -> None:
    assert route_of(Draw("requested", {3: 1.0})) == "one block"
    assert route_of(Draw("requested", {2: 0.4, 3: 0.6})) == "shared"
    assert route_of(Draw("requested", {3: 1.0}, relay=True)) == "relay"
    assert route_of(Draw("requested", {2: 1.0, 4: 1.0}, redundant=True)) == "redundant"


def test_every_word_has_the_same_logit_in_every_matched_control() -> None:
    """The answer has a logit of 10; float32 rounds it to about a millionth, 1e-5."""
    logits_by_control = []
    for name in MATCHED:
        model = Planted(build_control(PROMPTS, WANTED, name=name, context_length=CONTEXT_LENGTH))
        logits_by_control.append(torch.cat([model.clean, model.corrupted]))

    first, *others = logits_by_control
    # The controls do answer: equal logits of 0 would not be enough.
    assert first.max() > 9.9
    for logits in others:
        torch.testing.assert_close(logits, first, rtol=0, atol=1e-5)
