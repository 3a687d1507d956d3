"""The sources of the paper's text, which several tests read."""

from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
SECTIONS = sorted((REPOSITORY / "paper/sections").glob("*.typ"))
# The names of rules, criteria and models, which have digits.
NAMES = r"\b(?:R[1-3]|G[1-5]|[CIMEV][1-6]|SmolLM2|TinyStories-33M)\b"
