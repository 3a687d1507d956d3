"""The columns of the claims study's tables that hold text or truth values."""

from mechaware.frames import Schema

# results/claims/summary/{name}.csv
PAPERS = Schema(text=("judge", "paper", "title", "status", "reason", "tier", "expected_tier", "label_source"))
RUNS = Schema(text=("judge", "paper", "stage", "tier", "expected_tier"))
SPREAD = Schema(text=("judge", "paper"))
CLAIMS = Schema(text=("judge", "paper", "statement", "tier"), boolean=("main", "system"))
JUDGED_CRITERIA = Schema(
    text=("judge", "paper", "criterion", "stage", "status", "truth"),
    boolean=("system", "leak"),
)
TRUTH = Schema(text=("paper", "title", "statement", "tier"), boolean=("system",))
LEVELS = Schema(text=("paper", "criterion", "truth"), boolean=("system", "leak"))
USAGE = Schema(text=("judge", "label", "paper"))

# results/claims/trials/{judge}.csv and removal/{judge}/{paper}.csv
TRIALS = Schema(
    text=("judge", "paper", "source", "edit", "criterion", "edited", "run", "statuses", "expected", "truth")
)
TRUSTED_CRITERIA = Schema(text=("judge", "criterion", "stage", "trusted"), boolean=("chosen",))
REMOVAL = Schema(text=("judge", "paper", "criterion", "before", "quoted", "other"))

# config/reported/claims_{name}.csv
REPORTED_CRITERIA = Schema(text=("dimension", "name", "focus", "criterion", "criterion_name", "place"))
REPORTED_PAPERS = Schema(
    text=("paper", "title", "citation", "identifier", "expected_tier", "label_source", "place"),
)
REPORTED_MAIN = Schema(text=("paper", "tier", "expected_tier", "label_source", "place"))
REPORTED_SINGLE_RUN = Schema(text=("paper", "tier_low", "tier_high", "expected_tier", "place"))
REPORTED_PER_PAPER = Schema(text=("paper", "tier", "sub_tier_low", "sub_tier_high", "place"))
REPORTED_JUDGES = Schema(text=("judge", "thinking", "tier", "place"))
REPORTED_CLAIMS = Schema(text=("paper", "claim", "tier", "place"), boolean=("main",))
REPORTED_BOUNDARIES = Schema(text=("changed", "place"))
REPORTED_STATEMENTS = Schema(text=("quantity", "papers", "place"))

# results/tables/claims_{name}.csv
PLANTED = Schema(text=("judge", "stage"))
TRUST = Schema(text=("judge", "source", "stage", "chosen"))
