"""What a run ends as: the tables and figures of each study."""

TABLES_OF = {
    "radar": (
        "radar_performance",
        "radar_controls",
        "radar_datasets",
        "radar_score_means",
        "radar_implied",
    ),
    "grounding": (
        "grounding_accuracy",
        "grounding_rules",
        "grounding_thresholds",
        "grounding_triangulation",
        "grounding_controls",
        "grounding_implied",
    ),
    "claims": (
        "claims_criteria",
        "claims_papers",
        "claims_main",
        "claims_single_run",
        "claims_per_paper",
        "claims_judges",
        "claims_planted",
        "claims_boundaries",
        "claims_implied",
    ),
}
FIGURES_OF = {
    "radar": (
        "radar_architecture",
        "radar_features",
        "radar_scores",
        "radar_redundancy",
        "radar_length",
    ),
    "grounding": (
        "grounding_training",
        "grounding_sensitivity",
        "grounding_recovery",
        "grounding_layers",
        "grounding_thresholds",
    ),
    "claims": (
        "claims_architecture",
        "claims_tiers",
        "claims_dimensions",
        "claims_variance",
        "claims_confusion",
        "claims_planted_bias",
    ),
}
TABLES = [name for names in TABLES_OF.values() for name in names]
FIGURES = [name for names in FIGURES_OF.values() for name in names]
