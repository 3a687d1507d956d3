"""The verdict on a paper by any rubric, and its page."""
