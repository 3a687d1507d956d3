"""mechaware: three instruments for mechanism-aware evaluation of language models, rebuilt and tested."""

from snakemake.utils import min_version

min_version("9.20")


# First, since Snakemake's own message for a broken file has no line.
include: "rules/config_files.smk"


configfile: f"{workflow.basedir}/config/config.yaml"


include: "rules/common.smk"
include: "rules/messages.smk"


report: "paper/captions/workflow.rst"


include: "rules/models.smk"
include: "rules/radar.smk"
include: "rules/memorisation.smk"
include: "rules/suspected.smk"
include: "rules/grounding.smk"
include: "rules/grounding_subjects.smk"
include: "rules/claims.smk"
include: "rules/trust.smk"
include: "rules/providers.smk"


onstart:
    from mechaware.live_line import show_live_line

    if fault := read_only("results", "logs", "benchmarks/results"):
        raise WorkflowError(fault)
    if causes := list(reasons(workflow.dag)):
        print(
            "Why jobs run:",
            *causes,
            sep="\n",
            file=sys.stderr,
        )
    show_live_line(logger, len(workflow.dag))


onerror:
    if failed := list(failures(log)):
        from tqdm import tqdm

        # Above the live line, if there is one.
        tqdm.write("\n".join(["", "What failed:", *failed]), file=sys.stderr)


STUDIES = {"radar": RADAR, "grounding": GROUNDING, "claims": CLAIMS}


include: "rules/results.smk"
include: "rules/paper.smk"
include: "rules/archive.smk"


for study in STUDIES:

    rule:
        name:
            study
        input:
            results_of(study),


rule suspected:
    input:
        SUSPECTED_RESULTS,


rule all:
    default_target: True
    input:
        [results_of(study) for study in config["studies"]],
        rules.paper.output,


rule memorisation_pretrained:
    input:
        expand(f"{MEMORISATION}/{{model}}/detectors.csv", model=PRETRAINED["models"]),


rule memorisation_smollm2:
    input:
        f"{MEMORISATION}/smollm2-135m-instruct/detectors.csv",


rule grounding_full:
    input:
        "results/grounding/full/verdict.csv",
        "results/grounding/full/reading.csv",
        "results/grounding/masked.csv",


rule grounding_ladder:
    input:
        "results/grounding/ladder.csv",
