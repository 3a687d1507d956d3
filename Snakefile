"""mechaware: three instruments for mechanism-aware evaluation of language models, rebuilt and tested."""

from snakemake.utils import min_version

min_version("9.20")


configfile: f"{workflow.basedir}/config/config.yaml"


include: "rules/common.smk"


check_config()


report: "paper/captions/workflow.rst"


include: "rules/models.smk"
include: "rules/radar.smk"
include: "rules/grounding.smk"
include: "rules/claims.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"
include: "rules/paper.smk"
include: "rules/archive.smk"


rule radar:
    input:
        tables(RADAR_TABLES),
        figures(RADAR_FIGURES),


rule grounding:
    input:
        tables(GROUNDING_TABLES),
        figures(GROUNDING_FIGURES),


rule claims:
    input:
        tables(CLAIMS_TABLES),
        figures(CLAIMS_FIGURES),
        expand("results/claims/{judge}.html", judge=CLAIMS_JUDGES),


rule all:
    default_target: True
    input:
        [getattr(rules, study).input for study in STUDIES],
        rules.paper.output,
