"""Planted memorisation: two models from one clean base, each trained on its half of the items (`twins`).

An item passes through these modules. `items.py` draws the world (names, facts, operation words) and the items.
`planting.py` writes them into the corpora. `training.py` trains the base C and its twins A and B. `twins.py` measures
the items under a twin, with `mechaware.instruments.radar.evidence`. `scoring.py` scores them by the detectors of
`mechaware.instruments.radar.detectors`. `exhibits/radar/summaries/memorisation.py` tests whether the scores separate
seen from unseen items.
"""
