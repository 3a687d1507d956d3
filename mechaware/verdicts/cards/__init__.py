"""Calibration cards: how often a detector, a rule or a judge is wrong on
planted truth, and where.
"""
