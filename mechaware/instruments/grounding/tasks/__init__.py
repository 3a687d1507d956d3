"""Any task: a user's matched pairs as a table, what a model does on them,
and whether it reads the exchanged word.
"""
