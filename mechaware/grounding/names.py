"""Names of the study's runs, categories and interventions in files, and their labels in figures and tables."""

CONDITIONS = {"schema": "schema", "no_schema": "no schema"}
CONTROLS = {
    "copy_head": "copy head, read in block 2",
    "late_copy_head": "copy head, read in block 4",
    "schema_blind": "schema-blind twin",
}
READING_BLOCK = {"copy_head": 2, "late_copy_head": 4}
CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")
CATEGORY_LABELS = {
    "db_synonyms": "DB synonyms",
    "db_scramble": "DB scramble",
    "non_db_synonyms": "non-DB synonyms",
    "non_db_scramble": "non-DB scramble",
    "super_scramble": "super-scramble",
    "overall": "overall",
}
MODE_LABELS = {
    "denoise": "denoising",
    "noise": "noising",
    "mean_ablation": "mean ablation",
    "zero_ablation": "zero ablation",
}
METRIC_LABELS = {"exact_match": "exact match", "field_accuracy": "field accuracy"}
HISTORY = "history.csv"  # in a trained model's folder


def condition_of(run: str) -> str:
    """The training condition of a run's name: `no_schema-s1` -> `no_schema`; a control has its own name."""
    return run.rsplit("-s", 1)[0]


def run_label(run: str) -> str:
    """The label of a run: `schema, seed 0`, or that of a control."""
    if run in CONTROLS:
        return CONTROLS[run]
    condition, seed = run.rsplit("-s", 1)
    return f"{CONDITIONS[condition]}, seed {seed}"
