"""One paper by a rubric of the user's own: the statuses and the verdict of each of `own_judges`.

The last rule, `claim`, is the target for the user's own paper, by a rubric or the 27 criteria.
"""

BY_RUBRIC = "results/claims/by_rubric/{judge}/{paper}"
BY_RUBRIC_TEMPLATES = [
    repo("mechaware/verdicts/by_rubric/templates/by_rubric.html.j2"),
    *VERDICT_PAGE,
]


def by_rubric_files(file):
    """A file of `own_paper` for each judge by the user's rubric; none without paper or rubric."""
    if not (OWN_PAPER and config["claims"]["own_rubric"]):
        return []
    return expand(f"{BY_RUBRIC}/{file}", judge=OWN_JUDGES, paper=OWN_PAPER.id)


def reading_flags(wildcards):
    """A param: how much of the paper is read and shown, and how runs are voted, as flags."""
    claims = config["claims"]
    settings = {
        "passages": claims["own_passages"],
        "runs": claims["runs"],
        "vote": claims["vote"],
        "max_pages": claims["reading"]["max_pages"],
    }
    return as_flags("reading-settings", settings)


rule judge_by_rubric:
    input:
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        rubric=rubric_of,
        prompts=JUDGE_PROMPTS,
        item_prompts=ITEM_PROMPTS,
        weights=judge_weights,
    output:
        **recorded(judged=f"{BY_RUBRIC}/judged.json"),
    log:
        "logs/claims/judge_by_rubric/{judge}/{paper}.log",
    benchmark:
        "benchmarks/results/claims/judge_by_rubric/{judge}/{paper}.tsv"
    wildcard_constraints:
        judge=any_regex(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=240,
    params:
        code=code("scripts/claims/judge_by_rubric.py", own=own_kind),
        contents=contents_of(rubric_of, JUDGE_PROMPTS, ITEM_PROMPTS),
        title=title_of,
        settings=judge_flags,
        claim=lookup("claims/own_claim", within=config),
        passages=lookup("claims/own_passages", within=config),
        runs=lookup("claims/runs", within=config),
        responses=lookup("claims/responses", within=config),
        attempt=attempt_of,
    shell:
        f"{STEP} claims.judge_by_rubric"
        " --title={params.title:q}"
        " --text={input.text:q}"
        " --flags={input.flags:q}"
        " --rubric={input.rubric:q}"
        " --prompts {input.prompts:q}"
        " --item-prompts {input.item_prompts:q}"
        " --weights {input.weights:q}"
        " {params.settings}"
        " --claim={params.claim:q}"
        " --passages={params.passages:q}"
        " --runs={params.runs:q}"
        " --responses={params.responses:q}"
        " --attempt={params.attempt:q}"
        " --judged={output.judged:q}"
        " 2> {log}"


rule report_by_rubric:
    input:
        judged=f"{BY_RUBRIC}/judged.json",
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        rubric=rubric_of,
        item_prompts=ITEM_PROMPTS,
        cards=OWN_CARDS,
        templates=BY_RUBRIC_TEMPLATES,
    output:
        **recorded(
            verdict=f"{BY_RUBRIC}/verdict.json",
            page=f"{BY_RUBRIC}/index.html",
            lines=f"{BY_RUBRIC}/summary.txt",
        ),
    log:
        "logs/claims/report_by_rubric/{judge}/{paper}.log",
    benchmark:
        "benchmarks/results/claims/report_by_rubric/{judge}/{paper}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/report_by_rubric.py", own=own_kind),
        contents=contents_of(rubric_of, ITEM_PROMPTS, OWN_CARDS, BY_RUBRIC_TEMPLATES),
        title=title_of,
        label=lookup("{judge}/label", within=JUDGES),
        settings=judge_flags,
        revision=lambda wildcards: revision_of(wildcards.judge),
        reading_settings=reading_flags,
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} claims.report_by_rubric"
        " --title={params.title:q}"
        " --text={input.text:q}"
        " --flags={input.flags:q}"
        " --judged={input.judged:q}"
        " --rubric={input.rubric:q}"
        " --item-prompts {input.item_prompts:q}"
        " --cards {input.cards:q}"
        " --label={params.label:q}"
        " {params.settings}"
        " --revision={params.revision:q}"
        " {params.reading_settings}"
        " --confidence-level={params.confidence_level:q}"
        " --verdict={output.verdict:q}"
        " --page={output.page:q}"
        " --lines={output.lines:q}"
        " 2> {log}"


if OWN_PAPER:

    # Print the lines of the folder $folder, a report or a reading aid.
    FOLDER_LINES = (
        'cat "$folder/summary.txt" && echo "for a review form: $folder/review.md"'
        ' && echo "open $folder/index.html"'
    )
    # Print the lines of the reading aid. If judges are configured, print only the path of its page,
    # since its summary says "not judged".
    READING_LINES = (
        'echo "passages to read: $folder/index.html"' if OWN_JUDGES else FOLDER_LINES
    )

    # A judge's verdicts come first: by the user's rubric if there is one, else by the 27 criteria.
    # The reading aid is made for any paper.
    rule claim:
        input:
            by_rubric_files("index.html"),
            by_rubric_files("verdict.json"),
            lines=by_rubric_files("summary.txt"),
            report=(
                [f"results/claims/{OWN_PAPER.id}"]
                if OWN_JUDGES and not config["claims"]["own_rubric"]
                else []
            ),
            reading=f"results/claims/reading/{OWN_PAPER.id}",
        log:
            "logs/claims/claim.log",
        localrule: True
        conda:
            "../envs/claims.yaml"
        shell:
            "(cat /dev/null {input.lines:q} || exit;"
            f" for folder in {{input.report:q}}; do {FOLDER_LINES} || exit; done;"
            f" for folder in {{input.reading:q}}; do {READING_LINES} || exit; done)"
            " 2> {log}"
