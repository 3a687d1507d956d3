"""The columns of the RADAR study's tables whose cells the paper's text can print.

`VALUE_TABLES` declares the columns of each table, by the name of its file without suffix;
`write_values` reads the files by these declarations. `Quantity` and `ValueTable` explain the
fields. A table is a CSV in results/tables/, unless a comment names another folder, where it may be
a Parquet file.
"""

from exhibits.reanalysis.implied import IMPLIED
from exhibits.report.values import Quantity, ValueTable, estimate, without_interval

# A table that was measured once, not in this run, has these columns on how it was measured.
_MEASURED_BY = ("date", "device", "commit", "command")

VALUE_TABLES = {
    "radar_performance": ValueTable(
        keys=("model", "prompt_set", "slice"),
        quantities=(
            Quantity("accuracy", low="exact_low", high="exact_high", reported="reported"),
            *without_interval("correct", "ties", "always_recall", "papers_kind"),
        ),
        place="place",
        left_out=("bootstrap_low", "bootstrap_high"),
    ),
    "radar_controls": ValueTable(
        keys=("model", "prompt_set", "protocol", "system", "reduction"),
        quantities=(
            # The bootstrap draws matched pairs whole. The exact interval is left out: it takes the
            # two prompts of a pair for independent.
            Quantity("accuracy", low="bootstrap_low", high="bootstrap_high"),
            Quantity("seed_mean", low="seed_min", high="seed_max", n="seeds"),
            estimate("radar_lead"),
            *without_interval("correct", "ties", "same_as_radar"),
            *without_interval("p_above_guessing", "p_of_mean", "p_against_radar"),
        ),
        left_out=("exact_low", "exact_high"),
    ),
    "radar_score_means": ValueTable(
        keys=("model", "prompt_set", "score", "label"),
        quantities=(
            Quantity("mean", low="low", high="high", reported="reported"),
            *without_interval("papers_kind"),
        ),
        place="place",
    ),
    "radar_answers": ValueTable(
        keys=("model", "prompt_set", "label"),
        quantities=(
            Quantity("share", low="low", high="high"),
            *without_interval("silent", "right", "wrong"),
            Quantity("recall_if_right", n="right"),
            Quantity("recall_if_not", n="wrong"),
        ),
    ),
    "radar_implied": IMPLIED,
    "memorisation_detectors": ValueTable(
        keys=("detector", "kind", "form", "dose"),
        quantities=(
            Quantity("auroc", low="low", high="high"),
            *without_interval("auroc_p", "auroc_holm", "tpr", "shuffled"),
        ),
    ),
    "memorisation_natural": ValueTable(
        keys=("detector", "dose"),
        quantities=(
            Quantity("auroc", low="low", high="high"),
            estimate("lead"),
            estimate("ranks_lead"),
            estimate("transfer_loss"),
            *without_interval("shuffled"),
        ),
    ),
    "memorisation_inside": ValueTable(
        keys=("reader", "kind", "form", "dose", "seeds"),
        quantities=(
            Quantity("auroc", low="low", high="high"),
            estimate("lead"),
            *without_interval("lead_p", "lead_holm", "shuffled", "looked_at"),
        ),
        left_out=("rival",),
    ),
    "memorisation_lens": ValueTable(
        keys=("kind", "form", "dose", "fit", "reader"),
        quantities=(
            Quantity("auroc", low="low", high="high"),
            estimate("lead"),
            estimate("transfer_loss"),
            *without_interval("shuffled"),
        ),
    ),
    "memorisation_items": ValueTable(
        keys=("kind", "form", "dose"),
        quantities=(
            estimate("memorised"),
            estimate("called_change"),
            estimate("p_recall_change"),
            *without_interval("memorised_answer", "gain", "exposure_seen", "exposure_unseen"),
            *without_interval("answered_seen", "answered_unseen", "answered_base"),
            *without_interval("called_seen", "called_unseen", "p_recall_p", "p_recall_holm"),
        ),
    ),
    "memorisation_kinds": ValueTable(
        # The default design has the name "", which adds no part to a value's name.
        keys=("design", "detector"),
        quantities=(Quantity("auroc", low="low", high="high"),),
    ),
    "memorisation_proxies": ValueTable(
        keys=("proxy",),
        quantities=(
            Quantity("correlation", low="low", high="high"),
            Quantity(
                "correlation_recall",
                low="low_recall",
                high="high_recall",
                n="n_recall",
            ),
            Quantity(
                "correlation_reasoning",
                low="low_reasoning",
                high="high_reasoning",
                n="n_reasoning",
            ),
            *without_interval("real", "within", "auroc_proxy", "auroc_real", *_MEASURED_BY),
        ),
    ),
    # results/radar/{model}/
    "redundancy": ValueTable(
        keys=("model",),
        quantities=without_interval(
            "features", "constant", "distinct", "rank", "effective", n=None
        ),
    ),
    "length_correlation": ValueTable(
        keys=("model", "prompt_set", "reduction"),
        quantities=(Quantity("correlation", low="low", high="high"),),
    ),
    # docs/measured/
    "memorisation_smollm2": ValueTable(
        keys=("detector", "kind", "form", "dose"),
        quantities=(
            Quantity("auroc", low="low", high="high"),
            *without_interval("tpr", "shuffled", "auroc_kind", *_MEASURED_BY),
        ),
    ),
    "radar_matched_800": ValueTable(
        keys=("slice", "protocol", "system", "label"),
        quantities=(
            Quantity("accuracy", low="low", high="high"),
            Quantity("seed_mean", low="seed_min", high="seed_max", n="seeds"),
            estimate("radar_lead"),
            *without_interval("p_above_guessing", "p_of_mean", "p_against_radar"),
            *without_interval("permutations", *_MEASURED_BY),
        ),
    ),
}
