"""Planted memorisation: a clean base, two twins that each see half of the items, and detectors of what was seen."""

from mechaware.radar.memorisation.items import CANARY_DOSE, CONDITIONS, TWINS, VERBATIM

MEMORISATION = "results/radar/memorisation"
PLANTED_SEEDS = config["radar"]["memorisation"]["seeds"]
PRETRAINED = config["radar"]["memorisation"]["pretrained"]


wildcard_constraints:
    planted_seed=r"\d+",
    twin=one_of(TWINS),
    pretrained=one_of([*PRETRAINED["models"], "smollm2-135m-instruct"]),


def corpus_lines(recipe):
    """A param: the lines of a corpus, one batch for each step."""
    return recipe["steps"] * recipe["batch_size"]


def memorisation_files(stem, twins=(), folder=MEMORISATION, seeds=PLANTED_SEEDS):
    """A file of each seed, and of each seed's twins where the stem has {twin}."""
    files = [stem.replace("{twin}", twin) for twin in twins] or [stem]
    return [f"{folder}/s{number}/{file}" for number in seeds for file in files]


rule plant_items:
    output:
        planted=directory("results/radar/memorisation/s{planted_seed}/planted"),
        truth="results/radar/memorisation/s{planted_seed}/truth.csv",
        provenance="results/radar/memorisation/s{planted_seed}/planted.provenance.json",
    log:
        "logs/radar/plant_items/s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/plant_items/s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/plant_items.py"),
        items_per_cell=lookup("radar/memorisation/items_per_cell", within=config),
        forms=[form for form, _ in CONDITIONS],
        doses=[dose for _, dose in CONDITIONS],
        canary_dose=CANARY_DOSE,
        kind_prompts=lookup("radar/memorisation/kind_prompts", within=config),
        fresh_questions=lookup("radar/memorisation/fresh_questions", within=config),
        base_lines=corpus_lines(config["radar"]["memorisation"]["base"]),
        twin_lines=corpus_lines(config["radar"]["memorisation"]["twins"]),
        seed=seed_for("plant_items", "s{planted_seed}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.plant_items "
        "--items-per-cell {params.items_per_cell} --forms {params.forms} --doses {params.doses} --canary-dose {params.canary_dose} "
        "--kind-prompts {params.kind_prompts} --fresh-questions {params.fresh_questions} "
        "--base-lines {params.base_lines} --twin-lines {params.twin_lines} --seed {params.seed} "
        "--out {output.planted} --truth {output.truth} 2> {log}"


rule train_base:
    input:
        planted="results/radar/memorisation/s{planted_seed}/planted",
    output:
        model=directory("results/radar/memorisation/s{planted_seed}/C"),
        provenance="results/radar/memorisation/s{planted_seed}/C.provenance.json",
    log:
        "logs/radar/train_base/s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/train_base/s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 1  # two small trainings side by side are faster than one after the other with two threads
    resources:
        mem_mb=memory(3000),
        runtime=120,
    params:
        code=code("scripts/radar/train_base.py"),
        n_layers=lookup("radar/memorisation/base/n_layers", within=config),
        d_model=lookup("radar/memorisation/base/d_model", within=config),
        n_heads=lookup("radar/memorisation/base/n_heads", within=config),
        vocabulary=lookup("radar/memorisation/base/vocabulary", within=config),
        context_length=lookup("radar/memorisation/base/context_length", within=config),
        batch_size=lookup("radar/memorisation/base/batch_size", within=config),
        learning_rate=lookup("radar/memorisation/base/learning_rate", within=config),
        warmup_steps=lookup("radar/memorisation/base/warmup_steps", within=config),
        weight_decay=lookup("radar/memorisation/base/weight_decay", within=config),
        least_answered=lookup("radar/memorisation/least_answered", within=config),
        seed=seed_for("train_base", "s{planted_seed}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.train_base "
        "--planted {input.planted:q} --n-layers {params.n_layers} "
        "--d-model {params.d_model} --n-heads {params.n_heads} --vocabulary {params.vocabulary} "
        "--context-length {params.context_length} --batch-size {params.batch_size} "
        "--learning-rate {params.learning_rate} --warmup-steps {params.warmup_steps} "
        "--weight-decay {params.weight_decay} --least-answered {params.least_answered} --seed {params.seed} "
        "--out {output.model} 2> {log}"


rule train_twin:
    input:
        base="results/radar/memorisation/s{planted_seed}/C",
        planted="results/radar/memorisation/s{planted_seed}/planted",
    output:
        model=directory("results/radar/memorisation/s{planted_seed}/{twin}"),
        provenance="results/radar/memorisation/s{planted_seed}/{twin}.provenance.json",
    log:
        "logs/radar/train_twin/s{planted_seed}-{twin}.log",
    benchmark:
        "benchmarks/results/radar/train_twin/s{planted_seed}-{twin}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=120,
    params:
        code=code("scripts/radar/train_twin.py"),
        batch_size=lookup("radar/memorisation/twins/batch_size", within=config),
        learning_rate=lookup("radar/memorisation/twins/learning_rate", within=config),
        warmup_steps=lookup("radar/memorisation/twins/warmup_steps", within=config),
        weight_decay=lookup("radar/memorisation/twins/weight_decay", within=config),
        frozen_share=0,
        device="cpu",  # small models gain nothing by a GPU
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.train_twin "
        "--base {input.base:q} --planted {input.planted:q} --twin {wildcards.twin} "
        "--batch-size {params.batch_size} --learning-rate {params.learning_rate} "
        "--warmup-steps {params.warmup_steps} --weight-decay {params.weight_decay} "
        "--frozen-share {params.frozen_share} --device {params.device} --out {output.model} 2> {log}"


rule measure_twin:
    input:
        twin="results/radar/memorisation/s{planted_seed}/{twin}",
        base="results/radar/memorisation/s{planted_seed}/C",
        planted="results/radar/memorisation/s{planted_seed}/planted",
    output:
        evidence=directory("results/radar/memorisation/s{planted_seed}/evidence/{twin}"),
        answers="results/radar/memorisation/s{planted_seed}/answers/{twin}.csv",
        canaries="results/radar/memorisation/s{planted_seed}/canaries/{twin}.csv",
        causal="results/radar/memorisation/s{planted_seed}/causal/{twin}.parquet",
        provenance="results/radar/memorisation/s{planted_seed}/evidence/{twin}.provenance.json",
    log:
        "logs/radar/measure_twin/s{planted_seed}-{twin}.log",
    benchmark:
        "benchmarks/results/radar/measure_twin/s{planted_seed}-{twin}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("scripts/radar/measure_twin.py"),
        reduction=lookup("radar/attention_entropy_reduction", within=config),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
        samples=lookup("radar/detector_samples", within=config),
        causal_items=lookup("radar/memorisation/causal_items", within=config),
        tokens_per_batch=lookup("radar/memorisation/tokens_per_batch", within=config),
        device="cpu",
        seed=seed_for("measure_twin", "s{planted_seed}", "{twin}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.measure_twin "
        "--twin {input.twin:q} --base {input.base:q} --planted {input.planted:q} "
        "--reduction {params.reduction} --specialised-head-entropy {params.specialised_head_entropy} "
        "--samples {params.samples} --causal-items {params.causal_items} "
        "--tokens-per-batch {params.tokens_per_batch} --device {params.device} --seed {params.seed} --evidence {output.evidence} "
        "--answers {output.answers} --canaries {output.canaries} --causal {output.causal} 2> {log}"


rule score_twins:
    input:
        planted="results/radar/memorisation/s{planted_seed}/planted",
        base="results/radar/memorisation/s{planted_seed}/C",
        evidence=expand(
            "results/radar/memorisation/s{{planted_seed}}/evidence/{twin}", twin=TWINS
        ),
    output:
        scores="results/radar/memorisation/s{planted_seed}/scores.parquet",
        provenance="results/radar/memorisation/s{planted_seed}/scores.provenance.json",
    log:
        "logs/radar/score_twins/s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/score_twins/s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/score_twins.py"),
        seed=seed_for("score_twins", "s{planted_seed}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.score_twins "
        "--planted {input.planted:q} --base {input.base:q} --evidence {input.evidence:q} --seed {params.seed} --out {output.scores} 2> {log}"


rule summarise_memorisation:
    input:
        planted=memorisation_files("planted"),
        scores=memorisation_files("scores.parquet"),
        answers=memorisation_files("answers/{twin}.csv", TWINS),
        canaries=memorisation_files("canaries/{twin}.csv", TWINS),
        causal=memorisation_files("causal/{twin}.parquet", TWINS),
    output:
        planted_items="results/radar/memorisation/items.csv",
        detectors="results/radar/memorisation/detectors.csv",
        roc="results/radar/memorisation/roc.csv",
        crossed="results/radar/memorisation/crossed.csv",
        regression="results/radar/memorisation/regression.csv",
        proxies="results/radar/memorisation/proxies.csv",
        provenance="results/radar/memorisation/detectors.provenance.json",
    log:
        "logs/radar/summarise_memorisation.log",
    benchmark:
        "benchmarks/results/radar/summarise_memorisation.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_memorisation.py"),
        seeds=PLANTED_SEEDS,
        roc_dose=16,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("summarise_memorisation"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.summarise_memorisation "
        "--seeds {params.seeds} --planted {input.planted:q} "
        "--scores {input.scores:q} --answers {input.answers:q} --canaries {input.canaries:q} --causal {input.causal:q} "
        "--roc-dose {params.roc_dose} --confidence-level {params.confidence_level} "
        "--bootstrap-resamples {params.bootstrap_resamples} --seed {params.seed} --items {output.planted_items} --detectors {output.detectors} --roc {output.roc} "
        "--crossed {output.crossed} --regression {output.regression} --proxies {output.proxies} 2> {log}"


# Pretrained models: the model as it is takes the place of the clean base. Not part of `all`: `memorisation_pretrained`.


use rule plant_items as plant_pretrained_items with:
    output:
        planted=directory(
            "results/radar/memorisation/{pretrained}/s{planted_seed}/planted"
        ),
        truth="results/radar/memorisation/{pretrained}/s{planted_seed}/truth.csv",
        provenance="results/radar/memorisation/{pretrained}/s{planted_seed}/planted.provenance.json",
    log:
        "logs/radar/plant_pretrained_items/{pretrained}-s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/plant_pretrained_items/{pretrained}-s{planted_seed}.tsv"
    params:
        items_per_cell=lookup(
            "radar/memorisation/pretrained/items_per_cell", within=config
        ),
        forms=[VERBATIM] * len(PRETRAINED["doses"]),
        doses=lookup("radar/memorisation/pretrained/doses", within=config),
        canary_dose=lookup("radar/memorisation/pretrained/canary_dose", within=config),
        kind_prompts=lookup("radar/memorisation/kind_prompts", within=config),
        fresh_questions=lookup("radar/memorisation/fresh_questions", within=config),
        base_lines=0,
        twin_lines=corpus_lines(PRETRAINED),
        seed=seed_for("plant_pretrained_items", "{pretrained}", "s{planted_seed}"),


use rule train_twin as train_pretrained_twin with:
    input:
        base="results/models/{pretrained}",
        planted="results/radar/memorisation/{pretrained}/s{planted_seed}/planted",
    output:
        model=directory(
            "results/radar/memorisation/{pretrained}/s{planted_seed}/{twin}"
        ),
        provenance="results/radar/memorisation/{pretrained}/s{planted_seed}/{twin}.provenance.json",
    log:
        "logs/radar/train_pretrained_twin/{pretrained}-s{planted_seed}-{twin}.log",
    benchmark:
        "benchmarks/results/radar/train_pretrained_twin/{pretrained}-s{planted_seed}-{twin}.tsv"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(8000),
        runtime=120,
    params:
        batch_size=lookup("radar/memorisation/pretrained/batch_size", within=config),
        learning_rate=lookup(
            "radar/memorisation/pretrained/learning_rate", within=config
        ),
        warmup_steps=lookup("radar/memorisation/pretrained/warmup_steps", within=config),
        weight_decay=lookup("radar/memorisation/pretrained/weight_decay", within=config),
        frozen_share=lookup("radar/memorisation/pretrained/frozen_share", within=config),
        device="gpu",


use rule measure_twin as measure_pretrained_twin with:
    input:
        twin="results/radar/memorisation/{pretrained}/s{planted_seed}/{twin}",
        base="results/models/{pretrained}",
        planted="results/radar/memorisation/{pretrained}/s{planted_seed}/planted",
    output:
        evidence=directory(
            "results/radar/memorisation/{pretrained}/s{planted_seed}/evidence/{twin}"
        ),
        answers="results/radar/memorisation/{pretrained}/s{planted_seed}/answers/{twin}.csv",
        canaries="results/radar/memorisation/{pretrained}/s{planted_seed}/canaries/{twin}.csv",
        causal="results/radar/memorisation/{pretrained}/s{planted_seed}/causal/{twin}.parquet",
        provenance="results/radar/memorisation/{pretrained}/s{planted_seed}/evidence/{twin}.provenance.json",
    log:
        "logs/radar/measure_pretrained_twin/{pretrained}-s{planted_seed}-{twin}.log",
    benchmark:
        "benchmarks/results/radar/measure_pretrained_twin/{pretrained}-s{planted_seed}-{twin}.tsv"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=120,
    params:
        reduction=lookup("radar/attention_entropy_reduction", within=config),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
        samples=lookup("radar/memorisation/pretrained/samples", within=config),
        causal_items=lookup("radar/memorisation/pretrained/causal_items", within=config),
        tokens_per_batch=lookup(
            "radar/memorisation/pretrained/tokens_per_batch", within=config
        ),
        device="gpu",
        seed=seed_for("measure_twin", "{pretrained}", "s{planted_seed}", "{twin}"),


use rule score_twins as score_pretrained_twins with:
    input:
        planted="results/radar/memorisation/{pretrained}/s{planted_seed}/planted",
        base="results/models/{pretrained}",
        evidence=expand(
            "results/radar/memorisation/{{pretrained}}/s{{planted_seed}}/evidence/{twin}",
            twin=TWINS,
        ),
    output:
        scores="results/radar/memorisation/{pretrained}/s{planted_seed}/scores.parquet",
        provenance="results/radar/memorisation/{pretrained}/s{planted_seed}/scores.provenance.json",
    log:
        "logs/radar/score_pretrained_twins/{pretrained}-s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/score_pretrained_twins/{pretrained}-s{planted_seed}.tsv"
    params:
        seed=seed_for("score_twins", "{pretrained}", "s{planted_seed}"),


def pretrained_files(stem, twins=()):
    """An input: a file of each seed of a pretrained model, and of its twins."""
    return memorisation_files(
        stem, twins, folder=f"{MEMORISATION}/{{pretrained}}", seeds=PRETRAINED["seeds"]
    )


use rule summarise_memorisation as summarise_pretrained_memorisation with:
    input:
        planted=pretrained_files("planted"),
        scores=pretrained_files("scores.parquet"),
        answers=pretrained_files("answers/{twin}.csv", TWINS),
        canaries=pretrained_files("canaries/{twin}.csv", TWINS),
        causal=pretrained_files("causal/{twin}.parquet", TWINS),
    output:
        planted_items="results/radar/memorisation/{pretrained}/items.csv",
        detectors="results/radar/memorisation/{pretrained}/detectors.csv",
        roc="results/radar/memorisation/{pretrained}/roc.csv",
        crossed="results/radar/memorisation/{pretrained}/crossed.csv",
        regression="results/radar/memorisation/{pretrained}/regression.csv",
        proxies="results/radar/memorisation/{pretrained}/proxies.csv",
        provenance="results/radar/memorisation/{pretrained}/detectors.provenance.json",
    log:
        "logs/radar/summarise_pretrained_memorisation/{pretrained}.log",
    benchmark:
        "benchmarks/results/radar/summarise_pretrained_memorisation/{pretrained}.tsv"
    params:
        seeds=PRETRAINED["seeds"],
        roc_dose=max(PRETRAINED["doses"]),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("summarise_memorisation", "{pretrained}"),
