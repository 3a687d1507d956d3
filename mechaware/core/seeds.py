"""Seeds derived from names, so that adding a random draw never shifts the others."""

import hashlib


def derive_seed(seed: int, *names: str | int) -> int:
    """A 32-bit seed for the draw that `names` identify: the first four bytes of
    SHA-256(seed/name/name...).

    Python's `hash` is salted in each process, and `random.Random(seed + i)` shifts every draw when
    one is added.
    """
    text = "/".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
