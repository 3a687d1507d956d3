"""mechaware: three instruments for mechanism-aware evaluation of models, rebuilt and tested."""

import sys
from time import time

from snakemake.utils import min_version

min_version("9.20")
STARTED = time()


# First, since Snakemake's own message for a broken file has no line.
include: "rules/config_files.smk"
include: "rules/common.smk"


from snakemake.logging import logger as messages  # noqa: E402
from mechaware.core.job_messages import ReadableJobs  # noqa: E402
from mechaware.core.git_repository import git_fault  # noqa: E402

# Otherwise a job that reads all results of a study is a line of thousands of characters, in a dry
# run and in a run.
if workflow.modifier.is_main_snakefile():
    messages.addFilter(ReadableJobs())


report: "paper/captions/workflow.rst"


# The first rule is the default target. `default_target` would make it the default of a workflow
# that uses this one as a module, too.
rule all:
    input:
        lambda wildcards: [
            path for study in config["studies"] for path in results_of(study)
        ],
        lambda wildcards: rules.paper.output,
        lambda wildcards: rules.draw_cards.output,


include: "rules/models.smk"
include: "rules/radar.smk"
include: "rules/memorisation.smk"
include: "rules/docstrings.smk"
include: "rules/names_and_docstrings.smk"
include: "rules/pretrained.smk"
include: "rules/suspected.smk"
include: "rules/grounding.smk"
include: "rules/schema_needed.smk"
include: "rules/claims.smk"
include: "rules/reading_aid.smk"
include: "rules/trust.smk"
include: "rules/judge_cards.smk"
include: "rules/by_rubric.smk"
include: "rules/providers.smk"
include: "rules/cards.smk"
include: "rules/demo.smk"


onstart:
    if fault := read_only("results", "logs", "benchmarks/results"):
        raise WorkflowError(fault)
    if (fault := git_fault()) and not INSTALLED:
        remedy = f"; {fault.remedy}" if fault.remedy else ""
        note = (
            f"{REPOSITORY}: {fault.reason}, "
            f"so the records of results will name no commit{remedy}"
        )
        print(note, file=sys.stderr)


onerror:
    # With `--quiet rules` or `--quiet all` Snakemake names neither the failed job nor its log.
    hidden = {level.name for level in workflow.output_settings.quiet or ()}
    if hidden & {"RULES", "ALL"}:
        unknown = ["a job failed; run again without --quiet to see which"]
        for line in messages_of_failed_commands(STARTED) or unknown:
            print(line, file=sys.stderr)


onsuccess:
    guide = Path("results/README.md")
    if guide.exists() and guide.stat().st_mtime > STARTED:  # by this run
        print(f"open {guide}, which names what to look at first")


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


rule cards:
    input:
        rules.draw_cards.output,


rule suspected:
    input:
        SUSPECTED_RESULTS,
        lines=SUSPECTED_LINES,
    log:
        "logs/radar/suspected.log",
    localrule: True
    conda:
        "envs/stats.yaml"
    shell:
        "cat /dev/null {input.lines:q} 2> {log}"


rule pairs:
    input:
        TASK_RESULTS,
        lines=TASK_LINES,
    log:
        "logs/grounding/pairs.log",
    localrule: True
    conda:
        "envs/stats.yaml"
    shell:
        "cat /dev/null {input.lines:q} 2> {log}"


rule passages:
    input:
        PASSAGES_RESULTS,
        lines=PASSAGES_LINES,
    log:
        "logs/grounding/passages.log",
    localrule: True
    conda:
        "envs/stats.yaml"
    shell:
        "cat /dev/null {input.lines:q} 2> {log}"


rule judge_card:
    input:
        JUDGE_CARD_RESULTS,
        lines=JUDGE_CARD_LINES,
    log:
        "logs/claims/judge_card.log",
    localrule: True
    conda:
        "envs/claims.yaml"
    shell:
        "cat /dev/null {input.lines:q} 2> {log}"


rule memorisation_pretrained:
    input:
        expand(
            f"{MEMORISATION}/{{model}}/{{plant}}detectors.csv",
            model=PRETRAINED["models"],
            plant=["", "natural/"],
        ),
        f"{MEMORISATION}/pretrained_rates.csv",


rule memorisation_smollm2:
    input:
        f"{MEMORISATION}/smollm2-135m-instruct/detectors.csv",


rule logit_lens_smollm2:
    input:
        f"{MEMORISATION}/smollm2-135m-instruct/lens.csv",
