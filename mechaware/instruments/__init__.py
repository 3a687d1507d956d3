"""What is put to the test: RADAR, rules over activation patching,
judges of claims. None imports another.
"""
