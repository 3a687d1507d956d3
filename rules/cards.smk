"""Calibration cards: how often each detector, rule and judge of the run is wrong on planted truth. No model is run."""

CARDS_OF = {"radar": "detector", "grounding": "rule", "claims": "judge"}
OWN_SCORES = f"{MEMORISATION}/own_scores.parquet"
CARD_TABLES = {
    "detector": expand(f"{MEMORISATION}/s{{n}}/scores.parquet", n=PLANTED_SEEDS),
    "rule": expand("results/grounding/{table}.parquet", table=["verdict", "truth"]),
    "judge": summary_tables("criteria", "levels", "papers"),
}
FURTHER_TABLES = {
    "detector": [OWN_SCORES] if OWN_DETECTORS else [],
    "rule": [],
    "judge": expand("results/claims/trials/{judge}.parquet", judge=TRUSTED),
}


def of_kind(kind, value):
    """A param: the value where the cards of a kind are drawn; nothing for the other kinds."""
    return lambda wildcards: value if wildcards.kind == kind else ()


rule score_own_detectors:
    input:
        planted=expand(f"{MEMORISATION}/s{{n}}/planted", n=PLANTED_SEEDS),
        bases=expand(f"{MEMORISATION}/s{{n}}/C", n=PLANTED_SEEDS),
        evidence=expand(
            f"{MEMORISATION}/s{{n}}/evidence/{{twin}}.parquet",
            n=PLANTED_SEEDS,
            twin=TWINS,
        ),
    output:
        **recorded(scores=OWN_SCORES),
    log:
        "logs/radar/score_own_detectors.log",
    benchmark:
        "benchmarks/results/radar/score_own_detectors.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/score_own_detectors.py", own=OWN_DETECTORS),
        own_detectors=OWN_DETECTORS,
        seed=seed_for("score_own_detectors"),
    shell:
        command("scripts/radar/score_own_detectors.py")


rule draw_cards:
    input:
        tables=lambda wildcards: CARD_TABLES[wildcards.kind],
        further=lambda wildcards: FURTHER_TABLES[wildcards.kind],
    output:
        **recorded(cards=directory("results/cards/{kind}")),
    log:
        "logs/cards/draw_cards/{kind}.log",
    benchmark:
        "benchmarks/results/cards/draw_cards/{kind}.tsv"
    wildcard_constraints:
        kind=any_regex(CARDS_OF.values()),
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/cards/draw_cards.py", own=of_kind("detector", OWN_DETECTORS)),
        kind="{kind}",
        own_detectors=of_kind("detector", OWN_DETECTORS),
        judge_labels=of_kind("judge", JUDGE_LABELS),
        verdict_share=lookup("grounding/verdict_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("cards"),
    shell:
        command("scripts/cards/draw_cards.py")


rule list_cards:
    input:
        cards=[f"results/cards/{CARDS_OF[study]}" for study in config["studies"]],
    output:
        **recorded(index="results/cards/index.html"),
    log:
        "logs/cards/list_cards.log",
    benchmark:
        "benchmarks/results/cards/list_cards.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/cards/list_cards.py"),
    shell:
        command("scripts/cards/list_cards.py")
