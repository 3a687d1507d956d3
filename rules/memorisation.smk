"""Planted memorisation: twins that each see half of the items, and detectors of what was seen.

The files of each seed, such as those in results/radar/memorisation/s0, each after those that it is
made from; their rules are in brackets:

    planted          items on invented names, and the corpora of the base and the twins (train_base,
                     or plant_items for a pretrained base)
    truth.csv        how often each item and its names occur in each corpus (by the same rule)
    -> C             the clean base, trained on its corpus (train_base)
    -> A, B          the twins: the base, trained on the corpus of either half of the items
                     (train_twins)
    -> evidence, answers, canaries
                     all items under each twin, those that it has seen and those that it has not
                     (measure_twins)
    -> scores        of each item by each detector (score_twins; score_twins_by_own for the user's)
    A, B -> answer_scores    what the answers alone show (score_answers)

Over all seeds: how well each detector separates seen from unseen items (summarise_memorisation),
whether RADAR's features add to what the answers show (compare_inside), and how often a verdict that
rests on detectors is wrong (calibrate_verdict).

The clean base is trained here from random weights. The wildcard `base` is empty for it. Two other
kinds of base have folders of their own, whose name and a slash are the wildcard:

- A pretrained model takes the place of the clean base. Pretrained bases are no part of `all`:
  `memorisation_pretrained` makes them.
- A clean base of another design, with the seeds that `radar/memorisation/designs` gives it. Its
  draws are those of the default design, so that it differs in nothing but its design.

Planted docstrings are in docstrings.smk, and rules that need both planted names and planted
docstrings in names_and_docstrings.smk.
"""

from mechaware.planted.twins.items import TWINS

MEMORISATION = "results/radar/memorisation"
PLANTED_SEEDS = config["radar"]["memorisation"]["seeds"]
PRETRAINED = config["radar"]["memorisation"]["pretrained"]
OWN_DETECTORS = tuple(config["radar"]["detectors"])
DESIGN_SEEDS = config["radar"]["memorisation"]["designs"]
# The folder of a seed is `s0` for the clean base, `crossed/s0` for a clean base of the design
# `crossed`, and `smollm2-135m-instruct/s0` for that pretrained model. The wildcard `base` is the
# part before `s0`.
DESIGN_BASE = f"(?:{any_regex(DESIGN_SEEDS)})/"
# Targets in the Snakefile name SmolLM2, whether or not the config lists it.
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
    """The name of a pretrained model or of a design; empty for the default design's clean base."""
    return wildcards.base.rstrip("/")


def is_pretrained(wildcards):
    """Whether the base is a pretrained model, not a clean base of some design."""
    return base_name(wildcards) not in ("", *DESIGN_SEEDS)


def design_of(wildcards):
    """A param: the name of the design; empty for the default design and for pretrained bases."""
    name = base_name(wildcards)
    return name if name in DESIGN_SEEDS else ""


def planted_seeds(wildcards):
    """A param: the seeds of a base or a design."""
    if is_pretrained(wildcards):
        return PRETRAINED["seeds"]
    return DESIGN_SEEDS.get(base_name(wildcards)) or PLANTED_SEEDS


def by_base(clean, pretrained):
    """A function of the wildcards: one value for clean bases, and one for every pretrained base."""
    return lambda wildcards: pretrained if is_pretrained(wildcards) else clean


def memory_by_base(clean, pretrained):
    """The resource `mem_mb`: `clean` or `pretrained`, by the base, times the attempt (`memory`)."""

    def mem_mb(wildcards, attempt):
        mb = pretrained if is_pretrained(wildcards) else clean
        return mb * attempt

    return mem_mb


def leaf_by_base(clean, pretrained):
    """A param: one key of `radar/memorisation` for clean bases, another for pretrained bases."""
    return by_base(
        lookup(f"radar/memorisation/{clean}", within=config),
        lookup(f"radar/memorisation/{pretrained}", within=config),
    )


def seed_by_base(clean, pretrained, *names):
    """A param: the seed of a draw, from its name and further `names`.

    The draw is named `clean` or `pretrained`, by the base. For a pretrained base the model's name
    follows that of the draw.
    """

    def seed(wildcards):
        model = base_name(wildcards)
        own = (pretrained, model) if is_pretrained(wildcards) else (clean,)
        return seed_for(*own, *names)(wildcards)

    return seed


def for_each_twin(seed_of, *names):
    """A param: a seed for each twin. `seed_of(*names, twin)` is the param of one twin's seed."""
    seeds = [seed_of(*names, twin) for twin in TWINS]
    return lambda wildcards: [seed(wildcards) for seed in seeds]


def base_model(wildcards):
    """An input: the model that the twins continue."""
    if is_pretrained(wildcards):
        return f"results/models/{base_name(wildcards)}"
    return f"{MEMORISATION}/{wildcards.base}s{wildcards.planted_seed}/C"


def of_twins(stem):
    """A file or folder of a seed for each twin; the twin's name takes the place of {twin}."""
    return [f"{SEED_FOLDER}/{stem.replace('{twin}', twin)}" for twin in TWINS]


def files_of_folders(folder, stem, twins=()):
    """An input: a file in the folder of each seed of a base, or of each of `twins` of each seed.

    With the folder "{base}s{number}", the stem "answers/{twin}.parquet" and the twins A and B, for
    the seeds 0 and 1 of the clean base: s0/answers/A.parquet, s0/answers/B.parquet,
    s1/answers/A.parquet and s1/answers/B.parquet, all in results/radar/memorisation.
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
    """An input: a file of each seed of a base, or of each of `twins` of each seed."""
    return files_of_folders("{base}s{number}", stem, twins)


# The scores of items on invented names, under each twin of the default design's clean bases.
NAMES_SCORES = expand(f"{MEMORISATION}/s{{n}}/scores.parquet", n=PLANTED_SEEDS)


def further_scores(wildcards):
    """An input: for the default design, the scores of each seed of each other design; else none."""
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
        # `train_base` plants for clean bases.
        base=PRETRAINED_BASE,
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


# The rule also draws the items: what the base is trained on depends on them, so that an edit of the
# draws reruns the training in any case.
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
    # Two small trainings in parallel are faster than one after the other on two threads each.
    threads: 1
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
        # The small models of clean bases are no faster on a GPU.
        gpu=by_base(0, 1),
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


# How much the answers alone show of the planted items, and whether RADAR's features add to it; for
# clean bases of the default design.
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
