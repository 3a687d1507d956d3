"""How signatures are checked while tests run."""

from beartype import BeartypeConf, beartype

# An int where a float is asked for is right by PEP 484, and mypy accepts it.
checked = beartype(conf=BeartypeConf(is_pep484_tower=True))
