"""The demo's page, on the verdicts that config/demo.yaml asks for."""

DEMO = "results/radar/suspected/demo"
DEMO_TEMPLATES = [repo("scripts/demo/demo.html.j2"), repo("mechaware/core/page.css")]


rule write_demo:
    input:
        seen=f"{DEMO}-seen/verdict.json",
        unseen=f"{DEMO}-unseen/verdict.json",
        pairs="results/grounding/pairs/json-values/verdict.json",
        paper="results/claims/reading/planted-01",
        templates=DEMO_TEMPLATES,
    output:
        **recorded(page="results/demo/index.html"),
    log:
        "logs/demo/write_demo.log",
    benchmark:
        "benchmarks/results/demo/write_demo.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/demo/write_demo.py"),
        contents=contents_of(DEMO_TEMPLATES),
    shell:
        f"{STEP} demo.write_demo"
        " --seen={input.seen:q}"
        " --unseen={input.unseen:q}"
        " --pairs={input.pairs:q}"
        " --paper={input.paper:q}"
        " --page={output.page:q}"
        " 2> {log}"
