"""Cards of judges on labelled items of any rubric: how far a judge's answers agree with the labels.

For each card the questions are planned from the items (plan_items). A judge answers them
(judge_items; for a judge of a provider its copy in providers.smk), or the answers come from the
user's file of replies (read_replies). draw_judge_card draws the card.

Functions of a judge, such as `weights_of`, are in claims.smk.
"""

from mechaware.instruments.claims.judges.addresses import judge_name

JUDGE_CARDS = config["claims"]["judge_cards"]
# The name of the judge that answers each card; a card without one has a file of replies.
CARD_JUDGES = {
    card: judge_name(entry["judge"])
    for card, entry in JUDGE_CARDS.items()
    if "judge" in entry
}
ITEM_PROMPTS = [
    repo(f"config/judge_prompts/items/{name}") for name in ("system.md", "item.md")
]
JUDGE_CARD_TEMPLATES = [
    repo("mechaware/verdicts/judge_cards/templates/judge.html.j2"),
    *VERDICT_PAGE,
]


def card_file(key):
    """An input: the file that a card names under `key`, or none."""

    def file(wildcards):
        entry = JUDGE_CARDS[wildcards.card]
        return str(Path(entry[key]).expanduser()) if key in entry else []

    return file


def card_judge_weights(wildcards):
    """An input: the weights of a card's embedded judge; none for another judge (`weights_of`)."""
    return weights_of(CARD_JUDGES[wildcards.card])


def card_judge_flags(wildcards):
    """A param: the settings of a card's judge as flags of a command."""
    return flags_of_judge(CARD_JUDGES[wildcards.card])


def card_judge_entry(wildcards):
    """A param: two words, the judge's name and its entry as JSON; none for a file of replies."""
    judge = CARD_JUDGES.get(wildcards.card)
    return [] if judge is None else [judge, entry_of(judge)]


def card_judge_label(wildcards):
    """A param: what the card calls the judge."""
    judge = CARD_JUDGES.get(wildcards.card)
    return "the file of replies" if judge is None else JUDGES[judge]["label"]


def card_judge_revision(wildcards):
    """A param: the SHA-256 of an embedded judge's weights; empty for any other."""
    judge = CARD_JUDGES.get(wildcards.card)
    return "" if judge is None else revision_of(judge)


def own_card_kind(wildcards):
    """The dotted name of the kind of a card's judge, in a tuple, if it is a kind of the user's own.

    The tuple is empty for a kind of `KINDS` and for a file of replies.
    """
    judge = CARD_JUDGES.get(wildcards.card)
    is_own = judge is not None and JUDGES[judge]["kind"] not in KINDS
    return (JUDGES[judge]["kind"],) if is_own else ()


def attempt_of_card(wildcards):
    """A param: the attempt (`attempt_of`); always 1 unless the judge's kind is `over_network`."""
    is_remote = kind_of(CARD_JUDGES[wildcards.card]).over_network
    return config["claims"]["attempt"] if is_remote else 1


def cards_by(judges):
    """The cards whose judge is one of the named `judges`."""
    return [card for card, judge in CARD_JUDGES.items() if judge in judges]


rule plan_items:
    input:
        labelled=card_file("items"),
        rubric=card_file("rubric"),
    output:
        **recorded(questions="results/claims/judge_cards/{card}/questions.csv"),
    log:
        "logs/claims/plan_items/{card}.log",
    benchmark:
        "benchmarks/results/claims/plan_items/{card}.tsv"
    wildcard_constraints:
        card=any_regex(JUDGE_CARDS),
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/plan_items.py"),
        contents=contents_of(card_file("items"), card_file("rubric")),
        # The default of config/schema.yaml.
        edited_items=lookup("{card}/edited_items", within=JUDGE_CARDS, default=30),
        seed=seed_for("plan_items"),
    shell:
        f"{STEP} claims.plan_items"
        " --labelled={input.labelled:q}"
        " --rubric={input.rubric:q}"
        " --edited-items={params.edited_items:q}"
        " --seed={params.seed:q}"
        " --questions={output.questions:q}"
        " 2> {log}"


rule judge_items:
    input:
        questions="results/claims/judge_cards/{card}/questions.csv",
        rubric=card_file("rubric"),
        prompts=JUDGE_PROMPTS,
        item_prompts=ITEM_PROMPTS,
        weights=card_judge_weights,
    output:
        **recorded(answers="results/claims/judge_cards/{card}/answers.csv"),
    log:
        "logs/claims/judge_items/{card}.log",
    benchmark:
        "benchmarks/results/claims/judge_items/{card}.tsv"
    wildcard_constraints:
        card=any_regex(cards_by(OFFLINE_JUDGES)),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=240,
    params:
        code=code("scripts/claims/judge_items.py", own=own_card_kind),
        contents=contents_of(card_file("rubric"), JUDGE_PROMPTS, ITEM_PROMPTS),
        settings=card_judge_flags,
        responses=lookup("claims/responses", within=config),
        attempt=attempt_of_card,
    shell:
        f"{STEP} claims.judge_items"
        " --questions={input.questions:q}"
        " --rubric={input.rubric:q}"
        " --prompts {input.prompts:q}"
        " --item-prompts {input.item_prompts:q}"
        " --weights {input.weights:q}"
        " {params.settings}"
        " --responses={params.responses:q}"
        " --attempt={params.attempt:q}"
        " --answers={output.answers:q}"
        " 2> {log}"


rule read_replies:
    input:
        labelled=card_file("items"),
        rubric=card_file("rubric"),
        replies=card_file("replies"),
    output:
        **recorded(answers="results/claims/judge_cards/{card}/answers.csv"),
    log:
        "logs/claims/read_replies/{card}.log",
    benchmark:
        "benchmarks/results/claims/read_replies/{card}.tsv"
    wildcard_constraints:
        card=any_regex([card for card in JUDGE_CARDS if card not in CARD_JUDGES]),
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/read_replies.py"),
        contents=contents_of(
            card_file("items"), card_file("rubric"), card_file("replies")
        ),
    shell:
        f"{STEP} claims.read_replies"
        " --labelled={input.labelled:q}"
        " --rubric={input.rubric:q}"
        " --replies={input.replies:q}"
        " --answers={output.answers:q}"
        " 2> {log}"


rule draw_judge_card:
    input:
        labelled=card_file("items"),
        rubric=card_file("rubric"),
        answers="results/claims/judge_cards/{card}/answers.csv",
        replies=card_file("replies"),
        item_prompts=ITEM_PROMPTS,
        templates=JUDGE_CARD_TEMPLATES,
    output:
        **recorded(
            verdict="results/claims/judge_cards/{card}/verdict.json",
            page="results/claims/judge_cards/{card}/index.html",
            lines="results/claims/judge_cards/{card}/summary.txt",
        ),
    log:
        "logs/claims/draw_judge_card/{card}.log",
    benchmark:
        "benchmarks/results/claims/draw_judge_card/{card}.tsv"
    wildcard_constraints:
        card=any_regex(JUDGE_CARDS),
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/draw_judge_card.py", own=own_card_kind),
        contents=contents_of(
            card_file("items"),
            card_file("rubric"),
            card_file("replies"),
            ITEM_PROMPTS,
            JUDGE_CARD_TEMPLATES,
        ),
        name="{card}",
        label=card_judge_label,
        judge_entry=card_judge_entry,
        revision=card_judge_revision,
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} claims.draw_judge_card"
        " --name={params.name:q}"
        " --label={params.label:q}"
        " --labelled={input.labelled:q}"
        " --rubric={input.rubric:q}"
        " --answers={input.answers:q}"
        " --replies {input.replies:q}"
        " --item-prompts {input.item_prompts:q}"
        " --judge-entry {params.judge_entry:q}"
        " --revision={params.revision:q}"
        " --confidence-level={params.confidence_level:q}"
        " --verdict={output.verdict:q}"
        " --page={output.page:q}"
        " --lines={output.lines:q}"
        " 2> {log}"


# The results of `snakemake judge_card`, and for each card the file of the lines that it prints at
# the end.
JUDGE_CARD_RESULTS = [
    f"results/claims/judge_cards/{name}/{file}"
    for name in JUDGE_CARDS
    for file in ("questions.csv", "answers.csv", "verdict.json", "index.html")
]
JUDGE_CARD_LINES = [
    f"results/claims/judge_cards/{name}/summary.txt" for name in JUDGE_CARDS
]
