"""The claims study: judges score papers, and planted papers with a known truth score the judges.

The files in results/claims, each after those that it is made from; their rules are in brackets:

    sources/{paper}     a paper of config/papers.csv (fetch_paper), or a planted paper with its
                        truth (write_planted_papers, which also makes its text)
    -> papers/{paper}   the paper's text, and flags such as hidden text (extract_text)
    -> judgements/{judge}/{paper}
                        the runs of a judge, their vote, the audits and the scores (judge_paper)
    -> summary          tables of all papers, runs, claims and criteria (summarise_claims)
    -> {judge}.html     the page of a judge (draw_page)

    procedures.json     how each judge comes to a verdict (write_procedures)

    judgements, summary, procedures.json
    -> calibration.csv  how often verdicts by each procedure are wrong on planted papers
                        (calibrate_judges)

    judgements, procedures.json
    -> {paper}          the report on one paper, with the error rates of the committed calibration
                        (report_paper)

A user's own paper is judged by `own_judges`. What a paper needs without a judge is in
reading_aid.smk, and a user's rubric in by_rubric.smk. Here `judge_paper` asks only the judges of
`OFFLINE_JUDGES`; providers.smk repeats it for those that ask, or may ask, a provider (`PROVIDERS`).

Functions and lists that are not defined here come from config_files.smk and common.smk.
"""

import json

from mechaware.instruments.claims.fetching.papers import planted_ids
from mechaware.instruments.claims.judges.kinds import KINDS, kind_named
from mechaware.instruments.claims.judges.settings import read_key

RUNS_OF_A_PAPER = range(config["claims"]["runs"])
PLANTED = planted_ids(config["claims"]["planted_papers"])
CLAIMS_PAPERS = [*config["claims"]["papers"], *PLANTED]
CLAIMS_JUDGES = config["claims"]["judges"]
JUDGE_LABELS = values_by_name(JUDGES, CLAIMS_JUDGES, "label")

PAPERS_CSV = repo("config/papers.csv")
JUDGE_PROMPTS = [
    repo(path)
    for path in sorted(
        (REPOSITORY / "config/judge_prompts" / config["claims"]["prompts"]).glob("*.*")
    )
]
PHRASES = repo("mechaware/planted/papers/phrases.yaml")
SUMMARY = "results/claims/summary"
SUMMARY_TABLES = [
    "papers",
    "runs",
    "claims",
    "criteria",
    "truth",
    "levels",
    "usage",
]
PAGE_TEMPLATES = [
    repo(f"mechaware/verdicts/paper/templates/{name}")
    for name in ("page.html.j2", "text.html.j2", "page.css", "page.js")
]
PAGE_TEMPLATES += VERDICT_ANSWER
REVIEW_TEMPLATE = repo("mechaware/verdicts/paper/templates/review.md.j2")

# How often the judges of the default run were right on planted papers. The report on a paper shows
# it, so that its judges need not judge planted papers first.
MEASURED_JUDGES = repo("docs/measured/claims_planted.csv")
# How often the verdicts of judges were wrong in the reported run, by procedure.
JUDGES_CALIBRATION = repo("config/calibration/judges.csv")
# Files in which the user has measured judges. A file's name tells its content: criteria.csv of the
# trust study, calibration.csv of the verdict, verdict.json of a judge's card on labelled items (for
# a paper by the user's rubric), and any other name for a table like claims_planted.csv.
OWN_TABLES = [str(Path(path).expanduser()) for path in config["claims"]["measured"]]
OWN_TRUST = [path for path in OWN_TABLES if Path(path).name == "criteria.csv"]
OWN_CALIBRATION = [path for path in OWN_TABLES if Path(path).name == "calibration.csv"]
OWN_CARDS = [path for path in OWN_TABLES if Path(path).name == "verdict.json"]
OWN_MEASURED = [
    path
    for path in OWN_TABLES
    if path not in (*OWN_TRUST, *OWN_CALIBRATION, *OWN_CARDS)
]


wildcard_constraints:
    judge=any_regex(JUDGES),
    paper=any_regex([*PAPERS, *PLANTED]),


# Judges. An embedded judge is a model that this machine runs; its kind has `local_model`.


def kind_of(judge):
    """The kind of a judge, with the properties that the workflow reads."""
    return kind_named(JUDGES[judge]["kind"])


PROVIDERS = [name for name in JUDGES if kind_of(name).over_network]
OFFLINE_JUDGES = [name for name in JUDGES if name not in PROVIDERS]


def own_kind(wildcards):
    """A tuple with the dotted name of the kind of the wildcard's judge, if the kind is from the
    user's own package; else the empty tuple.
    """
    kind = JUDGES[wildcards.judge]["kind"]
    return () if kind in KINDS else (kind,)


def flags_of_judge(judge):
    """A judge's settings as flags of a command."""
    settings = {"name": judge, **JUDGES[judge]}
    settings.pop("label")
    return as_flags("settings", settings)


def judge_flags(wildcards):
    """A param: the settings of the wildcard's judge as flags of a command."""
    return flags_of_judge(wildcards.judge)


def entry_of(judge):
    """A judge's entry without its label, as JSON."""
    entry = {key: value for key, value in JUDGES[judge].items() if key != "label"}
    return json.dumps(entry, sort_keys=True)


def revision_of(judge):
    """The SHA-256 of the weights of an embedded judge; empty for any other."""
    return (
        MODELS[JUDGES[judge]["model"]]["sha256"] if kind_of(judge).local_model else ""
    )


def attempt_of(wildcards):
    """A param: the attempt. A higher one asks again for replies that were missing or unusable.

    A judge on this machine is asked once: it gives the same reply to the same question.
    """
    return config["claims"]["attempt"] if kind_of(wildcards.judge).over_network else 1


def end_without_key(judge):
    """End the command in one line, before any job, if this judge has jobs in the plan and no key.

    A judge with kept replies or judgements needs no key, because a finished study is replayed
    without one. The command ends with `sys.exit`, because Snakemake would print an error over
    several lines, with a traceback.
    """
    kept = (config["claims"]["responses"], "results/claims/judgements")
    if any(os.path.exists(f"{folder}/{judge}") for folder in kept):
        return
    try:
        read_key(judge, JUDGES[judge].get("api_key_env"))
    except UserError as error:
        sys.exit(f"error: {error}")


def weights_of(judge):
    """The weights of an embedded judge, or none. Ends the command for a judge without its key."""
    end_without_key(judge)
    if not kind_of(judge).local_model:
        return []
    return f"results/downloads/{JUDGES[judge]['model']}.gguf"


def judge_weights(wildcards):
    """An input: the weights of the wildcard's judge (`weights_of`)."""
    return weights_of(wildcards.judge)


def measures_trust(judge):
    """Whether the default run measures a judge's trust.

    It does if the judge asks no provider, or if the config names it among `paid_judges`; for
    embedded judges the config decides by `embedded_edits`.
    """
    trust = config["claims"]["trust"]
    kind = kind_of(judge)
    if kind.local_model:
        return trust["embedded_edits"] > 0
    return not kind.over_network or judge in trust["paid_judges"]


TRUSTED = [judge for judge in CLAIMS_JUDGES if measures_trust(judge)]
CLAIMS = Study(
    title="Claim validity",
    wildcards={"trusted": [*TRUSTED, "controls"]},
    parameters={"judge_labels": JUDGE_LABELS},
    environments={"figures": "claims", "tables": "claims"},
    pages=[
        *expand("results/claims/{judge}.html", judge=CLAIMS_JUDGES),
        *expand("results/claims/trust/{judge}", judge=TRUSTED),
        "results/claims/calibration.csv",
    ],
)


def trust_report(wildcards):
    """An input: the report on a judge's trust, if the default run measures it; else none."""
    folder = f"results/claims/trust/{wildcards.judge}"
    return [folder] if wildcards.judge in TRUSTED else []


# Papers of the study, and their judgements.


def papers_of(judge):
    """The papers that a judge reads; of the planted papers, an embedded judge reads only the first
    `embedded_planted_papers`.
    """
    if not kind_of(judge).local_model:
        return CLAIMS_PAPERS
    planted = PLANTED[: config["claims"]["embedded_planted_papers"]]
    return [*config["claims"]["papers"], *planted]


def judgements(file, judges=CLAIMS_JUDGES):
    """The files named `file`, one for each judge and each paper that this judge reads."""
    return [
        f"results/claims/judgements/{judge}/{paper}/{file}"
        for judge in judges
        for paper in papers_of(judge)
    ]


def judgements_of_judge(file):
    """An input: the files named `file`, one for each paper that the wildcard's judge reads."""
    return lambda wildcards: judgements(file, [wildcards.judge])


def flags_of_papers(wildcards):
    """An input: the flags of every paper that the wildcard's judge reads."""
    return expand(
        "results/claims/papers/{paper}/flags.json", paper=papers_of(wildcards.judge)
    )


def judged_runs():
    """The files of all runs: run 0 of each judge and each paper that it reads, then run 1, ..."""
    paths = []
    for run in RUNS_OF_A_PAPER:
        paths += judgements(f"run-{run}.json")
    return paths


def summary_tables(*names):
    """The files of the summary's tables."""
    return [f"{SUMMARY}/{name}.parquet" for name in names]


def local_paper(wildcards):
    """An input: the file of a paper with source `file`, so that a changed file reruns what uses it.

    Other papers have none, and neither has a paper whose file is missing: the command refuses the
    missing file, with its name.
    """
    paper = PAPERS[wildcards.paper]
    path = Path(paper.location).expanduser()
    return str(path) if paper.source == "file" and path.exists() else []


def truth_of(wildcards):
    """An input: the truth of a planted paper; none for any other paper."""
    if wildcards.paper not in PLANTED:
        return []
    return [f"results/claims/sources/{wildcards.paper}.truth.json"]


def title_of(wildcards):
    """A param: a paper's title, or its id if the list has no title."""
    paper = PAPERS.get(wildcards.paper)
    return paper.title if paper and paper.title else wildcards.paper


# The report on one paper. Its judges are the study's, or for the user's own paper `own_judges`, if
# the config names any.


def procedures_of(wildcards):
    """The stem of the file with the procedures of the judges of the wildcard's paper.

    It is `own_procedures` if the paper is `own_paper` and has `own_judges`, else `procedures`.
    """
    is_own = OWN_PAPER is not None and wildcards.get("paper") == OWN_PAPER.id
    return "own_procedures" if is_own and OWN_JUDGES else "procedures"


def judges_of(wildcards):
    """The judges of the wildcard's paper, or those of the wildcard `procedures`."""
    procedures = wildcards.get("procedures") or procedures_of(wildcards)
    return OWN_JUDGES if procedures == "own_procedures" else CLAIMS_JUDGES


def own_kinds(wildcards):
    """The dotted names of the kinds of `judges_of` that are of the user's own package."""
    kinds = [JUDGES[judge]["kind"] for judge in judges_of(wildcards)]
    return tuple(kind for kind in kinds if kind not in KINDS)


def settings_of_judges(wildcards):
    """A param: for each of `judges_of` two words, its name and its entry (`entry_of`).

    A function, since Snakemake would look for wildcards in a text with braces.
    """
    words = []
    for judge in judges_of(wildcards):
        words += [judge, entry_of(judge)]
    return words


def revisions_of_judges(wildcards):
    """A param: for each embedded judge of `judges_of` its name and the SHA-256 of its weights."""
    words = []
    for judge in judges_of(wildcards):
        if kind_of(judge).local_model:
            words += [judge, revision_of(judge)]
    return words


def file_of_each_judge(pattern):
    """An input: a file of the wildcard's paper for each of `judges_of`."""
    return lambda wildcards: expand(
        pattern, judge=judges_of(wildcards), paper=wildcards.paper
    )


def labels_of_judges(wildcards):
    """A param: name and label of each of `judges_of`, as words of a flag."""
    return values_by_name(JUDGES, judges_of(wildcards), "label")


def rule_judges(wildcards):
    """A param: the judges in `judges_of` that judge by rules, so that all their runs are equal."""
    return [name for name in judges_of(wildcards) if kind_of(name).by_rules]


def rubric_of(wildcards):
    """An input: the user's rubric for `own_paper`; none for other papers or without a rubric."""
    is_own = OWN_PAPER is not None and wildcards.paper == OWN_PAPER.id
    rubric = config["claims"]["own_rubric"]
    return str(Path(rubric).expanduser()) if is_own and rubric else []


rule fetch_paper:
    input:
        local=local_paper,
    output:
        **recorded(out=directory("results/claims/sources/{paper}")),
    log:
        "logs/claims/fetch_paper/{paper}.log",
    benchmark:
        "benchmarks/results/claims/fetch_paper/{paper}.tsv"
    wildcard_constraints:
        paper=any_regex(PAPERS),
    # The command makes its own attempts, and knows which errors are final.
    retries: 0
    localrule: True
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/fetch_paper.py"),
        contents=contents_of(local_paper),
        source=lambda wildcards: PAPERS[wildcards.paper].source,
        location=lambda wildcards: PAPERS[wildcards.paper].location,
        title=lambda wildcards: PAPERS[wildcards.paper].title,
        max_bytes=lookup("claims/fetching/max_bytes", within=config),
        timeout_s=lookup("claims/fetching/timeout_s", within=config),
        attempts=lookup("claims/fetching/attempts", within=config),
        allow_private_addresses=lookup(
            "claims/fetching/allow_private_addresses", within=config
        ),
    shell:
        f"{STEP} claims.fetch_paper"
        " --source={params.source:q}"
        " --location={params.location:q}"
        " --title={params.title:q}"
        " --max-bytes={params.max_bytes:q}"
        " --timeout-s={params.timeout_s:q}"
        " --attempts={params.attempts:q}"
        " --allow-private-addresses={params.allow_private_addresses:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule write_planted_papers:
    input:
        phrases=PHRASES,
    output:
        **recorded(
            papers=directory(expand("results/claims/sources/{paper}", paper=PLANTED)),
            truths=expand("results/claims/sources/{paper}.truth.json", paper=PLANTED),
            texts=expand("results/claims/papers/{paper}/text.txt", paper=PLANTED),
            flags=expand("results/claims/papers/{paper}/flags.json", paper=PLANTED),
        ),
    log:
        "logs/claims/write_planted_papers.log",
    benchmark:
        "benchmarks/results/claims/write_planted_papers.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("scripts/claims/write_planted_papers.py"),
        contents=contents_of(PHRASES),
        seed=seed_for("write_planted_papers"),
        max_pages=lookup("claims/reading/max_pages", within=config),
        memory_mb=lookup("claims/reading/memory_mb", within=config),
        timeout_s=lookup("claims/reading/timeout_s", within=config),
    shell:
        f"{STEP} claims.write_planted_papers"
        " --seed={params.seed:q}"
        " --max-pages={params.max_pages:q}"
        " --memory-mb={params.memory_mb:q}"
        " --timeout-s={params.timeout_s:q}"
        " --papers {output.papers:q}"
        " --truths {output.truths:q}"
        " --texts {output.texts:q}"
        " --flags {output.flags:q}"
        " 2> {log}"


rule extract_text:
    input:
        source="results/claims/sources/{paper}",
    output:
        **recorded(
            text="results/claims/papers/{paper}/text.txt",
            flags="results/claims/papers/{paper}/flags.json",
        ),
    log:
        "logs/claims/extract_text/{paper}.log",
    benchmark:
        "benchmarks/results/claims/extract_text/{paper}.tsv"
    wildcard_constraints:
        paper=any_regex(PAPERS),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=15,
    params:
        code=code("scripts/claims/extract_text.py"),
        paper="{paper}",
        max_pages=lookup("claims/reading/max_pages", within=config),
        memory_mb=lookup("claims/reading/memory_mb", within=config),
        timeout_s=lookup("claims/reading/timeout_s", within=config),
    shell:
        f"{STEP} claims.extract_text"
        " --source={input.source:q}"
        " --paper={params.paper:q}"
        " --max-pages={params.max_pages:q}"
        " --memory-mb={params.memory_mb:q}"
        " --timeout-s={params.timeout_s:q}"
        " --text={output.text:q}"
        " --flags={output.flags:q}"
        " 2> {log}"


rule judge_paper:
    input:
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
    output:
        **recorded(
            runs=expand(
                "results/claims/judgements/{{judge}}/{{paper}}/run-{run}.json",
                run=RUNS_OF_A_PAPER,
            ),
            voted="results/claims/judgements/{judge}/{paper}/voted.json",
            audited="results/claims/judgements/{judge}/{paper}/audited.json",
            scores="results/claims/judgements/{judge}/{paper}/scores.json",
        ),
    log:
        "logs/claims/judge_paper/{judge}/{paper}.log",
    benchmark:
        "benchmarks/results/claims/judge_paper/{judge}/{paper}.tsv"
    wildcard_constraints:
        judge=any_regex(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=120,
    params:
        code=code("scripts/claims/judge_paper.py", own=own_kind),
        contents=contents_of(JUDGE_PROMPTS),
        settings=judge_flags,
        vote=lookup("claims/vote", within=config),
        claims_found=lookup("claims/claims_found", within=config),
        least_similarity=lookup("claims/least_similarity", within=config),
        leak_audit=lookup("claims/leak_audit", within=config),
        devils_advocate=lookup("claims/devils_advocate", within=config),
        responses=lookup("claims/responses", within=config),
        attempt=attempt_of,
        # If the config is changed to fewer runs, all outputs exist already, but the vote differs:
        # only this param shows that the job has to run again.
        runs_of_a_paper=len(RUNS_OF_A_PAPER),
    shell:
        f"{STEP} claims.judge_paper"
        " --text={input.text:q}"
        " --flags={input.flags:q}"
        " --prompts {input.prompts:q}"
        " --weights {input.weights:q}"
        " {params.settings}"
        " --vote={params.vote:q}"
        " --claims-found={params.claims_found:q}"
        " --least-similarity={params.least_similarity:q}"
        " --leak-audit={params.leak_audit:q}"
        " --devils-advocate={params.devils_advocate:q}"
        " --responses={params.responses:q}"
        " --attempt={params.attempt:q}"
        " --runs {output.runs:q}"
        " --voted={output.voted:q}"
        " --audited={output.audited:q}"
        " --scores={output.scores:q}"
        " 2> {log}"


rule summarise_claims:
    input:
        scores=judgements("scores.json"),
        voted=judgements("voted.json"),
        runs=judged_runs(),
        truth=expand("results/claims/sources/{paper}.truth.json", paper=PLANTED),
        papers=PAPERS_CSV,
    output:
        **recorded(tables=summary_tables(*SUMMARY_TABLES)),
    log:
        "logs/claims/summarise_claims.log",
    benchmark:
        "benchmarks/results/claims/summarise_claims.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/summarise_claims.py"),
        contents=contents_of(PAPERS_CSV),
        least_similarity=lookup("claims/least_similarity", within=config),
    shell:
        f"{STEP} claims.summarise_claims"
        " --scores {input.scores:q}"
        " --voted {input.voted:q}"
        " --runs {input.runs:q}"
        " --truth {input.truth:q}"
        " --papers={input.papers:q}"
        " --least-similarity={params.least_similarity:q}"
        " --tables {output.tables:q}"
        " 2> {log}"


rule write_procedures:
    input:
        prompts=JUDGE_PROMPTS,
    output:
        **recorded(procedures="results/claims/{procedures}.json"),
    log:
        "logs/claims/write_procedures/{procedures}.log",
    benchmark:
        "benchmarks/results/claims/write_procedures/{procedures}.tsv"
    wildcard_constraints:
        procedures="procedures|own_procedures",
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/write_procedures.py", own=own_kinds),
        contents=contents_of(JUDGE_PROMPTS),
        judge_settings=settings_of_judges,
        revisions=revisions_of_judges,
        vote=lookup("claims/vote", within=config),
        claims_found=lookup("claims/claims_found", within=config),
        least_similarity=lookup("claims/least_similarity", within=config),
        leak_audit=lookup("claims/leak_audit", within=config),
        devils_advocate=lookup("claims/devils_advocate", within=config),
        runs_of_a_paper=len(RUNS_OF_A_PAPER),
        max_pages=lookup("claims/reading/max_pages", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} claims.write_procedures"
        " --prompts {input.prompts:q}"
        " --judge-settings {params.judge_settings:q}"
        " --revisions {params.revisions:q}"
        " --vote={params.vote:q}"
        " --claims-found={params.claims_found:q}"
        " --least-similarity={params.least_similarity:q}"
        " --leak-audit={params.leak_audit:q}"
        " --devils-advocate={params.devils_advocate:q}"
        " --runs={params.runs_of_a_paper:q}"
        " --max-pages={params.max_pages:q}"
        " --confidence-level={params.confidence_level:q}"
        " --procedures={output.procedures:q}"
        " 2> {log}"


rule calibrate_judges:
    input:
        scores=judgements("scores.json"),
        truth=expand("results/claims/sources/{paper}.truth.json", paper=PLANTED),
        flags=expand("results/claims/papers/{paper}/flags.json", paper=PLANTED),
        summary=summary_tables("papers", "runs", "criteria", "levels"),
        procedures="results/claims/procedures.json",
    output:
        **recorded(calibration="results/claims/calibration.csv"),
    log:
        "logs/claims/calibrate_judges.log",
    benchmark:
        "benchmarks/results/claims/calibrate_judges.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/calibrate_judges.py"),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} claims.calibrate_judges"
        " --scores {input.scores:q}"
        " --truth {input.truth:q}"
        " --flags {input.flags:q}"
        " --summary {input.summary:q}"
        " --procedures={input.procedures:q}"
        " --confidence-level={params.confidence_level:q}"
        " --calibration={output.calibration:q}"
        " 2> {log}"


rule draw_page:
    input:
        scores=judgements_of_judge("scores.json"),
        voted=judgements_of_judge("voted.json"),
        audited=judgements_of_judge("audited.json"),
        flags=flags_of_papers,
        papers=PAPERS_CSV,
        summary=f"{SUMMARY}/papers.parquet",
        prompts=JUDGE_PROMPTS,
        planted="results/tables/claims_planted.csv",
        trust=trust_report,
        templates=PAGE_TEMPLATES,
    output:
        **recorded(out="results/claims/{judge}.html"),
    log:
        "logs/claims/draw_page/{judge}.log",
    benchmark:
        "benchmarks/results/claims/draw_page/{judge}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/draw_page.py"),
        contents=contents_of(PAPERS_CSV, JUDGE_PROMPTS, PAGE_TEMPLATES),
        judge="{judge}",
        label=lookup("{judge}/label", within=JUDGES),
        rules=lambda wildcards: kind_of(wildcards.judge).by_rules,
    shell:
        f"{STEP} claims.draw_page"
        " --judge={params.judge:q}"
        " --label={params.label:q}"
        " --scores {input.scores:q}"
        " --voted {input.voted:q}"
        " --audited {input.audited:q}"
        " --flags {input.flags:q}"
        " --papers={input.papers:q}"
        " --summary={input.summary:q}"
        " --prompts {input.prompts:q}"
        " --planted={input.planted:q}"
        " --trust {input.trust:q}"
        " --rules={params.rules:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule report_paper:
    input:
        scores=file_of_each_judge(
            "results/claims/judgements/{judge}/{paper}/scores.json"
        ),
        voted=file_of_each_judge("results/claims/judgements/{judge}/{paper}/voted.json"),
        audited=file_of_each_judge(
            "results/claims/judgements/{judge}/{paper}/audited.json"
        ),
        flags="results/claims/papers/{paper}/flags.json",
        text="results/claims/papers/{paper}/text.txt",
        truth=truth_of,
        prompts=JUDGE_PROMPTS,
        planted=[MEASURED_JUDGES, *OWN_MEASURED],
        criteria=OWN_TRUST,
        calibration=[JUDGES_CALIBRATION, *OWN_CALIBRATION],
        procedures=lambda wildcards: f"results/claims/{procedures_of(wildcards)}.json",
        templates=[*PAGE_TEMPLATES, REVIEW_TEMPLATE],
    output:
        **recorded(out=directory("results/claims/{paper}")),
    log:
        "logs/claims/report_paper/{paper}.log",
    benchmark:
        "benchmarks/results/claims/report_paper/{paper}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/report_paper.py"),
        contents=contents_of(
            JUDGE_PROMPTS,
            MEASURED_JUDGES,
            OWN_MEASURED,
            OWN_TRUST,
            JUDGES_CALIBRATION,
            OWN_CALIBRATION,
            PAGE_TEMPLATES,
            REVIEW_TEMPLATE,
        ),
        title=title_of,
        judge_labels=labels_of_judges,
        rule_judges=rule_judges,
        least_similarity=lookup("claims/least_similarity", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} claims.report_paper"
        " --title={params.title:q}"
        " --truth {input.truth:q}"
        " --least-similarity={params.least_similarity:q}"
        " --scores {input.scores:q}"
        " --voted {input.voted:q}"
        " --audited {input.audited:q}"
        " --flags={input.flags:q}"
        " --text={input.text:q}"
        " --prompts {input.prompts:q}"
        " --planted {input.planted:q}"
        " --criteria {input.criteria:q}"
        " --calibration {input.calibration:q}"
        " --procedures={input.procedures:q}"
        " --judge-labels {params.judge_labels:q}"
        " --rule-judges {params.rule_judges:q}"
        " --confidence-level={params.confidence_level:q}"
        " --out={output.out:q}"
        " 2> {log}"
