"""What the paper shows: figures, tables, summaries and values.
Not a part of the importable library.
"""
