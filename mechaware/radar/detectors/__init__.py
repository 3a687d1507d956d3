"""Detectors of memorised items: each scores items from what a model says of their texts (see `evidence.py`)."""
