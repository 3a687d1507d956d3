"""Planted memorisation: a base, two twins that each see half of the items, and detectors of what was seen.

The way of the data, for each seed:

    planted          items on invented names, and the corpora of the base and the twins (train_base, or plant_items)
    -> C             the clean base, trained on its corpus (train_base)
    -> A, B          the twins: the base, trained on the corpus of either half of the items (train_twins)
    -> evidence, answers, canaries    all items under each twin, those that it has seen and the others (measure_twins)
    -> scores        of each item by each detector (score_twins, score_twins_by_own, score_answers)

Over all seeds: how well each detector separates seen from unseen items (summarise_memorisation, compare_inside), and how often
a verdict that rests on detectors is wrong (calibrate_verdict). From `collect_docstrings` on, docstrings take the place of names.
At the end, the logit lens learns on names and is tested on both.

The clean base is trained here from random weights. A pretrained model can take its place; its results lie in a folder of its
own, so that the wildcard `base` is its name and a slash, and empty for the clean base. Pretrained bases are no part of `all`:
`memorisation_pretrained` makes them. A clean base of another design also has a folder of its own, and the seeds that
`radar/memorisation/designs` gives it: with the draws of the default design, it differs in nothing but its design.
"""

from mechaware.planted.twins.items import TWINS

MEMORISATION = "results/radar/memorisation"
PLANTED_SEEDS = config["radar"]["memorisation"]["seeds"]
PRETRAINED = config["radar"]["memorisation"]["pretrained"]
OWN_DETECTORS = tuple(config["radar"]["detectors"])
DESIGN_SEEDS = config["radar"]["memorisation"]["designs"]
# The folder of a seed is `s0` for the clean base, `crossed/s0` for a clean base of the design `crossed`, and
# `smollm2-135m-instruct/s0` for that pretrained model. The wildcard `base` is the part before `s0`.
DESIGN_BASE = f"(?:{any_regex(DESIGN_SEEDS)})/"
# Targets of the Snakefile name SmolLM2, whether or not the config lists it.
PRETRAINED_NAMES = [*PRETRAINED["models"], "smollm2-135m-instruct"]
PRETRAINED_BASE = f"(?:{any_regex(PRETRAINED_NAMES)})/"
SEED_FOLDER = f"{MEMORISATION}/{{base}}s{{planted_seed}}"


wildcard_constraints:
    base=f"(?:{PRETRAINED_BASE}|{DESIGN_BASE})?",
    planted_seed=r"\d+",


def corpus_lines(recipe):
    """The lines of a corpus, one batch for each step."""
    return recipe["steps"] * recipe["batch_size"]


def base_name(wildcards):
    """The name of a pretrained model or of a design; empty for the clean base of the default design."""
    return wildcards.base.rstrip("/")


def is_pretrained(wildcards):
    """Whether the base is a pretrained model, not a clean base of some design."""
    return base_name(wildcards) not in ("", *DESIGN_SEEDS)


def design_of(wildcards):
    """A param: the name of the design; empty for the default one, which pretrained bases also have."""
    name = base_name(wildcards)
    return name if name in DESIGN_SEEDS else ""


def planted_seeds(wildcards):
    """A param: the seeds of a base or a design."""
    if is_pretrained(wildcards):
        return PRETRAINED["seeds"]
    return DESIGN_SEEDS.get(base_name(wildcards)) or PLANTED_SEEDS


def by_base(clean, pretrained):
    """A param or a number of threads: one value for clean bases and one for every pretrained base."""
    return lambda wildcards: pretrained if is_pretrained(wildcards) else clean


def memory_by_base(clean, pretrained):
    """The resource `mem_mb`, as `memory` gives it: `clean` or `pretrained`, by the base, times the attempt."""

    def mem_mb(wildcards, attempt):
        mb = pretrained if is_pretrained(wildcards) else clean
        return mb * attempt

    return mem_mb


def leaf_by_base(clean, pretrained):
    """A param: one leaf of the config's `radar/memorisation` for clean bases, and one for pretrained bases."""
    return by_base(
        lookup(f"radar/memorisation/{clean}", within=config),
        lookup(f"radar/memorisation/{pretrained}", within=config),
    )


def seed_by_base(clean, pretrained, *names):
    """A param: the seed of a draw that is named `clean` or `pretrained`, by the base, and by further names.

    For a pretrained base the model's name follows the draw's.
    """

    def seed(wildcards):
        model = base_name(wildcards)
        own = (pretrained, model) if is_pretrained(wildcards) else (clean,)
        return seed_for(*own, *names)(wildcards)

    return seed


def for_each_twin(seed_of, *names):
    """A param: a seed for each twin, as `seed_of(*names)` gives it, with the twin's name as a further name of the draw."""
    seeds = [seed_of(*names, twin) for twin in TWINS]
    return lambda wildcards: [seed(wildcards) for seed in seeds]


def base_model(wildcards):
    """An input: the model that the twins continue."""
    if is_pretrained(wildcards):
        return f"results/models/{base_name(wildcards)}"
    return f"{MEMORISATION}/{wildcards.base}s{wildcards.planted_seed}/C"


def of_twins(stem):
    """A file or folder of a seed for each twin, whose name takes the place of {twin} in the stem."""
    return [f"{SEED_FOLDER}/{stem.replace('{twin}', twin)}" for twin in TWINS]


def files_of_folders(folder, stem, twins=()):
    """An input: a file in the folder of each seed of a base, and of each seed's twins where the stem has {twin}.

    With the folder "{base}s{number}" and the stem "answers/{twin}.parquet", for the seeds 0 and 1 of the clean base:
    s0/answers/A.parquet, s0/answers/B.parquet, s1/answers/A.parquet and s1/answers/B.parquet, all in the plant's folder.
    """
    files = [stem.replace("{twin}", twin) for twin in twins] or [stem]

    def files_of_base(wildcards):
        paths = []
        for number in planted_seeds(wildcards):
            of_seed = folder.format(base=wildcards.base, number=number)
            paths += [f"{MEMORISATION}/{of_seed}/{file}" for file in files]
        return paths

    return files_of_base


def files_of_seeds(stem, twins=()):
    """An input: a file of each seed of a base, and of each seed's twins where the stem has {twin}."""
    return files_of_folders("{base}s{number}", stem, twins)


NAMES_SCORES = expand(f"{MEMORISATION}/s{{n}}/scores.parquet", n=PLANTED_SEEDS)


def scores_of_fitted_names(wildcards):
    """An input: for a pretrained base, the scores on names of the clean bases; for a clean base, none."""
    return NAMES_SCORES if is_pretrained(wildcards) else []


def further_scores(wildcards):
    """An input: the scores of each seed of the other designs, for the summary of the default design; else none."""
    if wildcards.base:
        return []
    paths = []
    for design, seeds in DESIGN_SEEDS.items():
        paths += expand(f"{MEMORISATION}/{design}/s{{n}}/scores.parquet", n=seeds)
    return paths


def further_designs(wildcards):
    """A param: the design of each file of `further_scores`."""
    if wildcards.base:
        return []
    names = []
    for design, seeds in DESIGN_SEEDS.items():
        names += [design] * len(seeds)
    return names


rule plant_items:
    output:
        **recorded(
            planted=directory(f"{SEED_FOLDER}/planted"),
            truth=f"{SEED_FOLDER}/truth.csv",
        ),
    log:
        "logs/radar/plant_items/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/plant_items/{base}s{planted_seed}.tsv"
    wildcard_constraints:
        base=PRETRAINED_BASE,  # `train_base` plants for the clean base
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/plant_items.py"),
        items_per_cell=lookup(
            "radar/memorisation/pretrained/items_per_cell", within=config
        ),
        doses=lookup("radar/memorisation/pretrained/doses", within=config),
        canary_dose=lookup("radar/memorisation/pretrained/canary_dose", within=config),
        kind_prompts=lookup("radar/memorisation/kind_prompts", within=config),
        fresh_questions=lookup("radar/memorisation/fresh_questions", within=config),
        twin_lines=corpus_lines(PRETRAINED),
        seed=seed_by_base("plant_items", "plant_pretrained_items", "s{planted_seed}"),
    shell:
        f"{STEP} radar.plant_items"
        " --items-per-cell={params.items_per_cell:q}"
        " --doses {params.doses:q}"
        " --canary-dose={params.canary_dose:q}"
        " --kind-prompts={params.kind_prompts:q}"
        " --fresh-questions={params.fresh_questions:q}"
        " --twin-lines={params.twin_lines:q}"
        " --seed={params.seed:q}"
        " --planted={output.planted:q}"
        " --truth={output.truth:q}"
        " 2> {log}"


# It also draws the items: the base is trained on them, so that an edit of the draws reruns the training in any case.
rule train_base:
    output:
        **recorded(
            planted=directory(f"{SEED_FOLDER}/planted"),
            truth=f"{SEED_FOLDER}/truth.csv",
            model=directory(f"{SEED_FOLDER}/C"),
        ),
    log:
        "logs/radar/train_base/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/train_base/{base}s{planted_seed}.tsv"
    wildcard_constraints:
        base=f"(?:{DESIGN_BASE})?",
    conda:
        "../envs/models.yaml"
    threads: 1  # two small trainings in parallel are faster than two threads on one after the other
    resources:
        mem_mb=memory(3000),
        runtime=120,
    params:
        code=code("scripts/radar/train_base.py"),
        design=design_of,
        items_per_cell=lookup("radar/memorisation/items_per_cell", within=config),
        kind_prompts=lookup("radar/memorisation/kind_prompts", within=config),
        fresh_questions=lookup("radar/memorisation/fresh_questions", within=config),
        base_lines=corpus_lines(config["radar"]["memorisation"]["base"]),
        twin_lines=corpus_lines(config["radar"]["memorisation"]["twins"]),
        plant_seed=seed_for("plant_items", "s{planted_seed}"),
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
        f"{STEP} radar.train_base"
        " --design={params.design:q}"
        " --items-per-cell={params.items_per_cell:q}"
        " --kind-prompts={params.kind_prompts:q}"
        " --fresh-questions={params.fresh_questions:q}"
        " --base-lines={params.base_lines:q}"
        " --twin-lines={params.twin_lines:q}"
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
        " --least-answered={params.least_answered:q}"
        " --seed={params.seed:q}"
        " --planted={output.planted:q}"
        " --truth={output.truth:q}"
        " --model={output.model:q}"
        " 2> {log}"


rule train_twins:
    input:
        base=base_model,
        planted=f"{SEED_FOLDER}/planted",
    output:
        **recorded(
            twins=[directory(path) for path in of_twins("{twin}")],
        ),
    log:
        "logs/radar/train_twins/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/train_twins/{base}s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    threads: by_base(1, 8)
    resources:
        gpu=by_base(0, 1),  # the small models are no faster on a GPU
        mem_mb=memory_by_base(3000, 8000),
        runtime=by_base(120, 240),
    params:
        code=code("scripts/radar/train_twins.py"),
        batch_size=leaf_by_base("twins/batch_size", "pretrained/batch_size"),
        learning_rate=leaf_by_base("twins/learning_rate", "pretrained/learning_rate"),
        warmup_steps=leaf_by_base("twins/warmup_steps", "pretrained/warmup_steps"),
        weight_decay=leaf_by_base("twins/weight_decay", "pretrained/weight_decay"),
        frozen_share=by_base(0, PRETRAINED["frozen_share"]),
        device=by_base("cpu", "gpu"),
    shell:
        f"{STEP} radar.train_twins"
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


rule measure_twins:
    input:
        twins=of_twins("{twin}"),
        base=base_model,
        planted=f"{SEED_FOLDER}/planted",
    output:
        **recorded(
            evidence=of_twins("evidence/{twin}.parquet"),
            answers=of_twins("answers/{twin}.parquet"),
            canaries=of_twins("canaries/{twin}.parquet"),
        ),
    log:
        "logs/radar/measure_twins/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/measure_twins/{base}s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    threads: by_base(1, 8)
    resources:
        gpu=by_base(0, 1),
        mem_mb=memory_by_base(3000, 4000),
        runtime=by_base(60, 240),
    params:
        code=code("scripts/radar/measure_twins.py"),
        attention_entropy_reduction=lookup(
            "radar/attention_entropy_reduction", within=config
        ),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
        detector_samples=by_base(
            lookup("radar/detector_samples", within=config), PRETRAINED["samples"]
        ),
        tokens_per_batch=leaf_by_base("tokens_per_batch", "pretrained/tokens_per_batch"),
        device=by_base("cpu", "gpu"),
        seeds=for_each_twin(
            seed_by_base, "measure_twin", "measure_twin", "s{planted_seed}"
        ),
    shell:
        f"{STEP} radar.measure_twins"
        " --twins {input.twins:q}"
        " --base={input.base:q}"
        " --planted={input.planted:q}"
        " --attention-entropy-reduction={params.attention_entropy_reduction:q}"
        " --specialised-head-entropy={params.specialised_head_entropy:q}"
        " --detector-samples={params.detector_samples:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --device={params.device:q}"
        " --seeds {params.seeds:q}"
        " --evidence {output.evidence:q}"
        " --answers {output.answers:q}"
        " --canaries {output.canaries:q}"
        " 2> {log}"


rule score_twins:
    input:
        planted=f"{SEED_FOLDER}/planted",
        base=base_model,
        evidence=of_twins("evidence/{twin}.parquet"),
        answers=of_twins("answers/{twin}.parquet"),
    output:
        **recorded(
            scores=f"{SEED_FOLDER}/scores.parquet",
        ),
    log:
        "logs/radar/score_twins/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/score_twins/{base}s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/score_twins.py"),
        seed=seed_by_base("score_twins", "score_twins", "s{planted_seed}"),
    shell:
        f"{STEP} radar.score_twins"
        " --planted={input.planted:q}"
        " --base={input.base:q}"
        " --evidence {input.evidence:q}"
        " --answers {input.answers:q}"
        " --seed={params.seed:q}"
        " --scores={output.scores:q}"
        " 2> {log}"


# A rule of its own, so that a new detector of the user's does not compute the scores of ours again.
rule score_twins_by_own:
    input:
        planted=f"{SEED_FOLDER}/planted",
        base=base_model,
        evidence=of_twins("evidence/{twin}.parquet"),
    output:
        **recorded(
            own_scores=f"{SEED_FOLDER}/own_scores.parquet",
        ),
    log:
        "logs/radar/score_twins_by_own/{base}s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/score_twins_by_own/{base}s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/radar/score_twins_by_own.py", own=OWN_DETECTORS),
        own_detectors=OWN_DETECTORS,
        # As in `score_twins`: a detector gives the same scores in either job.
        seed=seed_by_base("score_twins", "score_twins", "s{planted_seed}"),
    shell:
        f"{STEP} radar.score_twins_by_own"
        " --planted={input.planted:q}"
        " --base={input.base:q}"
        " --evidence {input.evidence:q}"
        " --own-detectors {params.own_detectors:q}"
        " --seed={params.seed:q}"
        " --own-scores={output.own_scores:q}"
        " 2> {log}"


rule summarise_memorisation:
    input:
        planted=files_of_seeds("planted"),
        scores=files_of_seeds("scores.parquet"),
        own_scores=files_of_seeds("own_scores.parquet") if OWN_DETECTORS else [],
        answers=files_of_seeds("answers/{twin}.parquet", TWINS),
        canaries=files_of_seeds("canaries/{twin}.parquet", TWINS),
        further_scores=further_scores,
    output:
        **recorded(
            planted_items=f"{MEMORISATION}/{{base}}items.parquet",
            detectors=f"{MEMORISATION}/{{base}}detectors.csv",
            kinds=f"{MEMORISATION}/{{base}}kinds.parquet",
        ),
    log:
        "logs/radar/{base}summarise_memorisation.log",
    benchmark:
        "benchmarks/results/radar/{base}summarise_memorisation.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_memorisation.py"),
        seeds=planted_seeds,
        design=design_of,
        further_designs=further_designs,
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} radar.summarise_memorisation"
        " --seeds {params.seeds:q}"
        " --planted {input.planted:q}"
        " --scores {input.scores:q}"
        " --own-scores {input.own_scores:q}"
        " --answers {input.answers:q}"
        " --canaries {input.canaries:q}"
        " --design={params.design:q}"
        " --further-designs {params.further_designs:q}"
        " --further-scores {input.further_scores:q}"
        " --confidence-level={params.confidence_level:q}"
        " --planted-items={output.planted_items:q}"
        " --detectors={output.detectors:q}"
        " --kinds={output.kinds:q}"
        " 2> {log}"


rule calibrate_verdict:
    input:
        scores=files_of_seeds("scores.parquet"),
        evidence=files_of_seeds("evidence/{twin}.parquet", TWINS),
    output:
        **recorded(
            calibration=f"{MEMORISATION}/{{base}}calibration.csv",
        ),
    log:
        "logs/radar/{base}calibrate_verdict.log",
    benchmark:
        "benchmarks/results/radar/{base}calibrate_verdict.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        runtime=60,
    params:
        code=code("scripts/radar/calibrate_verdict.py"),
        seeds=planted_seeds,
        verdict_detectors=lookup("radar/verdict_detectors", within=config),
        calibration_draws=lookup("radar/memorisation/calibration_draws", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_by_base("calibrate_verdict", "calibrate_verdict"),
    shell:
        f"{STEP} radar.calibrate_verdict"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --evidence {input.evidence:q}"
        " --verdict-detectors {params.verdict_detectors:q}"
        " --calibration-draws={params.calibration_draws:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --calibration={output.calibration:q}"
        " 2> {log}"


# How much the answers alone show of the planted items, and whether RADAR's features add to it; for clean bases of the default
# design.
rule score_answers:
    input:
        twins=[f"{MEMORISATION}/s{{planted_seed}}/{twin}" for twin in TWINS],
        planted=f"{MEMORISATION}/s{{planted_seed}}/planted",
    output:
        **recorded(
            answer_scores=f"{MEMORISATION}/s{{planted_seed}}/answer_scores.parquet"
        ),
    log:
        "logs/radar/score_answers/s{planted_seed}.log",
    benchmark:
        "benchmarks/results/radar/score_answers/s{planted_seed}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 1
    resources:
        mem_mb=memory(2000),
    params:
        code=code("scripts/radar/score_answers.py"),
        tokens_per_batch=lookup("radar/memorisation/tokens_per_batch", within=config),
    shell:
        f"{STEP} radar.score_answers"
        " --twins {input.twins:q}"
        " --planted={input.planted:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --answer-scores={output.answer_scores:q}"
        " 2> {log}"


rule compare_inside:
    input:
        scores=NAMES_SCORES,
        answer_scores=expand(
            f"{MEMORISATION}/s{{n}}/answer_scores.parquet", n=PLANTED_SEEDS
        ),
    output:
        **recorded(inside=f"{MEMORISATION}/inside.csv"),
    log:
        "logs/radar/compare_inside.log",
    benchmark:
        "benchmarks/results/radar/compare_inside.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/compare_inside.py"),
        seeds=PLANTED_SEEDS,
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("compare_inside"),
    shell:
        f"{STEP} radar.compare_inside"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --answer-scores {input.answer_scores:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --inside={output.inside:q}"
        " 2> {log}"


# The natural plant: docstrings of installed packages in twins of their own.
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


# Detectors that take more than a forward pass. They have a rule of their own, and score docstrings alone.
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


# Error rates on docstrings have a rule of their own, so that a change of their seeds does not rerun those on names.
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


# The logit lens over layers, fitted on planted names. It scores names of other seeds, names in a pretrained model, and docstrings.
rule score_logit_lens:
    input:
        scores=files_of_seeds("scores.parquet"),
        names_scores=scores_of_fitted_names,
    output:
        **recorded(lens_scores=f"{MEMORISATION}/{{base}}lens_scores.parquet"),
    log:
        "logs/radar/{base}score_logit_lens.log",
    benchmark:
        "benchmarks/results/radar/{base}score_logit_lens.tsv"
    wildcard_constraints:
        base=f"(?:{PRETRAINED_BASE})?",
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/score_logit_lens.py"),
        seeds=planted_seeds,
        names_seeds=by_base([], PLANTED_SEEDS),
        seed=seed_by_base("score_logit_lens", "score_logit_lens"),
    shell:
        f"{STEP} radar.score_logit_lens"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --names-seeds {params.names_seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --seed={params.seed:q}"
        " --lens-scores={output.lens_scores:q}"
        " 2> {log}"


rule score_text_logit_lens:
    input:
        scores=expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS),
        evidence=NATURAL_EVIDENCE,
        names_scores=NAMES_SCORES,
    output:
        **recorded(lens_scores=f"{NATURAL}/lens_scores.parquet"),
    log:
        "logs/radar/score_text_logit_lens.log",
    benchmark:
        "benchmarks/results/radar/score_text_logit_lens.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/score_text_logit_lens.py"),
        seeds=NATURAL_SEEDS,
        names_seeds=PLANTED_SEEDS,
        seed=seed_for("score_text_logit_lens"),
    shell:
        f"{STEP} radar.score_text_logit_lens"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --evidence {input.evidence:q}"
        " --names-seeds {params.names_seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --seed={params.seed:q}"
        " --lens-scores={output.lens_scores:q}"
        " 2> {log}"


rule summarise_logit_lens:
    input:
        lens_scores=by_base(
            [
                f"{MEMORISATION}/lens_scores.parquet",
                f"{NATURAL}/lens_scores.parquet",
            ],
            [f"{MEMORISATION}/{{base}}lens_scores.parquet"],
        ),
    output:
        **recorded(lens=f"{MEMORISATION}/{{base}}lens.csv"),
    log:
        "logs/radar/{base}summarise_logit_lens.log",
    benchmark:
        "benchmarks/results/radar/{base}summarise_logit_lens.tsv"
    wildcard_constraints:
        base=f"(?:{PRETRAINED_BASE})?",
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_logit_lens.py"),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} radar.summarise_logit_lens"
        " --lens-scores {input.lens_scores:q}"
        " --confidence-level={params.confidence_level:q}"
        " --lens={output.lens:q}"
        " 2> {log}"


# For the reported run, whose table of error rates has both kinds of text.
rule describe_planted_texts:
    input:
        names_scores=NAMES_SCORES,
        names_evidence=expand(
            f"{MEMORISATION}/s{{n}}/evidence/{{twin}}.parquet",
            n=PLANTED_SEEDS,
            twin=TWINS,
        ),
        docstrings_scores=expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS),
        docstrings_evidence=NATURAL_EVIDENCE,
    output:
        **recorded(kinds=f"{MEMORISATION}/planted_texts.csv"),
    log:
        "logs/radar/describe_planted_texts.log",
    benchmark:
        "benchmarks/results/radar/describe_planted_texts.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/describe_planted_texts.py"),
        names_seeds=PLANTED_SEEDS,
        docstrings=DOCSTRINGS,
        docstrings_seeds=NATURAL_SEEDS,
    shell:
        f"{STEP} radar.describe_planted_texts"
        " --names-seeds {params.names_seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --names-evidence {input.names_evidence:q}"
        " --docstrings={params.docstrings:q}"
        " --docstrings-seeds {params.docstrings_seeds:q}"
        " --docstrings-scores {input.docstrings_scores:q}"
        " --docstrings-evidence {input.docstrings_evidence:q}"
        " --kinds={output.kinds:q}"
        " 2> {log}"


# On which detectors a verdict should rest, measured with seeds that no reported number uses; no part of the default run.
# `make verdict-detector` copies the table to docs/measured. The choice, `radar/verdict_detectors`, is edited by hand, together
# with the error rates that belong to it.
DEVELOPMENT_SEEDS = config["radar"]["memorisation"]["development_seeds"]


rule choose_verdict_detector:
    input:
        names_scores=expand(
            f"{MEMORISATION}/s{{n}}/scores.parquet", n=DEVELOPMENT_SEEDS
        ),
        names_evidence=expand(
            f"{MEMORISATION}/s{{n}}/evidence/{{twin}}.parquet",
            n=DEVELOPMENT_SEEDS,
            twin=TWINS,
        ),
        docstrings_scores=expand(
            f"{NATURAL}/s{{n}}/scores.parquet", n=DEVELOPMENT_SEEDS
        ),
        docstrings_evidence=expand(
            f"{NATURAL}/s{{n}}/evidence/{{twin}}.parquet",
            n=DEVELOPMENT_SEEDS,
            twin=TWINS,
        ),
    output:
        **recorded(candidates=f"{MEMORISATION}/verdict_detectors.csv"),
    log:
        "logs/radar/choose_verdict_detector.log",
    benchmark:
        "benchmarks/results/radar/choose_verdict_detector.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/choose_verdict_detector.py"),
        seeds=DEVELOPMENT_SEEDS,
        docstrings=DOCSTRINGS,
        draws=lookup("radar/memorisation/calibration_draws", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("choose_verdict_detector"),
    shell:
        f"{STEP} radar.choose_verdict_detector"
        " --seeds {params.seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --names-evidence {input.names_evidence:q}"
        " --docstrings={params.docstrings:q}"
        " --docstrings-scores {input.docstrings_scores:q}"
        " --docstrings-evidence {input.docstrings_evidence:q}"
        " --draws={params.draws:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --candidates={output.candidates:q}"
        " 2> {log}"
