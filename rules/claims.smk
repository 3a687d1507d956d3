"""The claims study: from the sources of papers to texts, judgements, votes, audits and scores."""

from mechaware.claims.fetching.papers import planted_ids
from mechaware.claims.judges.kinds import KINDS, kind_named
from mechaware.claims.judges.settings import read_key

RUNS_OF_A_PAPER = range(config["claims"]["runs"])
CLAIMS_JUDGES = config["claims"]["judges"]


def kind_of(judge):
    """What the workflow must know of a judge's kind."""
    return kind_named(JUDGES[judge]["kind"])


def own_kind(wildcards):
    """The dotted name of a judge's kind, if it is of the user's own package."""
    kind = JUDGES[wildcards.judge]["kind"]
    return () if kind in KINDS else (kind,)


PROVIDERS = [name for name in JUDGES if kind_of(name).over_network]
OFFLINE_JUDGES = [name for name in JUDGES if name not in PROVIDERS]
PLANTED = planted_ids(config["claims"]["planted_papers"])
CLAIMS_PAPERS = [*config["claims"]["papers"], *PLANTED]
PAPERS_CSV = repo("config/papers.csv")
JUDGE_PROMPTS = [
    repo(path)
    for path in sorted(
        (REPOSITORY / "config/judge_prompts" / config["claims"]["prompts"]).glob("*.*")
    )
]
SUMMARY = "results/claims/summary"
SUMMARY_TABLES = [
    "papers",
    "runs",
    "spread",
    "claims",
    "criteria",
    "truth",
    "levels",
    "usage",
]
PAGE_TEMPLATES = [
    repo(f"mechaware/claims/page/templates/{name}")
    for name in ("page.html.j2", "text.html.j2", "page.css", "page.js")
]
JUDGE_LABELS = values_by_name(JUDGES, CLAIMS_JUDGES, "label")
# What the judges of the default run got right, for the report of a paper that is judged without planted papers.
MEASURED_JUDGES = repo("docs/measured/claims_planted.csv")


def existing(*names):
    """Those of some results that are there. By absolute path: as the output of a rule each would be made anew."""
    return [*filter(os.path.exists, map(os.path.abspath, names))]


wildcard_constraints:
    judge=one_of(JUDGES),
    paper=one_of([*PAPERS, *PLANTED]),


def measures_trust(judge):
    """Whether the default run measures a judge's trust: if it costs nothing, or if the config names it."""
    trust, kind = config["claims"]["trust"], kind_of(judge)
    if kind.local_model:
        return trust["embedded_edits"] > 0
    return not kind.over_network or judge in trust["paid_judges"]


TRUSTED = [judge for judge in CLAIMS_JUDGES if measures_trust(judge)]
CLAIMS = Study(
    title="Claim validity",
    wildcards={"trusted": [*TRUSTED, "controls"]},
    given={"judge_labels": JUDGE_LABELS},
    environments={"figures": "claims", "tables": "claims"},
    pages=[
        *expand("results/claims/{judge}.html", judge=CLAIMS_JUDGES),
        *expand("results/claims/trust/{judge}", judge=TRUSTED),
    ],
)


def trust_report(wildcards):
    """The report on a judge's trust: made if the default run measures it, otherwise taken if it is there."""
    folder = f"results/claims/trust/{wildcards.judge}"
    return [folder] if wildcards.judge in TRUSTED else existing(folder)


def papers_of(judge):
    """The papers that a judge reads: all, but an embedded one reads only the first of the planted papers."""
    if not kind_of(judge).local_model:
        return CLAIMS_PAPERS
    planted = PLANTED[: config["claims"]["embedded_planted_papers"]]
    return [*config["claims"]["papers"], *planted]


def judgements(file, judges=CLAIMS_JUDGES):
    """A file of every paper that each of the judges reads."""
    return [
        f"results/claims/judgements/{judge}/{paper}/{file}"
        for judge in judges
        for paper in papers_of(judge)
    ]


def by_the_judge_and_own(file):
    """As `by_the_judge`, and the file of the config's own paper."""
    own = [OWN_PAPER.id] if OWN_PAPER else []
    return lambda wildcards: [
        *judgements(file, [wildcards.judge]),
        *(
            f"results/claims/judgements/{wildcards.judge}/{paper}/{file}"
            for paper in own
        ),
    ]


def by_the_judge(file):
    """An input: a file of every paper that the wildcard's judge reads."""
    return lambda wildcards: judgements(file, [wildcards.judge])


def summary_tables(*names):
    """The files of the summary's tables."""
    return [f"{SUMMARY}/{name}.csv" for name in names]


def local_paper(wildcards):
    """The file of a paper with source `file`, so that a changed file reruns what uses it. The command names a missing one."""
    paper = PAPERS[wildcards.paper]
    path = Path(paper.location).expanduser()
    return str(path) if paper.source == "file" and path.exists() else []


def title_of(wildcards):
    """A paper's title, or its id if the list has no title."""
    paper = PAPERS.get(wildcards.paper)
    return paper.title if paper and paper.title else wildcards.paper


def end_without_key(judge):
    """End the command in one line, before any job, if jobs of this judge are in the plan and its key is not set.

    A judge with kept replies or judgements needs none: a finished study is replayed without. Snakemake would print an
    error over several lines, with a traceback.
    """
    kept = (config["claims"]["responses"], "results/claims/judgements")
    if existing(*(f"{folder}/{judge}" for folder in kept)):
        return
    try:
        read_key(judge, JUDGES[judge].get("api_key_env"))
    except UserError as error:
        sys.exit(f"error: {error}")


def judge_weights(wildcards):
    """The weights of an embedded judge. Ends the command for a judge without its key."""
    end_without_key(wildcards.judge)
    if not kind_of(wildcards.judge).local_model:
        return []
    return f"results/downloads/{JUDGES[wildcards.judge]['model']}.gguf"


def judge_flags(wildcards):
    """A param: the judge's settings as flags of a command."""
    settings = {"name": wildcards.judge, **JUDGES[wildcards.judge]}
    settings.pop("label")
    return " ".join(
        f"--settings.{key.replace('_', '-')} {shlex.quote(str(value))}"
        for key, value in settings.items()
    )


rule fetch_paper:
    input:
        local=local_paper,
    output:
        source=directory("results/claims/sources/{paper}"),
        provenance="results/claims/sources/{paper}.provenance.json",
    log:
        "logs/claims/fetch_paper/{paper}.log",
    benchmark:
        "benchmarks/results/claims/fetch_paper/{paper}.tsv"
    wildcard_constraints:
        paper=one_of(PAPERS),
    retries: 0  # the command makes its own attempts, and knows which errors are final
    localrule: True
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/fetch_paper.py"),
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
        f"{ENVIRONMENT} python -m scripts.claims.fetch_paper "
        "--source {params.source} --location={params.location:q} "
        "--title={params.title:q} --max-bytes {params.max_bytes} --timeout-s {params.timeout_s} "
        "--attempts {params.attempts} --allow-private-addresses {params.allow_private_addresses} "
        "--out {output.source} 2> {log}"


rule write_planted_papers:
    input:
        phrases=repo("mechaware/claims/planting/phrases.yaml"),
    output:
        papers=directory(expand("results/claims/sources/{paper}", paper=PLANTED)),
        truth=expand("results/claims/sources/{paper}.truth.json", paper=PLANTED),
        provenance=expand(
            "results/claims/sources/{paper}{part}.provenance.json",
            paper=PLANTED,
            part=["", ".truth"],
        ),
    log:
        "logs/claims/write_planted_papers.log",
    benchmark:
        "benchmarks/results/claims/write_planted_papers.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/write_planted_papers.py"),
        seed=seed_for("write_planted_papers"),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.write_planted_papers "
        "--seed {params.seed} --out {output.papers} --truths {output.truth} 2> {log}"


rule extract_text:
    input:
        source="results/claims/sources/{paper}",
    output:
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        provenance=expand(
            "results/claims/papers/{{paper}}/{name}.provenance.json",
            name=["text", "flags"],
        ),
    log:
        "logs/claims/extract_text/{paper}.log",
    benchmark:
        "benchmarks/results/claims/extract_text/{paper}.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=15,
    params:
        code=code("scripts/claims/extract_text.py"),
        max_pages=lookup("claims/reading/max_pages", within=config),
        memory_mb=lookup("claims/reading/memory_mb", within=config),
        timeout_s=lookup("claims/reading/timeout_s", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.extract_text "
        "--source {input.source:q} --paper {wildcards.paper} "
        "--max-pages {params.max_pages} --memory-mb {params.memory_mb} --timeout-s {params.timeout_s} "
        "--out {output.text} {output.flags} 2> {log}"


rule extract_claims:
    input:
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
    output:
        runs=expand(
            "results/claims/judgements/{{judge}}/{{paper}}/run-{run}.json",
            run=RUNS_OF_A_PAPER,
        ),
        provenance=expand(
            "results/claims/judgements/{{judge}}/{{paper}}/run-{run}.provenance.json",
            run=RUNS_OF_A_PAPER,
        ),
    log:
        "logs/claims/extract_claims/{judge}/{paper}.log",
    benchmark:
        "benchmarks/results/claims/extract_claims/{judge}/{paper}.tsv"
    wildcard_constraints:
        judge=one_of(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=120,
    params:
        code=code("scripts/claims/extract_claims.py", own=own_kind),
        settings=judge_flags,
        claims_found=lookup("claims/claims_found", within=config),
        responses=lookup("claims/responses", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.extract_claims "
        "--text {input.text:q} --flags {input.flags:q} --prompts {input.prompts:q} --weights {input.weights:q} {params.settings} "
        "--claims-found {params.claims_found} --responses {params.responses:q} --out {output.runs} 2> {log}"


rule score_claims:
    input:
        runs=expand(
            "results/claims/judgements/{{judge}}/{{paper}}/run-{run}.json",
            run=RUNS_OF_A_PAPER,
        ),
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
    output:
        voted="results/claims/judgements/{judge}/{paper}/voted.json",
        audited="results/claims/judgements/{judge}/{paper}/audited.json",
        scores="results/claims/judgements/{judge}/{paper}/scores.json",
        provenance=expand(
            "results/claims/judgements/{{judge}}/{{paper}}/{stage}.provenance.json",
            stage=["voted", "audited", "scores"],
        ),
    log:
        "logs/claims/score_claims/{judge}/{paper}.log",
    benchmark:
        "benchmarks/results/claims/score_claims/{judge}/{paper}.tsv"
    wildcard_constraints:
        judge=one_of(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        code=code("scripts/claims/score_claims.py", own=own_kind),
        settings=judge_flags,
        least_similarity=lookup("claims/least_similarity", within=config),
        leak_audit=lookup("claims/leak_audit", within=config),
        devils_advocate=lookup("claims/devils_advocate", within=config),
        responses=lookup("claims/responses", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.score_claims "
        "--runs {input.runs:q} --prompts {input.prompts:q} "
        "--weights {input.weights:q} {params.settings} --least-similarity {params.least_similarity} "
        "--leak-audit {params.leak_audit} --devils-advocate {params.devils_advocate} "
        "--responses {params.responses:q} --out {output.voted} {output.audited} {output.scores} 2> {log}"


rule summarise_claims:
    input:
        scores=judgements("scores.json"),
        voted=judgements("voted.json"),
        audited=judgements("audited.json"),
        runs=[path for run in RUNS_OF_A_PAPER for path in judgements(f"run-{run}.json")],
        truth=expand("results/claims/sources/{paper}.truth.json", paper=PLANTED),
        papers=PAPERS_CSV,
    output:
        tables=summary_tables(*SUMMARY_TABLES),
        provenance=f"{SUMMARY}.provenance.json",
    log:
        "logs/claims/summarise_claims.log",
    benchmark:
        "benchmarks/results/claims/summarise_claims.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/summarise_claims.py"),
        summary=subpath(output.provenance, strip_suffix=".provenance.json"),
        judge_labels=JUDGE_LABELS,
        least_similarity=lookup("claims/least_similarity", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.summarise_claims "
        "--scores {input.scores:q} --voted {input.voted:q} "
        "--audited {input.audited:q} --runs {input.runs:q} --truth {input.truth:q} --papers {input.papers:q} "
        "--judge-labels {params.judge_labels:q} --least-similarity {params.least_similarity} "
        "--out {params.summary} 2> {log}"


rule draw_page:
    input:
        scores=by_the_judge("scores.json"),
        voted=by_the_judge("voted.json"),
        audited=by_the_judge("audited.json"),
        flags=lambda wildcards: expand(
            "results/claims/papers/{paper}/flags.json",
            paper=papers_of(wildcards.judge),
        ),
        papers=PAPERS_CSV,
        summary=f"{SUMMARY}/papers.csv",
        prompts=JUDGE_PROMPTS,
        planted="results/tables/claims_planted.csv",
        trust=trust_report,
        templates=PAGE_TEMPLATES,
    output:
        page="results/claims/{judge}.html",
        provenance="results/claims/{judge}.provenance.json",
    log:
        "logs/claims/draw_page/{judge}.log",
    benchmark:
        "benchmarks/results/claims/draw_page/{judge}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/draw_page.py"),
        label=lookup("{judge}/label", within=JUDGES),
        rules=lambda wildcards: kind_of(wildcards.judge).by_rules,
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.draw_page "
        "--judge {wildcards.judge} --label={params.label:q} "
        "--scores {input.scores:q} --voted {input.voted:q} --audited {input.audited:q} --flags {input.flags:q} "
        "--papers {input.papers:q} --summary {input.summary:q} --prompts {input.prompts:q} --planted {input.planted:q} "
        "--trust {input.trust:q} --rules {params.rules} "
        "--out {output.page} 2> {log}"


rule report_paper:
    input:
        scores=expand(
            "results/claims/judgements/{judge}/{{paper}}/scores.json",
            judge=CLAIMS_JUDGES,
        ),
        voted=expand(
            "results/claims/judgements/{judge}/{{paper}}/voted.json",
            judge=CLAIMS_JUDGES,
        ),
        audited=expand(
            "results/claims/judgements/{judge}/{{paper}}/audited.json",
            judge=CLAIMS_JUDGES,
        ),
        flags="results/claims/papers/{paper}/flags.json",
        text="results/claims/papers/{paper}/text.txt",
        prompts=JUDGE_PROMPTS,
        planted=[MEASURED_JUDGES, *existing("results/tables/claims_planted.csv")],
        criteria=existing(
            *expand("results/claims/trust/{judge}/criteria.csv", judge=CLAIMS_JUDGES)
        ),
        removals=lambda wildcards: existing(
            *(
                f"results/claims/removal/{judge}/{wildcards.paper}.csv"
                for judge in CLAIMS_JUDGES
            )
        ),
        templates=PAGE_TEMPLATES,
    output:
        report=directory("results/claims/{paper}"),
        provenance="results/claims/{paper}.provenance.json",
    log:
        "logs/claims/report_paper/{paper}.log",
    benchmark:
        "benchmarks/results/claims/report_paper/{paper}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/report_paper.py"),
        title=title_of,
        judge_labels=JUDGE_LABELS,
        rule_judges=[name for name in CLAIMS_JUDGES if kind_of(name).by_rules],
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.report_paper "
        "--title={params.title:q} --scores {input.scores:q} --voted {input.voted:q} --audited {input.audited:q} --flags {input.flags:q} "
        "--text {input.text:q} --prompts {input.prompts:q} --planted {input.planted:q} --criteria {input.criteria:q} --removals {input.removals:q} "
        "--judge-labels {params.judge_labels:q} "
        "--rule-judges {params.rule_judges:q} --out {output.report} 2> {log}"


if OWN_PAPER:

    rule claim:
        input:
            f"results/claims/{OWN_PAPER.id}",
