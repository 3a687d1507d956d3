"""What the papers' printed numbers imply, worked out from these numbers alone: constants in, one table a paper out.

Each `{study}_implied.py` makes `results/tables/{study}_implied.csv`. The library knows nothing of this folder.
"""
