"""The claim-validity paper's statements on its labels, judges and claims, counted in its tables."""

from collections.abc import Iterator

from exhibits.reanalysis.claims.printed import Printed
from exhibits.reanalysis.implied import Implied
from mechaware.instruments.claims.rubric.criteria import TIERS

MAIN_JUDGE = "DeepSeek V4 Pro"  # section 4.1


def coverage(printed: Printed) -> Iterator[Implied]:
    """The tiers of the labels, the number of models, and which papers are over-scored.

    Each as the text prints it, and as counted in the tables.
    """
    labels = set(printed.papers["expected_tier"])
    absent = [tier.name for tier in TIERS if tier.name not in labels]
    n_spanned = len(TIERS) - len(absent)
    yield Implied(
        quantity="tiers among the reference labels",
        printed=f"all {printed.number('tiers_spanned'):.0f} tiers",
        implied=f"{n_spanned} of {len(TIERS)}: no paper is {', '.join(absent)}",
        how="counted",
        place="section 4.2; Table 2",
    )

    n_models = printed.judges["judge"].nunique()
    yield Implied(
        quantity="models compared",
        printed=f"{printed.number('models'):.0f} models",
        implied=f"{n_models}",
        how="different names in Table 6",
        place="section 4.1; Table 6",
    )

    main = printed.main
    is_suggestive = main["expected_tier"] == "Causally Suggestive"
    is_over = main["off_by"] > 0
    over_elsewhere = printed.titles(main.index[~is_suggestive & is_over])
    yield Implied(
        quantity="over-scored among the Causally Suggestive",
        printed=printed.named("overscored_suggestive"),
        implied=printed.titles(main.index[is_suggestive & is_over]),
        how=f"off-by of Table 3; over-scored too: {over_elsewhere}",
        place="section 5.2; Table 3",
    )


def claims_by_judge(printed: Printed) -> Iterator[Implied]:
    """How many claims judges find: without and with thinking, and the main judge in two tables.

    Table 6 has a row for each model and amount of thinking. The first comparison is over the models
    that have a row without thinking and a row with it.
    """
    judges = printed.judges
    n_models = 0
    n_fewer = 0
    for _, modes in judges[judges["thinking"] != ""].groupby("judge"):
        is_off = modes["thinking"] == "off"
        has_both_modes = is_off.any() and not is_off.all()
        if not has_both_modes:
            continue
        claims_without = modes.loc[is_off, "n_claims"].item()
        claims_with = modes.loc[~is_off, "n_claims"].item()
        n_models += 1
        n_fewer += int(claims_without < claims_with)
    yield Implied(
        quantity="claims without thinking",
        printed="fewer",
        implied=f"fewer in {n_fewer} of {n_models} models",
        how="models tested in both modes",
        place="section 4.1; Table 6",
    )

    of_main_judge = judges.loc[judges["judge"] == MAIN_JUDGE, "n_claims"]
    yield Implied(
        quantity=f"claims of IOI by {MAIN_JUDGE}",
        printed=f"{' and '.join(map(str, of_main_judge))} in Table 6",
        implied=f"{printed.per_paper['n_claims']['ioi']} in Table 5",
        how="same judge and paper; the paper does not say what became of the others",
        place="Tables 5 and 6",
    )
