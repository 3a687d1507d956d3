"""The natural plant: docstrings of installed packages, planted in twins of their own.

The steps are those of memorisation.smk, where invented names are planted. For each seed, in
results/radar/memorisation/natural:

    passages.parquet    the docstrings (collect_docstrings)
    -> s0/C, A, B       the clean base and its twins (train_text_twins)
    -> s0/evidence, scores    the docstrings under each twin, and each detector's scores
                        (measure_text_twins)
    -> s0/probes        scores of detectors that take more than a forward pass (measure_text_probes)

Over all seeds: how well detectors and probes separate seen from unseen docstrings
(summarise_text_twins, summarise_text_probes), and how often a verdict that rests on detectors is
wrong (calibrate_text_verdict).
"""

NATURAL = f"{MEMORISATION}/natural"
NATURAL_SEEDS = config["radar"]["memorisation"]["natural"]["seeds"]
NATURAL_FOLDER = f"{NATURAL}/s{{planted_seed}}"


rule collect_docstrings:
    output:
        **recorded(
            passages=f"{NATURAL}/passages.parquet",
            corpus=f"{NATURAL}/corpus.json",
        ),
    log:
        "logs/radar/collect_docstrings.log",
    benchmark:
        "benchmarks/results/radar/collect_docstrings.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/collect_docstrings.py"),
    shell:
        f"{STEP} radar.collect_docstrings"
        " --passages={output.passages:q}"
        " --corpus={output.corpus:q}"
        " 2> {log}"


rule train_text_twins:
    input:
        passages=f"{NATURAL}/passages.parquet",
    output:
        **recorded(
            planted=directory(f"{NATURAL_FOLDER}/planted"),
            model=directory(f"{NATURAL_FOLDER}/C"),
            twins=[directory(f"{NATURAL_FOLDER}/{twin}") for twin in TWINS],
        ),
    log:
        "logs/radar/train_text_twins/s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/train_text_twins/s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=120,
    params:
        code=code("scripts/radar/train_text_twins.py"),
        items_per_dose=lookup(
            "radar/memorisation/natural/items_per_dose", within=config
        ),
        base_steps=lookup("radar/memorisation/natural/base_steps", within=config),
        twin_steps=lookup("radar/memorisation/natural/twin_steps", within=config),
        batch_size=lookup("radar/memorisation/natural/batch_size", within=config),
        plant_seed=seed_for("plant_texts", "s{planted_seed}"),
        n_layers=lookup("radar/memorisation/base/n_layers", within=config),
        d_model=lookup("radar/memorisation/base/d_model", within=config),
        n_heads=lookup("radar/memorisation/base/n_heads", within=config),
        vocabulary=lookup("radar/memorisation/base/vocabulary", within=config),
        context_length=lookup(
            "radar/memorisation/natural/context_length", within=config
        ),
        learning_rate=lookup("radar/memorisation/base/learning_rate", within=config),
        twin_learning_rate=lookup(
            "radar/memorisation/natural/learning_rate", within=config
        ),
        warmup_steps=lookup("radar/memorisation/base/warmup_steps", within=config),
        weight_decay=lookup("radar/memorisation/base/weight_decay", within=config),
        seed=seed_for("train_text_base", "s{planted_seed}"),
    shell:
        f"{STEP} radar.train_text_twins"
        " --passages={input.passages:q}"
        " --items-per-dose={params.items_per_dose:q}"
        " --base-steps={params.base_steps:q}"
        " --twin-steps={params.twin_steps:q}"
        " --plant-seed={params.plant_seed:q}"
        " --n-layers={params.n_layers:q}"
        " --d-model={params.d_model:q}"
        " --n-heads={params.n_heads:q}"
        " --vocabulary={params.vocabulary:q}"
        " --context-length={params.context_length:q}"
        " --batch-size={params.batch_size:q}"
        " --learning-rate={params.learning_rate:q}"
        " --warmup-steps={params.warmup_steps:q}"
        " --weight-decay={params.weight_decay:q}"
        " --twin-learning-rate={params.twin_learning_rate:q}"
        " --seed={params.seed:q}"
        " --planted={output.planted:q}"
        " --model={output.model:q}"
        " --twins {output.twins:q}"
        " 2> {log}"


rule measure_text_twins:
    input:
        twins=[f"{NATURAL_FOLDER}/{twin}" for twin in TWINS],
        base=f"{NATURAL_FOLDER}/C",
        planted=f"{NATURAL_FOLDER}/planted",
        prompts=prompts_csv(RADAR_TRAIN),
    output:
        **recorded(
            evidence=[f"{NATURAL_FOLDER}/evidence/{twin}.parquet" for twin in TWINS],
            scores=f"{NATURAL_FOLDER}/scores.parquet",
        ),
    log:
        "logs/radar/measure_text_twins/s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/measure_text_twins/s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("scripts/radar/measure_text_twins.py"),
        contents=contents_of(prompts_csv(RADAR_TRAIN)),
        attention_entropy_reduction=lookup(
            "radar/attention_entropy_reduction", within=config
        ),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
        detector_samples=lookup("radar/memorisation/natural/samples", within=config),
        tokens_per_batch=lookup("radar/memorisation/tokens_per_batch", within=config),
        seeds=for_each_twin(seed_for, "measure_text_twin", "s{planted_seed}"),
        score_seed=seed_for("score_text_twins", "s{planted_seed}"),
    shell:
        f"{STEP} radar.measure_text_twins"
        " --twins {input.twins:q}"
        " --base={input.base:q}"
        " --planted={input.planted:q}"
        " --prompts={input.prompts:q}"
        " --attention-entropy-reduction={params.attention_entropy_reduction:q}"
        " --specialised-head-entropy={params.specialised_head_entropy:q}"
        " --detector-samples={params.detector_samples:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --seeds {params.seeds:q}"
        " --score-seed={params.score_seed:q}"
        " --evidence {output.evidence:q}"
        " --scores={output.scores:q}"
        " 2> {log}"


rule summarise_text_twins:
    input:
        scores=expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS),
    output:
        **recorded(natural=f"{NATURAL}/detectors.csv"),
    log:
        "logs/radar/summarise_text_twins.log",
    benchmark:
        "benchmarks/results/radar/summarise_text_twins.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_text_twins.py"),
        seeds=NATURAL_SEEDS,
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} radar.summarise_text_twins"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --confidence-level={params.confidence_level:q}"
        " --natural={output.natural:q}"
        " 2> {log}"


# Detectors that take more than a forward pass have a rule of their own, and score only docstrings.
rule measure_text_probes:
    input:
        twins=[f"{NATURAL_FOLDER}/{twin}" for twin in TWINS],
        planted=f"{NATURAL_FOLDER}/planted",
        passages=f"{NATURAL}/passages.parquet",
    output:
        **recorded(probes=f"{NATURAL_FOLDER}/probes.parquet"),
    log:
        "logs/radar/measure_text_probes/s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/measure_text_probes/s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 1
    resources:
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("scripts/radar/measure_text_probes.py"),
        tokens_per_batch=lookup("radar/memorisation/tokens_per_batch", within=config),
        seed=seed_for("measure_text_probes", "s{planted_seed}"),
    shell:
        f"{STEP} radar.measure_text_probes"
        " --twins {input.twins:q}"
        " --planted={input.planted:q}"
        " --passages={input.passages:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --seed={params.seed:q}"
        " --probes={output.probes:q}"
        " 2> {log}"


rule summarise_text_probes:
    input:
        scores=expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS),
        probes=expand(f"{NATURAL}/s{{n}}/probes.parquet", n=NATURAL_SEEDS),
    output:
        **recorded(natural=f"{NATURAL}/probes.csv"),
    log:
        "logs/radar/summarise_text_probes.log",
    benchmark:
        "benchmarks/results/radar/summarise_text_probes.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_text_probes.py"),
        seeds=NATURAL_SEEDS,
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("summarise_text_probes"),
    shell:
        f"{STEP} radar.summarise_text_probes"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --probes {input.probes:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --natural={output.natural:q}"
        " 2> {log}"


# Error rates on docstrings have a rule of their own, so that a change of their seeds does not rerun
# the error rates on names.
DOCSTRINGS = "docstrings of installed packages"
NATURAL_EVIDENCE = expand(
    f"{NATURAL}/s{{n}}/evidence/{{twin}}.parquet", n=NATURAL_SEEDS, twin=TWINS
)


rule calibrate_text_verdict:
    input:
        scores=expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS),
        evidence=NATURAL_EVIDENCE,
    output:
        **recorded(calibration=f"{NATURAL}/calibration.csv"),
    log:
        "logs/radar/calibrate_text_verdict.log",
    benchmark:
        "benchmarks/results/radar/calibrate_text_verdict.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        runtime=60,
    params:
        code=code("scripts/radar/calibrate_text_verdict.py"),
        text=DOCSTRINGS,
        seeds=NATURAL_SEEDS,
        verdict_detectors=lookup("radar/verdict_detectors", within=config),
        calibration_draws=lookup(
            "radar/memorisation/natural/calibration_draws", within=config
        ),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("calibrate_text_verdict"),
    shell:
        f"{STEP} radar.calibrate_text_verdict"
        " --text={params.text:q}"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --evidence {input.evidence:q}"
        " --verdict-detectors {params.verdict_detectors:q}"
        " --calibration-draws={params.calibration_draws:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --calibration={output.calibration:q}"
        " 2> {log}"
