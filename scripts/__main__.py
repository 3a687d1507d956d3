"""Runs one step: `python -m scripts radar.train_base FLAGS` calls `main` of
scripts/radar/train_base.py.
"""

import sys
from importlib import import_module

from scripts.command import run

name, *arguments = sys.argv[1:] or sys.exit("usage: python -m scripts STUDY.STEP FLAGS")
run(import_module(f"scripts.{name}").main, arguments)
