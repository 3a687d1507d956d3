"""The natural plant in pretrained models, and the error rates that `make pretrained` commits.

The items are docstrings of packages that are newer than the model. The rest of the texts that its
twins are trained on, the filler, are docstrings of the packages that this project locks. Names are
planted in pretrained models by memorisation.smk. The target `memorisation_pretrained` makes both.

This one plant has several names: rules call it new texts, the folder of what is fetched is
`new_docstrings`, and the folder of a model's results is `natural`.

The flow of data for each model and seed; {base} is the model's name and a slash:

    docstrings of new packages (fetch_new_docstrings) and of locked packages (collect_docstrings
    in docstrings.smk)
    -> planted     the items, and the corpus of each twin (plant_new_texts)
    -> A, B        the model, trained on either corpus (train_new_text_twins)
    -> evidence    all items under each twin, those that it has seen and those that it has not
                   (measure_new_text_twins)
    -> scores      each detector's scores (score_new_text_twins)

For each model, over its seeds:

    scores              -> natural/detectors.csv    how well each detector separates seen items
                                                    from others (summarise_new_text_twins)
    scores and evidence -> natural/calibration.csv  the error rates of verdicts on docstrings
                                                    (calibrate_new_text_verdict)
                        -> planted_texts.csv        how long and how varied names and docstrings
                                                    are (describe_pretrained_texts)
    planted             -> planted_shares.csv       which share of the training was planted
                                                    (count_planted_tokens)

collect_pretrained_rates makes one table of all models' error rates, on names and on docstrings.
"""

NEW_TEXTS = f"{MEMORISATION}/new_docstrings"
NEW_PACKAGES = repo("config/new_packages.csv")
NEW_DOCSTRINGS = "docstrings of packages first released in 2025 or later"
NEW_TEXT_FOLDER = f"{MEMORISATION}/{{base}}natural/s{{planted_seed}}"


def pretrained_model(wildcards):
    """An input: the model that twins on new docstrings continue."""
    return f"results/models/{base_name(wildcards)}"


def seed_of_model(draw, *names):
    """A param: `seed_for` of the draw, the model's name and `names`, with wildcards filled in."""
    return lambda wildcards: seed_for(draw, base_name(wildcards), *names)(wildcards)


def texts_of_seeds(stem, twins=()):
    """An input: as `files_of_seeds`, which gives files of planted names, for planted docstrings."""
    return files_of_folders("{base}natural/s{number}", stem, twins)


rule fetch_new_docstrings:
    input:
        packages=NEW_PACKAGES,
        known=f"{NATURAL}/passages.parquet",
    output:
        **recorded(
            passages=f"{NEW_TEXTS}/passages.parquet",
            corpus=f"{NEW_TEXTS}/corpus.json",
        ),
    log:
        "logs/radar/fetch_new_docstrings.log",
    benchmark:
        "benchmarks/results/radar/fetch_new_docstrings.tsv"
    # The network may fail for a moment.
    retries: 2
    # Compute nodes may have no network, so the job runs where Snakemake does.
    localrule: True
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/fetch_new_docstrings.py"),
        contents=contents_of(NEW_PACKAGES),
    shell:
        f"{STEP} radar.fetch_new_docstrings"
        " --packages={input.packages:q}"
        " --known={input.known:q}"
        " --passages={output.passages:q}"
        " --corpus={output.corpus:q}"
        " 2> {log}"


rule plant_new_texts:
    input:
        passages=f"{NEW_TEXTS}/passages.parquet",
        filler=f"{NATURAL}/passages.parquet",
    output:
        **recorded(planted=directory(f"{NEW_TEXT_FOLDER}/planted")),
    log:
        "logs/radar/plant_new_texts/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/plant_new_texts/{base}s{planted_seed}.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/plant_new_texts.py"),
        doses=lookup("radar/memorisation/pretrained/natural/doses", within=config),
        items_per_dose=lookup(
            "radar/memorisation/pretrained/natural/items_per_dose", within=config
        ),
        twin_lines=corpus_lines(PRETRAINED["natural"]),
        seed=seed_of_model("plant_new_texts", "s{planted_seed}"),
    shell:
        f"{STEP} radar.plant_new_texts"
        " --passages={input.passages:q}"
        " --filler={input.filler:q}"
        " --doses {params.doses:q}"
        " --items-per-dose={params.items_per_dose:q}"
        " --twin-lines={params.twin_lines:q}"
        " --seed={params.seed:q}"
        " --planted={output.planted:q}"
        " 2> {log}"


rule train_new_text_twins:
    input:
        base=pretrained_model,
        planted=f"{NEW_TEXT_FOLDER}/planted",
    output:
        **recorded(
            twins=[directory(f"{NEW_TEXT_FOLDER}/{twin}") for twin in TWINS],
        ),
    log:
        "logs/radar/train_new_text_twins/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/train_new_text_twins/{base}s{planted_seed}.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(8000),
        runtime=240,
    params:
        code=code("scripts/radar/train_new_text_twins.py"),
        batch_size=lookup(
            "radar/memorisation/pretrained/natural/batch_size", within=config
        ),
        learning_rate=lookup(
            "radar/memorisation/pretrained/natural/learning_rate", within=config
        ),
        warmup_steps=lookup("radar/memorisation/pretrained/warmup_steps", within=config),
        weight_decay=lookup("radar/memorisation/pretrained/weight_decay", within=config),
        frozen_share=lookup("radar/memorisation/pretrained/frozen_share", within=config),
        device="gpu",
    shell:
        f"{STEP} radar.train_new_text_twins"
        " --base={input.base:q}"
        " --planted={input.planted:q}"
        " --batch-size={params.batch_size:q}"
        " --learning-rate={params.learning_rate:q}"
        " --warmup-steps={params.warmup_steps:q}"
        " --weight-decay={params.weight_decay:q}"
        " --frozen-share={params.frozen_share:q}"
        " --device={params.device:q}"
        " --twins {output.twins:q}"
        " 2> {log}"


rule measure_new_text_twins:
    input:
        twins=[f"{NEW_TEXT_FOLDER}/{twin}" for twin in TWINS],
        base=pretrained_model,
        planted=f"{NEW_TEXT_FOLDER}/planted",
        prompts=prompts_csv(RADAR_TRAIN),
    output:
        **recorded(
            evidence=[f"{NEW_TEXT_FOLDER}/evidence/{twin}.parquet" for twin in TWINS],
        ),
    log:
        "logs/radar/measure_new_text_twins/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/measure_new_text_twins/{base}s{planted_seed}.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("scripts/radar/measure_new_text_twins.py"),
        contents=contents_of(prompts_csv(RADAR_TRAIN)),
        attention_entropy_reduction=lookup(
            "radar/attention_entropy_reduction", within=config
        ),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
        detector_samples=lookup("radar/memorisation/pretrained/samples", within=config),
        tokens_per_batch=lookup(
            "radar/memorisation/pretrained/tokens_per_batch", within=config
        ),
        device="gpu",
        seeds=for_each_twin(seed_of_model, "measure_new_text_twin", "s{planted_seed}"),
    shell:
        f"{STEP} radar.measure_new_text_twins"
        " --twins {input.twins:q}"
        " --base={input.base:q}"
        " --planted={input.planted:q}"
        " --prompts={input.prompts:q}"
        " --attention-entropy-reduction={params.attention_entropy_reduction:q}"
        " --specialised-head-entropy={params.specialised_head_entropy:q}"
        " --detector-samples={params.detector_samples:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --device={params.device:q}"
        " --seeds {params.seeds:q}"
        " --evidence {output.evidence:q}"
        " 2> {log}"


# A rule of its own, since the measurements before it occupy a GPU and this needs none.
rule score_new_text_twins:
    input:
        planted=f"{NEW_TEXT_FOLDER}/planted",
        base=pretrained_model,
        evidence=[f"{NEW_TEXT_FOLDER}/evidence/{twin}.parquet" for twin in TWINS],
    output:
        **recorded(scores=f"{NEW_TEXT_FOLDER}/scores.parquet"),
    log:
        "logs/radar/score_new_text_twins/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/score_new_text_twins/{base}s{planted_seed}.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/score_new_text_twins.py"),
        seed=seed_of_model("score_new_text_twins", "s{planted_seed}"),
    shell:
        f"{STEP} radar.score_new_text_twins"
        " --planted={input.planted:q}"
        " --base={input.base:q}"
        " --evidence {input.evidence:q}"
        " --seed={params.seed:q}"
        " --scores={output.scores:q}"
        " 2> {log}"


use rule summarise_text_twins as summarise_new_text_twins with:
    input:
        scores=texts_of_seeds("scores.parquet"),
    output:
        **recorded(natural=f"{MEMORISATION}/{{base}}natural/detectors.csv"),
    log:
        "logs/radar/{base}summarise_new_text_twins.log",
    benchmark:
        "benchmarks/results/radar/{base}summarise_new_text_twins.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    params:
        seeds=PRETRAINED["seeds"],


use rule calibrate_text_verdict as calibrate_new_text_verdict with:
    input:
        scores=texts_of_seeds("scores.parquet"),
        evidence=texts_of_seeds("evidence/{twin}.parquet", TWINS),
    output:
        **recorded(calibration=f"{MEMORISATION}/{{base}}natural/calibration.csv"),
    log:
        "logs/radar/{base}calibrate_new_text_verdict.log",
    benchmark:
        "benchmarks/results/radar/{base}calibrate_new_text_verdict.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    params:
        text=NEW_DOCSTRINGS,
        seeds=PRETRAINED["seeds"],
        calibration_draws=lookup("radar/memorisation/calibration_draws", within=config),
        seed=seed_of_model("calibrate_new_text_verdict"),


use rule describe_planted_texts as describe_pretrained_texts with:
    input:
        names_scores=files_of_seeds("scores.parquet"),
        names_evidence=files_of_seeds("evidence/{twin}.parquet", TWINS),
        docstrings_scores=texts_of_seeds("scores.parquet"),
        docstrings_evidence=texts_of_seeds("evidence/{twin}.parquet", TWINS),
    output:
        **recorded(kinds=f"{MEMORISATION}/{{base}}planted_texts.csv"),
    log:
        "logs/radar/{base}describe_pretrained_texts.log",
    benchmark:
        "benchmarks/results/radar/{base}describe_pretrained_texts.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    params:
        names_seeds=PRETRAINED["seeds"],
        docstrings=NEW_DOCSTRINGS,
        docstrings_seeds=PRETRAINED["seeds"],


rule count_planted_tokens:
    input:
        base=pretrained_model,
        names=files_of_seeds("planted"),
        docstrings=texts_of_seeds("planted"),
    output:
        **recorded(shares=f"{MEMORISATION}/{{base}}planted_shares.csv"),
    log:
        "logs/radar/{base}count_planted_tokens.log",
    benchmark:
        "benchmarks/results/radar/{base}count_planted_tokens.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/count_planted_tokens.py"),
        seeds=PRETRAINED["seeds"],
        docstrings_text=NEW_DOCSTRINGS,
    shell:
        f"{STEP} radar.count_planted_tokens"
        " --base={input.base:q}"
        " --seeds {params.seeds:q}"
        " --names {input.names:q}"
        " --docstrings {input.docstrings:q}"
        " --docstrings-text={params.docstrings_text:q}"
        " --shares={output.shares:q}"
        " 2> {log}"


# `make pretrained` copies its table to config/calibration.
rule collect_pretrained_rates:
    input:
        names=expand(
            f"{MEMORISATION}/{{model}}/calibration.csv", model=PRETRAINED["models"]
        ),
        docstrings=expand(
            f"{MEMORISATION}/{{model}}/natural/calibration.csv",
            model=PRETRAINED["models"],
        ),
        kinds=expand(
            f"{MEMORISATION}/{{model}}/planted_texts.csv", model=PRETRAINED["models"]
        ),
        shares=expand(
            f"{MEMORISATION}/{{model}}/planted_shares.csv", model=PRETRAINED["models"]
        ),
    output:
        **recorded(rates=f"{MEMORISATION}/pretrained_rates.csv"),
    log:
        "logs/radar/collect_pretrained_rates.log",
    benchmark:
        "benchmarks/results/radar/collect_pretrained_rates.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/collect_pretrained_rates.py"),
        models=PRETRAINED["models"],
    shell:
        f"{STEP} radar.collect_pretrained_rates"
        " --models {params.models:q}"
        " --names {input.names:q}"
        " --docstrings {input.docstrings:q}"
        " --kinds {input.kinds:q}"
        " --shares {input.shares:q}"
        " --rates={output.rates:q}"
        " 2> {log}"
