"""Planted memorisation: two twins of one clean base, each trained on its half of the items.

An item passes through these modules:

- `world.py` draws the world: names, facts, operation words;
- `items.py` draws the items;
- `planting.py` draws the corpora with the items in them, and `planted_files.py` writes and reads
  them;
- `base.py` has the architecture of the clean base C, and `training.py` trains C and its twins A and
  B;
- `twins.py` measures the items under a twin, with `mechaware.instruments.radar.evidence`;
- `scoring.py` scores them by the detectors of `mechaware.instruments.radar.detectors`, and by the
  readers of `blind.py`, which read only texts;
- `exhibits/radar/summaries/memorisation.py` tests whether the scores separate seen from unseen
  items, and `planted_items.py` in the same folder whether the items were memorised.
"""
