"""The modules of each architecture in transformers and how its blocks compute:
from a file, or found by structure.
"""
