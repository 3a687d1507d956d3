"""Detectors of memorised items: each scores items from the evidence of their
texts under a model.
"""
