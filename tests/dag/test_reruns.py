"""What reruns after which edit: the promise behind 'rebuild one figure after a config edit'.

Each case edits a finished tree, compares the jobs that `snakemake -n` would run with the jobs
written here, and undoes the edit. `FROM_X` (tests/dag/jobs.py) are the jobs that run once X has
changed. An edited file gets an older date than all results, so that its content decides and not its
date.

The edits come first, then the table `EDITS` with the jobs of each, then the test.
"""

import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

import pytest

from tests.checkout import Checkout
from tests.dag.jobs import (
    CARDS,
    FROM_BASE,
    FROM_CLAIMS_SUMMARY,
    FROM_CONTROLS,
    FROM_DETECTORS,
    FROM_DOCSTRINGS,
    FROM_FEATURES,
    FROM_JUDGE_PROMPTS,
    FROM_MEASURED_TWINS,
    FROM_MODEL,
    FROM_ONE_EVALUATION_SET,
    FROM_ONE_MORE_JUDGE,
    FROM_OWN_JUDGE,
    FROM_PLACES,
    FROM_PLANT,
    FROM_ROWS,
    FROM_SCORED_NAMES,
    FROM_SCORES,
    FROM_SCORING,
    FROM_SEPARATION,
    FROM_SUMMARIES,
    FROM_SUMMARIES_WITHOUT_THRESHOLDS,
    FROM_THRESHOLDS,
    FROM_TRAINING,
    FROM_TRUST,
    FROM_TWINS,
    FROM_VOTES,
    ONE_MORE_MODEL,
    without,
)
from tests.dag.plans import (
    EDITED,
    Edit,
    copy_of_the_finished,
    date_back,
    planned_jobs,
    replace,
    set_figure,
    with_the_paper,
)
from tests.outputs import DRAWN, readers
from tests.tiny_models import make_tiny_model

# A statement without an effect: it changes the code of a module, but nothing that the code does.
NEW_STATEMENT = "\n_edited = True\n"
# The twins' learning rate in config/config.yaml; other models have the first line with the same
# rate, but not the second line.
TWINS_LEARNING_RATE = "learning_rate: {rate}\n      warmup_steps: 20"
# Edits of settings in config/config.yaml that concern models, judges, benchmarks and papers which
# the run does not have.
UNUSED_SETTINGS = (
    ("steps: 19", "steps: 20"),  # pretrained twins
    ("detector_samples: 10", "detector_samples: 12"),  # a suspected benchmark
    ("attempt: 1 ", "attempt: 2 "),  # judges over a network
    ("measured: []", "measured: [docs/measured/claims_planted.csv]"),  # a paper of one's own
)


def in_config(old: str, new: str) -> Edit:
    """Replace a text in the default run's config."""
    return replace("config/config.yaml", old, new)


def in_small_config(old: str, new: str) -> Edit:
    """Replace a text in the smallest run's config, whose settings override the default run's."""
    return replace("config/test.yaml", old, new)


def append(file: str, text: str) -> Edit:
    """Add a text at the end of a file."""

    def edit(folder: Path) -> None:
        with (folder / file).open("a") as stream:
            stream.write(text)
        date_back(folder / file)

    return edit


def change_nothing(folder: Path) -> None:
    """Edit files in ways that change no result of the run.

    Code and data get new dates. Code gets comments and other docstrings, the README another line,
    the config a comment. Settings and a label that the run does not use get other values.
    """
    for path in [*folder.glob("exhibits/reanalysis/**/*.py"), *folder.glob("config/**/*.*")]:
        path.touch()

    # Every file of code gets a comment and a longer docstring.
    for package in ("exhibits", "mechaware", "scripts"):
        for path in folder.glob(f"{package}/**/*.py"):
            longer = path.read_text().replace('"""', '"""Edited. ', 1)
            path.write_text(f"{longer}\n# a comment\n")
    # One function that all steps use gets another docstring.
    docstring = '"""Yield a temporary name'
    replace("mechaware/core/files.py", docstring, '"""Gives a temporary name')(folder)

    append("README.md", "\nA line.\n")(folder)
    append("config/config.yaml", "\n# a comment\n")(folder)
    for old, new in UNUSED_SETTINGS:
        in_config(old, new)(folder)
    replace("config/judges.yaml", "label: GPT-5.5\n", "label: GPT\n")(folder)


def run_a_model_named_mine(folder: Path) -> None:
    """Write a tiny model into my-model, and put its name, `mine`, among the models that RADAR runs.

    The entry that describes the model is still missing.
    """
    make_tiny_model("gpt2", folder / "my-model")
    models = "radar:\n  models: [smollm2-135m-instruct"
    in_config(models, f"{models}, mine")(folder)


def add_a_model(folder: Path) -> None:
    """Add a model whose entry is in config/models.yaml."""
    run_a_model_named_mine(folder)
    entry = "\nmine:\n  kind: local\n  label: Mine\n  folder: my-model\n"
    append("config/models.yaml", entry)(folder)


def add_own_model(folder: Path) -> None:
    """Add a model whose entry is in the config itself."""
    run_a_model_named_mine(folder)
    entry = "\nmodels: {mine: {kind: local, label: Mine, folder: my-model}}\n"
    append("config/test.yaml", entry)(folder)


def add_own_judge(folder: Path) -> None:
    """Add a judge whose entry is in the config itself."""
    append("config/test.yaml", "\njudges: {mine: {kind: lexical, label: Mine}}\n")(folder)
    in_small_config("judges: [lexical]", "judges: [lexical, mine]")(folder)


def add_judge_card(folder: Path) -> None:
    """Add a card of a judge on items of one's own."""
    card = "items: examples/review_items.csv, rubric: examples/review_rubric.yaml, judge: ollama/llama3.2"
    in_config("judge_cards: {} ", f"judge_cards: {{mine: {{{card}}}}} ")(folder)


def add_own_object(key: str) -> Edit:
    """Name an object of one's own package under a key of the config: `rules` or `detectors`."""

    def edit(folder: Path) -> None:
        # No job is run, so nothing is imported.
        (folder / "my_package.py").write_text("MINE = None\n")
        replace("config/config.yaml", f"  {key}: []", f"  {key}: [my_package.MINE]")(folder)

    return edit


def add_a_paper(folder: Path) -> None:
    """Add a paper, whose file is the PDF of a planted one."""
    (pdf,) = (folder / "results/claims/sources/planted-01").glob("*.pdf")
    append("config/papers.csv", f"mine,file,{pdf},My paper,,\n")(folder)
    append("config/test.yaml", "  papers: [mine]\n")(folder)


# Each edit, and how many jobs of each rule it causes, without the jobs that `with_the_paper` adds.
EDITS: dict[str, tuple[Edit, dict[str, int]]] = {
    "what no result of the run depends on": (change_nothing, {}),
    "a figure's size": (set_figure("radar_scores: {marker_size: 20}"), {"radar_scores": 1}),
    "the look of all figures": (
        append("exhibits/report/style.py", NEW_STATEMENT),
        dict.fromkeys(DRAWN.values(), 1),
    ),
    "one figure's file": (
        append("exhibits/radar/figures/radar_length.py", NEW_STATEMENT),
        {"radar_length": 1},
    ),
    "one table's file": (
        append("exhibits/radar/tables/radar_controls.py", NEW_STATEMENT),
        {"radar_controls": 1},
    ),
    "a reported number": (
        replace("config/reported/radar_scores.csv", "0.933", "0.934"),
        {"radar_score_means": 1},
    ),
    "the threshold of a specialised head": (
        in_config("specialised_head_entropy: 1.5", "specialised_head_entropy: 1.6"),
        FROM_FEATURES | FROM_MEASURED_TWINS | FROM_DOCSTRINGS | {"extract_features": 2},
    ),
    "the reduction of attention entropies": (
        in_config("attention_entropy_reduction: sum", "attention_entropy_reduction: mean"),
        # The two rules that are left out read the features by both reductions.
        FROM_MEASURED_TWINS
        | FROM_DOCSTRINGS
        | without(FROM_FEATURES, "correlate_length", "evaluate_controls"),
    ),
    "the weights of the scores": (
        replace("config/radar_scores.csv", "early_confidence,1,", "early_confidence,2,"),
        FROM_SCORES,
    ),
    "the file of a summary": (
        append("exhibits/radar/summaries/features.py", NEW_STATEMENT),
        FROM_SEPARATION,
    ),
    "the number of permutations": (
        in_small_config("permutations: 2", "permutations: 3"),
        FROM_CONTROLS | {"permute_labels": 2},
    ),
    "the number of resamples": (
        in_small_config("bootstrap_resamples: 100", "bootstrap_resamples: 200"),
        FROM_SUMMARIES
        | FROM_THRESHOLDS
        | FROM_PLACES
        | {"radar_finding": 1, "radar_values": 1, "claims_values": 1, "grounding_lookups": 1}
        | {"claims_author": 1, "claims_lists": 1},
    ),
    "the seed of the planted items": (
        in_small_config("memorisation:\n    seeds: [0]", "memorisation:\n    seeds: [1]"),
        FROM_PLANT,
    ),
    "the learning rate of the twins": (
        in_config(TWINS_LEARNING_RATE.format(rate=0.002), TWINS_LEARNING_RATE.format(rate=0.001)),
        FROM_TWINS,
    ),
    "a detector's file": (
        append("mechaware/instruments/radar/detectors/likelihood.py", NEW_STATEMENT),
        FROM_DETECTORS
        | FROM_SCORED_NAMES
        | FROM_DOCSTRINGS
        | {"score_twins": 1, "calibrate_verdict": 1}
        | CARDS,
    ),
    "a prompt's text": (
        replace(
            "config/prompts/radar_matched.csv",
            "The square root of 676 is",
            "The square root of 729 is",
        ),
        FROM_ONE_EVALUATION_SET
        | {"capture_activations": 1, "answer_prompts": 1, "extract_features": 1},
    ),
    "one more model": (add_a_model, ONE_MORE_MODEL),
    "a model that the config describes": (add_own_model, ONE_MORE_MODEL),
    # Only RADAR runs this model; the other studies train theirs. The model is not converted again.
    "the precision of a model": (
        replace(
            "config/models.yaml",
            "  label: SmolLM2-135M-Instruct\n",
            "  label: SmolLM2-135M-Instruct\n  dtype: bfloat16\n",
        ),
        FROM_MODEL,
    ),
    "the smallest gap of R1": (
        in_config("tau: 0.4 ", "tau: 0.5 "),
        # No model is run.
        FROM_THRESHOLDS | FROM_PLACES | {"contrast_needed": 1},
    ),
    "a rule of one's own": (add_own_object("rules"), FROM_THRESHOLDS),
    # The project's own detectors are not scored again, and no error rate of a verdict depends on a
    # detector of one's own.
    "a detector of one's own": (
        add_own_object("detectors"),
        FROM_DETECTORS | {"score_twins_by_own": 1} | CARDS,
    ),
    "the seed of the training": (
        in_small_config("grounding:\n  seeds: [0]", "grounding:\n  seeds: [1]"),
        FROM_BASE,
    ),
    "the number of stories": (
        in_small_config("stories_steps: 12", "stories_steps: 18"),
        FROM_BASE | {"generate_stories": 1},
    ),
    "no stories": (in_small_config("stories_steps: 12", "stories_steps: 0"), FROM_TRAINING),
    "the number of test rows": (
        in_small_config("valid: 30, test: 20", "valid: 30, test: 25"),
        # No model is trained again, and no verdict is reached again.
        {"generate_sql": 1, "decode_sql": 2} | FROM_SUMMARIES_WITHOUT_THRESHOLDS,
    ),
    "a word of the vocabulary": (
        replace(
            "config/sql/vocabulary.yaml",
            "Show me {fields} from {table}",
            "Display {fields} from {table}",
        ),
        FROM_ROWS,
    ),
    "the row of what printed numbers imply": (
        append("exhibits/reanalysis/implied.py", "\nEDITED = True\n"),
        {"radar_implied": 1, "grounding_implied": 1, "claims_implied": 1},
    ),
    "a word of the judges' prompts": (
        append("config/judge_prompts/v1/criteria_small.md", "Be strict.\n"),
        FROM_JUDGE_PROMPTS,
    ),
    "one more judge": (
        in_small_config("judges: [lexical]", "judges: [lexical, smollm2]"),
        FROM_ONE_MORE_JUDGE,
    ),
    "a judge that the config describes": (add_own_judge, FROM_OWN_JUDGE),
    # The card is made by a target of its own.
    "a judge's card on own items": (add_judge_card, {}),
    "a judge's label": (
        replace("config/judges.yaml", "label: Lexical rules", "label: Rules"),
        without(FROM_CLAIMS_SUMMARY, "calibrate_judges", "summarise_claims", "claims_papers")
        | readers("results/claims/trials/"),
    ),
    "the vote": (in_config("vote: minimum", "vote: median"), FROM_VOTES),
    "the leak audit": (in_config("leak_audit: true", "leak_audit: false"), FROM_VOTES),
    "the sensitivity that makes a judge trusted": (
        in_config("least_sensitivity: 0.5", "least_sensitivity: 0.6"),
        FROM_TRUST,
    ),
    "the look of the pages": (
        append("mechaware/verdicts/paper/templates/page.css", "\n"),
        {"draw_page": 1},
    ),
    "a score that the claims paper prints": (
        replace("config/reported/claims_main.csv", "ioi,5.6", "ioi,5.7"),
        {
            "claims_main": 1,
            "claims_single_run": 1,
            "claims_boundaries": 1,
            "claims_implied": 1,
            "claims_tiers": 1,
            "claims_confusion": 1,
            "claims_lists": 1,
        },
    ),
    "the rule for a dimension's score": (
        append("mechaware/instruments/claims/rubric/scoring.py", NEW_STATEMENT),
        FROM_SCORING,
    ),
    # All jobs that score, and the tables that name criteria.
    "the name of a criterion": (
        replace("config/rubrics/cvs.yaml", "name: Falsifiability", "name: Testability"),
        FROM_SCORING | {"claims_criteria": 1},
    ),
    "a caption": (
        append("paper/captions/figures/radar_scores.rst", "Seen from above.\n"),
        {"paper": 1},
    ),
    "a study that is left out": (
        in_config("studies: [radar, grounding, claims]", "studies: [radar, grounding]"),
        {"paper": 1, "headlines": 1} | CARDS,
    ),
    "one more paper": (
        add_a_paper,
        FROM_CLAIMS_SUMMARY | {"fetch_paper": 1, "extract_text": 1, "judge_paper": 1},
    ),
}

# One edit for each kind of setting and file. Only the gate makes the other edits.
QUICK = (
    "what no result of the run depends on",
    "a figure's size",
    "one figure's file",
    "a caption",
    "a reported number",
    "the row of what printed numbers imply",
    "one more model",
    "one more judge",
    "the smallest gap of R1",
    "the number of test rows",
    "a word of the judges' prompts",
    "one more paper",
)


def replace_by_copy(source: Path, target: Path) -> None:
    """Put a copy of a file or a whole folder, with its dates, in place of `target`."""
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
    else:
        shutil.copy2(source, target)


@pytest.fixture(scope="module")
def plans(
    finished: Checkout, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[dict[str, Future[dict[str, int]]]]:
    """The jobs that each selected edit would cause, by the edit's name in `EDITS`.

    Two copies of the finished tree are edited at the same time. A third copy stays unedited: after
    each edit, the edited copy is restored from it.
    """
    folder = tmp_path_factory.mktemp("edits")
    unedited = copy_of_the_finished(finished, folder / "unedited")
    trees: SimpleQueue[Checkout] = SimpleQueue()
    for name in ("first", "second"):
        trees.put(copy_of_the_finished(finished, folder / name))

    def plan(edit: Edit) -> dict[str, int]:
        tree = trees.get()
        try:
            edit(tree.folder)
            return planned_jobs(tree)
        finally:
            for name in EDITED:
                replace_by_copy(unedited.folder / name, tree.folder / name)
            trees.put(tree)

    selected = set()
    for item in request.session.items:
        if hasattr(item, "callspec"):
            selected.add(item.callspec.params.get("edit_name"))

    with ThreadPoolExecutor(2) as pool:
        planned = {}
        for edit_name, (edit, _) in EDITS.items():
            if edit_name in selected:
                planned[edit_name] = pool.submit(plan, edit)
        yield planned
        pool.shutdown(cancel_futures=True)


def test_each_quick_edit_is_in_the_table_of_edits() -> None:
    assert set(QUICK) < EDITS.keys()


@pytest.mark.parametrize(
    "edit_name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.gate) for name in EDITS],
)
def test_an_edit_reruns_exactly_what_depends_on_it(
    plans: dict[str, Future[dict[str, int]]], edit_name: str
) -> None:
    _, jobs = EDITS[edit_name]

    assert plans[edit_name].result() == with_the_paper(jobs)
