"""How results look on paper: one plot style, one table writer;
and the pages that are written from the code.
"""
