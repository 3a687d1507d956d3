"""Calibration cards: how often each detector, rule and judge of the run is wrong on planted truth.

They are drawn from scores that other rules have made: no model is run.
"""

# The library finds its templates by itself. They are inputs so that an edit redraws the cards.
CARD_TEMPLATES = [
    repo("mechaware/verdicts/cards/templates/index.html.j2"),
    repo("mechaware/verdicts/cards/templates/card.html.j2"),
    repo("mechaware/core/page.css"),
]

# How judges did on real prose, in runs that were started by hand.
MEASURED_ON_PROSE = repo("docs/measured/claims_prose_judges.csv")


def of_study(study, paths):
    """An input: the paths, or none where the study is left out."""
    return paths if study in config["studies"] else []


rule draw_cards:
    input:
        scores=of_study("radar", NAMES_SCORES),
        own_scores=of_study(
            "radar",
            expand(
                f"{MEMORISATION}/s{{n}}/own_scores.parquet",
                n=PLANTED_SEEDS if OWN_DETECTORS else [],
            ),
        ),
        text_scores=of_study(
            "radar", expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS)
        ),
        lens_scores=of_study(
            "radar",
            [f"{MEMORISATION}/lens_scores.parquet", f"{NATURAL}/lens_scores.parquet"],
        ),
        verdicts=of_study(
            "grounding",
            expand("results/grounding/{table}.parquet", table=["verdict", "truth"]),
        ),
        statuses=of_study("claims", summary_tables("criteria", "levels", "papers")),
        trials=of_study(
            "claims",
            expand("results/claims/trials/{judge}.parquet", judge=TRUSTED),
        ),
        prose=MEASURED_ON_PROSE,
        templates=CARD_TEMPLATES,
    output:
        **recorded(cards=directory("results/cards")),
    log:
        "logs/cards/draw_cards.log",
    benchmark:
        "benchmarks/results/cards/draw_cards.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/cards/draw_cards.py", own=OWN_DETECTORS),
        contents=contents_of(MEASURED_ON_PROSE, CARD_TEMPLATES),
        own_detectors=OWN_DETECTORS,
        judge_labels=JUDGE_LABELS,
        verdict_share=lookup("grounding/verdict_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("cards"),
    shell:
        f"{STEP} cards.draw_cards"
        " --scores {input.scores:q}"
        " --own-scores {input.own_scores:q}"
        " --text-scores {input.text_scores:q}"
        " --lens-scores {input.lens_scores:q}"
        " --verdicts {input.verdicts:q}"
        " --statuses {input.statuses:q}"
        " --trials {input.trials:q}"
        " --prose={input.prose:q}"
        " --own-detectors {params.own_detectors:q}"
        " --judge-labels {params.judge_labels:q}"
        " --verdict-share={params.verdict_share:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --cards={output.cards:q}"
        " 2> {log}"
