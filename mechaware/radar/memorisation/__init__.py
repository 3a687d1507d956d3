"""Planted memorisation: two models from one clean base, each trained on its half of the items (`twins`).

The way of an item: `items.py` draws a world of names, facts and operation words, and the items; `planting.py` writes
them into what each model is trained on; `training.py` trains the base C and its twins A and B; `twins.py` measures
items under a twin, with `mechaware.radar.evidence`; `scoring.py` scores them by the detectors of
`mechaware.radar.detectors`; and `mechaware.radar.study.memorisation` asks whether the scores tell seen from unseen
items.
"""
