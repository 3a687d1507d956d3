"""Planted papers: planned, written and typeset here,
so that their status on every criterion is known.
"""
