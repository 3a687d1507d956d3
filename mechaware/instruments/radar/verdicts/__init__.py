"""Was a model trained on a benchmark? Its items measured and scored, a verdict,
and the verdict's error rates.
"""
