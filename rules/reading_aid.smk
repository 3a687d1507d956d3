"""The reading aid: passages of a paper for each criterion, and a form to fill in, without a judge.

list_passages makes it for one paper. measure_reading_aid measures on planted papers which share of
the sentences on a criterion the passages have.
"""

AID_TEMPLATES = [
    *VERDICT_PAGE,
    repo("mechaware/verdicts/paper/templates/aid/reading_aid.html.j2"),
    repo("mechaware/verdicts/paper/templates/form.md.j2"),
]
# What measure_reading_aid wrote with the default config.
MEASURED_READING_AID = repo("docs/measured/claims_reading_aid.csv")
# The number of planted papers on which the reading aid is measured.
PAPERS_OF_READING_AID = 24


rule list_passages:
    input:
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        prompts=JUDGE_PROMPTS,
        rubric=rubric_of,
        recall=MEASURED_READING_AID,
        templates=AID_TEMPLATES,
    output:
        **recorded(out=directory("results/claims/reading/{paper}")),
    log:
        "logs/claims/list_passages/{paper}.log",
    benchmark:
        "benchmarks/results/claims/list_passages/{paper}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/list_passages.py"),
        contents=contents_of(
            JUDGE_PROMPTS, rubric_of, MEASURED_READING_AID, AID_TEMPLATES
        ),
        title=title_of,
    shell:
        f"{STEP} claims.list_passages"
        " --title={params.title:q}"
        " --text={input.text:q}"
        " --flags={input.flags:q}"
        " --prompts {input.prompts:q}"
        " --rubric {input.rubric:q}"
        " --recall={input.recall:q}"
        " --out={output.out:q}"
        " 2> {log}"


# Not part of the default run: docs/measured has the table that it wrote (`MEASURED_READING_AID`).
rule measure_reading_aid:
    input:
        prompts=JUDGE_PROMPTS,
        phrases=PHRASES,
    output:
        **recorded(recall="results/claims/reading_aid.csv"),
    log:
        "logs/claims/measure_reading_aid.log",
    benchmark:
        "benchmarks/results/claims/measure_reading_aid.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/measure_reading_aid.py"),
        contents=contents_of(JUDGE_PROMPTS, PHRASES),
        papers=PAPERS_OF_READING_AID,
        seed=seed_for("reading_aid"),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} claims.measure_reading_aid"
        " --prompts {input.prompts:q}"
        " --papers={params.papers:q}"
        " --seed={params.seed:q}"
        " --confidence-level={params.confidence_level:q}"
        " --recall={output.recall:q}"
        " 2> {log}"
