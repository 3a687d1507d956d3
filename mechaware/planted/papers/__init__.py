"""Planted papers: plan, write and typeset papers whose status on every criterion is known."""
