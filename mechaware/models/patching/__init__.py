"""Patching: run a model again with one part of it replaced, and read what that does to a difference
of two logits.

Two prompts, clean and corrupted, differ in one word, and logit(correct) - logit(incorrect) at the
last token measures the answer. Denoising puts a state of the clean run into the corrupted run;
noising does the reverse. The measure

    recovery = (patched - corrupted) / (clean - corrupted)

is 1 where the state carries the whole effect of the word, and 0 where it carries none of it. Two
things are patched:

- `residual.py`: the residual stream, at the word or at later tokens, layer by layer. Layer 0 is the
  embedding, layer l the output of block l = 1..L, before the final norm. At the word, layer 0
  restores the clean run (recovery 1), and layer L can no longer reach another position (recovery
  0).
- `kv_cut.py`: the word's keys and values, block by block. Later tokens read the word only through
  these, so all blocks together carry its whole effect.

A separate forward pass for each patch would repeat most of the computation. `runs.py` shares what
patches cannot change: runs of the same prompts have one set of keys and values before the word, and
a patched run starts in the block of its patch.
"""
