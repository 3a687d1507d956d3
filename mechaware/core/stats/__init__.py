"""Confidence intervals, effect sizes, ROC curves and p-values."""
