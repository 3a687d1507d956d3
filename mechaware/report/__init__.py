"""How results look on paper: one plot style, one table writer."""
