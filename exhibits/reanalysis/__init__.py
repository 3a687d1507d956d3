"""What the papers' printed numbers imply, worked out from them (config/reported/) and the papers'
own definitions.

Each `{study}_implied.py` is a table, `results/tables/{study}_implied.csv`. No module of the library
imports this folder; `exhibits/report/results.py` finds its tables by name.
"""
