"""Verdicts: what an instrument found about a user's benchmark or task, and how often it was wrong.

Both give one `Verdict` with one `ErrorRates`. Error rates were measured where the truth is known because it was
planted, and belong to a `Procedure`: the settings that decide, the rules that were asked, and the decisions on
committed cases (`cases`). They are shown where the procedure is the same as the measured one; otherwise one sentence
says why there are none.

`python -m mechaware.verdicts FILE` prints a verdict and exits with its outcome, for continuous integration.
"""
