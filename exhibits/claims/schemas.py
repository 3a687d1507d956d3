"""The columns of the claims study's tables that hold text or truth values."""

from mechaware.core.frames import Schema
from mechaware.instruments.claims.items.labelled import COLUMNS

# results/claims/trust/{judge}/criteria.csv
TRUSTED_CRITERIA = Schema(text=("judge", "criterion", "trusted"))

# config/reported/claims_{name}.csv
REPORTED_CRITERIA = Schema(
    text=("dimension", "name", "focus", "criterion", "criterion_name", "place")
)
REPORTED_PAPERS = Schema(
    text=("paper", "title", "citation", "identifier", "expected_tier", "label_source", "place"),
)
REPORTED_REFERENCES = Schema(text=("reference", "paper", "tier", "qualifier", "place", "commit"))
REPORTED_MAIN = Schema(text=("paper", "tier", "expected_tier", "label_source", "place"))
REPORTED_SINGLE_RUN = Schema(text=("paper", "tier_low", "tier_high", "expected_tier", "place"))
REPORTED_PER_PAPER = Schema(text=("paper", "tier", "sub_tier_low", "sub_tier_high", "place"))
REPORTED_JUDGES = Schema(text=("judge", "thinking", "tier", "place"))
REPORTED_CLAIMS = Schema(text=("paper", "claim", "tier", "place"), boolean=("main",))
REPORTED_BOUNDARIES = Schema(text=("changed", "place"))
REPORTED_STATEMENTS = Schema(text=("quantity", "papers", "place"))
# What the author judges in his repositories (exhibits/author/).
REPORTED_FILES = Schema(text=("repository", "commit", "kind", "claim", "file", "sha256"))
REPORTED_STATUSES = Schema(
    text=("audit", "claim", "criterion", "word", "repository", "file", "commit")
)
REPORTED_VERDICTS = Schema(
    text=("claim", "verdict", "repository", "file", "commit"), boolean=("primary",)
)
REPORTED_WORDS = Schema(text=("audit", "word", "status"))
REPORTED_MAPPING = Schema(text=("criterion", "relation", "counterpart", "counterpart_name", "why"))
REPORTED_AUDITED = Schema(text=("page", "audit", "why"), boolean=("same_scope",))
# The labelled items that scripts/author_items.py writes.
ITEMS = Schema(text=COLUMNS)
# docs/measured/claims_prose_judges.csv
PROSE_JUDGES = Schema(text=("judge", "items", "date", "device", "commit", "command"))
# docs/measured/claims_pressure.csv
PRESSURE = Schema(text=("judge", "date", "device", "commit", "command"))

# results/tables/claims_{name}.csv
PLANTED = Schema(text=("judge", "stage", "criterion"))
TRUST = Schema(text=("judge",))
VOTE = Schema(text=("errors", "after", "pass", "claims", "vote"))
