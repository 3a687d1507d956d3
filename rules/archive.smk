"""The catalogue of the results, and the run as one archive.

The catalogue is an RO-Crate: each file with its inputs, software and licence (ro_crate). The
archive holds what is needed to go on with the run elsewhere (write_bundle).
"""

import json

# The results that a reader opens; each has a provenance record next to it.
ARCHIVED = [
    "results/paper/paper.pdf",
    "results/paper/index.html",
    *expand("results/values/{study}.json", study=config["studies"]),
    *(path for study in config["studies"] for path in results_of(study)),
]
# The inputs written by hand, and every file given with --configfile, each once.
ARCHIVED_INPUTS = [
    *dict.fromkeys(
        map(os.path.relpath, [*GIVEN_CONFIGS, REPOSITORY / "config/config.yaml"])
    ),
    repo("config/models.yaml"),
    repo("config/judges.yaml"),
    repo("config/radar_scores.csv"),
    repo("config/sql/vocabulary.yaml"),
    PAPERS_CSV,
    *(prompts_csv(name) for name in [RADAR_TRAIN, *config["radar"]["evaluate"]]),
    *JUDGE_PROMPTS,
    *map(repo, sorted((REPOSITORY / "config/reported").glob("*.csv"))),
]

ARCHIVED_CAPTIONS = [repo("paper/captions/paper.rst"), *PAPER_CAPTIONS]
CITATION = repo("CITATION.cff")


rule ro_crate:
    input:
        results=ARCHIVED,
        records=records(ARCHIVED),
        inputs=ARCHIVED_INPUTS,
        captions=ARCHIVED_CAPTIONS,
        citation=CITATION,
    output:
        **recorded(out="results/ro-crate-metadata.json"),
    log:
        "logs/archive/ro_crate.log",
    benchmark:
        "benchmarks/results/archive/ro_crate.tsv"
    conda:
        "../envs/archive.yaml"
    params:
        code=code("scripts/archive/ro_crate.py"),
        contents=contents_of(ARCHIVED_INPUTS, ARCHIVED_CAPTIONS, CITATION),
    shell:
        f"{STEP} archive.ro_crate"
        " --results {input.results:q}"
        " --records {input.records:q}"
        " --inputs {input.inputs:q}"
        " --captions {input.captions:q}"
        " --citation={input.citation:q}"
        " --out={output.out:q}"
        " 2> {log}"


# What a bundle leaves out: weights, papers and data of others are not ours to publish. A run
# fetches them.
MODELS_OF_OTHERS = [name for name in MODELS if KIND[name] != "scratch"]
LEFT_OUT = [
    "results/downloads",
    *expand("results/models/{model}", model=MODELS_OF_OTHERS),
    *expand("results/claims/sources/{paper}", paper=PAPERS),
    *expand("results/claims/papers/{paper}", paper=PAPERS),
]
if config["grounding"]["data"]["source"] != "generated":
    LEFT_OUT += ["results/grounding/data", "results/grounding/pairs.jsonl"]

# All keys that override config/config.yaml in this run. Finishing the run from the bundle needs
# them.
OWN_CONFIG = {}
for layer in LAYERS:
    update_config(OWN_CONFIG, layer)


rule write_bundle:
    input:
        *rules.all.input,
        rules.ro_crate.output.out,
    output:
        **recorded(out="results/bundle.tar.gz"),
    log:
        "logs/archive/write_bundle.log",
    benchmark:
        "benchmarks/results/archive/write_bundle.tsv"
    # Only the machine where Snakemake runs has its complete records of all other jobs.
    localrule: True
    conda:
        "../envs/archive.yaml"
    params:
        code=code("scripts/archive/write_bundle.py"),
        left_out=LEFT_OUT,
        own_config=json.dumps(OWN_CONFIG),
    shell:
        f"{STEP} archive.write_bundle"
        " --results {input:q}"
        " --left-out {params.left_out:q}"
        " --own-config={params.own_config:q}"
        " --out={output.out:q}"
        " 2> {log}"
