"""Can a judge be trusted? Edit the evidence on one criterion in a text,
and see which statuses move.
"""
