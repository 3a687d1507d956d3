"""The jobs that run after an edit of a finished tree, as the number of jobs of each rule, down to
the tables and figures.

`FROM_X` has the jobs that run after an edit whose first effect is on X. The finished tree is the
run of config/test.yaml: the counts follow from its numbers of models, seeds, papers and judges.

Two dicts are united by `|`. A rule that is in both has the count of the right one:
`{"a": 2, "b": 1} | {"a": 1}` is `{"a": 1, "b": 1}`.
"""

from collections.abc import Mapping

from tests.outputs import readers

Jobs = dict[str, int]

RADAR = "results/radar/{model}"
MEMORISATION = "results/radar/memorisation/"
GROUNDING = "results/grounding"
# One job draws all cards.
CARDS = {"draw_cards": 1}


def without(jobs: Mapping[str, int], *rules: str) -> Jobs:
    """The jobs except those of some rules."""
    return {name: count for name, count in jobs.items() if name not in rules}


def readers_of(folder: str, *names: str) -> Jobs:
    """One job for each table and figure that reads `folder/NAME.*` for one of the names."""
    paths = [f"{folder}/{name}." for name in names]
    return readers(*paths)


# RADAR: one model and two prompt sets, the training set and the matched set. Four jobs summarise a
# model: summarise_predictions, summarise_controls, summarise_features and correlate_length.

FROM_PREDICTIONS = {"summarise_predictions": 1}
FROM_PREDICTIONS |= readers_of(RADAR, "performance", "answer_counts", "score_means")

FROM_CONTROLS = {"summarise_controls": 1}
FROM_CONTROLS |= readers_of(RADAR, "comparison")

FROM_SEPARATION = {"summarise_features": 1}
FROM_SEPARATION |= readers_of(RADAR, "discrimination", "correlation", "redundancy")

FROM_LENGTH = {"correlate_length": 1}
FROM_LENGTH |= readers_of(RADAR, "length_correlation")

FROM_SUMMARIES = FROM_PREDICTIONS | FROM_CONTROLS | FROM_SEPARATION | FROM_LENGTH

FROM_SCORES = {"classify_prompts": 1} | FROM_PREDICTIONS
FROM_SCORES |= readers(f"{RADAR}/scores/")

FROM_FEATURES = FROM_SCORES | FROM_SUMMARIES | {"evaluate_controls": 1, "permute_labels": 2}
# The matched set alone changes: the labels of the training set are not permuted again.
FROM_ONE_EVALUATION_SET = FROM_FEATURES | {"permute_labels": 1, "radar_datasets": 1}
FROM_MODEL = FROM_FEATURES | {
    "capture_activations": 2,
    "answer_prompts": 2,
    "extract_features": 2,
}
ONE_MORE_MODEL = FROM_MODEL | {"link_local_model": 1}


# Planted memorisation: one seed, with its clean base and two twins.

# Three of the tables that read from results/radar/memorisation read no file of
# summarise_memorisation.
FROM_DETECTORS = {"summarise_memorisation": 1}
FROM_DETECTORS |= without(
    readers(MEMORISATION), "memorisation_inside", "memorisation_lens", "memorisation_natural"
)

# A logit lens that is fitted on names scores names and docstrings.
FROM_FITTED_NAMES = {"score_text_logit_lens": 1, "summarise_logit_lens": 1, "memorisation_lens": 1}

# These jobs follow from the scores of names by our detectors, and not from the scores by a user's
# own detectors. compare_inside asks whether what is read inside a model adds to what its output
# shows.
FROM_SCORED_NAMES = {"compare_inside": 1, "memorisation_inside": 1, "score_logit_lens": 1}
FROM_SCORED_NAMES |= FROM_FITTED_NAMES

# Docstrings are planted in twins of their own.
FROM_DOCSTRINGS = {
    "measure_text_twins": 1,
    "summarise_text_twins": 1,
    "summarise_text_probes": 1,
    "memorisation_natural": 1,
    "calibrate_text_verdict": 1,
}
FROM_DOCSTRINGS |= FROM_FITTED_NAMES | CARDS

FROM_MEASURED_TWINS = {"measure_twins": 1, "score_twins": 1, "calibrate_verdict": 1}
FROM_MEASURED_TWINS |= FROM_DETECTORS | FROM_SCORED_NAMES | CARDS

FROM_TWINS = FROM_MEASURED_TWINS | {"train_twins": 1, "score_answers": 1}
FROM_PLANT = FROM_TWINS | {"train_base": 1}


# Grounding: judge_runs judges all runs, localise_reading finds the blocks and heads that read,
# and summarise_runs makes the summaries that need no threshold.

# grounding_lookups reads only what measure_lookups makes.
FROM_JUDGEMENT = {"judge_runs": 1, "localise_reading": 1, "summarise_runs": 1}
FROM_JUDGEMENT |= without(readers(GROUNDING), "grounding_lookups") | CARDS

FROM_SUMMARIES_WITHOUT_THRESHOLDS = {"summarise_runs": 1}
FROM_SUMMARIES_WITHOUT_THRESHOLDS |= readers_of(
    GROUNDING, "accuracy", "trained", "behaviour", "shortcuts", "residual_map"
)

FROM_THRESHOLDS = {"judge_runs": 1} | CARDS
FROM_THRESHOLDS |= readers_of(
    GROUNDING,
    "rules",
    "comparison",
    "verdict",
    "rule_sets",
    "drawn",
    "categories",
    "block_sets",
    "recovery",
    "reading",
    "grid",
)

# The places where models read depend on the thresholds of R1 to R3, and on no rule of the user's.
FROM_PLACES = {"localise_reading": 1}
FROM_PLACES |= readers_of(GROUNDING, "places", "localisation")

# Five jobs of measure_pairs: two trained models, their base, and one pretrained model with
# zero-shot and with few-shot prompts. One job measures all controls, and one the matched controls.
FROM_PAIRS = FROM_JUDGEMENT | {
    "make_pairs": 1,
    "measure_controls": 1,
    "measure_matched": 1,
    "attribute_trained": 1,
    "measure_lookups": 1,
    "grounding_lookups": 1,
    "measure_pairs": 3 + 2,
}
FROM_TRAINING = FROM_JUDGEMENT | {
    "train_model": 2,
    "decode_sql": 2,
    "measure_pairs": 2,
    "attribute_trained": 1,
}
FROM_BASE = FROM_TRAINING | {"train_model": 3, "measure_pairs": 3}
FROM_ROWS = FROM_BASE | FROM_PAIRS
FROM_ROWS |= {"generate_sql": 3, "generate_stories": 1, "initialise_model": 1}


# Claims: two planted papers and one judge, the lexical rules.

FROM_CLAIMS_SUMMARY = {"summarise_claims": 1, "calibrate_judges": 1, "draw_page": 1} | CARDS
FROM_CLAIMS_SUMMARY |= readers("results/claims/summary/", "results/tables/claims_planted.csv")

FROM_VOTES = FROM_CLAIMS_SUMMARY | {"write_procedures": 1, "judge_paper": 2}

FROM_TRUST = {"measure_trust": 1, "draw_page": 1, "claims_finding": 1} | CARDS
FROM_TRUST |= readers("results/claims/trials/")

FROM_JUDGE_PROMPTS = FROM_TRUST | FROM_VOTES

# A second judge, the embedded model, judges one of the papers. measure_trust does not run for it:
# config/test.yaml gives it no edits to judge.
FROM_ONE_MORE_JUDGE = FROM_CLAIMS_SUMMARY | {
    "write_procedures": 1,
    "judge_paper": 1,
    "draw_page": 2,
}
FROM_ONE_MORE_JUDGE |= readers("results/claims/trials/")

# A lexical judge of the user's own judges both papers. It costs nothing, so its trust is measured.
FROM_OWN_JUDGE = FROM_ONE_MORE_JUDGE | {"judge_paper": 2, "measure_trust": 1}

FROM_SCORING = FROM_JUDGE_PROMPTS | {
    "write_planted_papers": 1,
    "measure_trust_controls": 1,
    "claims_implied": 1,
    "claims_vote": 1,
    "draw_claims_vote": 1,
}
# Three tables write their cells with a module that also gives a score its tier.
FROM_SCORING |= {"claims_author": 1, "claims_lists": 1, "claims_mapping": 1}
