"""What each verb asks of the workflow: a config, and the results to make.

`ask_seen` to `ask_demo` are the questions, one for each verb. The functions after them name the
results, and check or copy the user's files before Snakemake starts, which takes seconds. Each
function imports the instruments' modules that it needs, so that no verb loads those of another.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.core.files import file_name
from mechaware.core.own_folder import RENAMED, missing_file
from mechaware.core.own_package import check_object, load_object
from mechaware.core.run_module import source
from mechaware.core.yaml_files import read_yaml
from mechaware.doors.command.columns import rename_columns
from mechaware.doors.command.headers import check_encoding, known_columns
from mechaware.doors.command.models import find_model
from mechaware.doors.command.running import RESULTS

Config = dict[str, Any]

# Arguments of Snakemake: the demo's longest two chains of jobs go first, side by side, one thread
# each. On two cores this is faster than one after the other.
DEMO_ORDER = (
    "--set-threads",
    "patch_task=1",
    "measure_suspected=1",
    "--prioritize",
    "results/grounding/pairs/json-values/verdict.json",
    "results/radar/memorisation/s11/A",
)
# The columns that every table of pairs has.
_PAIR_COLUMNS = ("pair", "prompt", "text", "wanted", "against")


class Question(NamedTuple):
    """A question to the workflow.

    - `name`: the name of the config file that is written.
    - `config`: the keys that differ from config/config.yaml.
    - `targets`: the files or rules that Snakemake makes, relative to its working directory.
    - `page`: the page with the answer, also relative to it; empty if a rule prints its path.
    """

    name: str
    config: Config
    targets: Sequence[str]
    page: str = ""


def ask_seen(
    items: Path,
    control: Path | None,
    model: str,
    columns: Mapping[str, str],
    *,
    random_order: Sequence[str] = (),
    scores_only: bool = False,
    configs: Sequence[Path] = (),
) -> Question:
    """Was the model trained on the items?

    Args:
        items: A table of items, or an evaluation log.
        control: A table or log of items that the model cannot have seen.
        model: A folder, a name on the hub, or an entry of config/models.yaml or of the user's
            configs (`find_model`).
        columns: Our name of a column (id, question, answer) -> the name that the tables give it.
            It has only the columns that the user names by a flag.
        random_order: What was published in a random order: "items", the rows of the table, or
            "options", the choices of each item.
        scores_only: Whether the items are scored even if no verdict can follow.
        configs: The user's configs.

    Raises:
        UserError: A file is missing or unusable, or lacks a column; no verdict could follow; or
            there is no such model.
    """
    # A log has no columns to rename. With a log and a table, `columns` are the table's. With logs
    # alone the logs get them, so that `rename_columns` refuses them.
    logs_alone = is_log(items) and (control is None or is_log(control))
    columns_of_log = columns if logs_alone else {}
    columns_of_items = columns_of_log if is_log(items) else columns

    name = result_name(items)
    found_model = find_model(model, configs)
    benchmark: Config = {"model": found_model.name}
    benchmark["items"] = _item_table(items, columns_of_items, "items")
    if control is not None:
        columns_of_control = columns_of_log if is_log(control) else columns
        benchmark["control"] = _item_table(control, columns_of_control, "control")
    if random_order:
        benchmark["random_order"] = list(dict.fromkeys(random_order))
    if scores_only:
        benchmark["scores_only"] = True
    # One of the user's configs may name a control; the workflow then checks the whole config.
    if not configs:
        _check_basis(items, benchmark)

    folder = f"results/radar/suspected/{name}"
    page = f"{folder}/index.html"
    return Question(
        f"seen-{name}",
        {"radar": {"suspected": {name: benchmark}}, "models": found_model.entry},
        [page, f"{folder}/scores.csv", f"{folder}/detectors.csv"],
        page,
    )


def ask_reads(pairs: Path, model: str, configs: Sequence[Path] = ()) -> Question:
    """Does the model read the word in which two prompts differ?

    Raises `UserError` for a table that is missing, is not UTF-8 or lacks a column, or if there is
    no such model.
    """
    name = result_name(pairs)
    found_model = find_model(model, configs)
    task = {"table": config_path(pairs), "model": found_model.name}
    # One of the user's configs may leave out faulty rows; the workflow then checks the table by the
    # whole config.
    if not configs:
        _check_pair_columns(pairs)
    page = f"results/grounding/pairs/{name}/index.html"
    return Question(
        f"reads-{name}",
        {"grounding": {"pairs": {name: task}}, "models": found_model.entry},
        [page],
        page,
    )


def ask_passages(log: Path, model: str, configs: Sequence[Path] = ()) -> Question:
    """Does the score of a log follow the passages in its prompts?

    Raises `UserError` for a log that is missing or not UTF-8, or if there is no such model.
    """
    name = result_name(log)
    found_model = find_model(model, configs)
    entry = {"log": config_path(log), "model": found_model.name}
    page = f"results/grounding/passages/{name}/index.html"
    return Question(
        f"passages-{name}",
        {"grounding": {"passages": {name: entry}}, "models": found_model.entry},
        [page],
        page,
    )


def ask_paper(
    paper: str,
    judge: str,
    rubric: Path | None = None,
    *,
    claim: str = "",
    cards: Sequence[Path] = (),
) -> Question:
    """How strong is the paper's evidence? Without a judge the answer is a reading aid.

    Args:
        paper: A file, an address, or an arXiv identifier.
        judge: A name of config/judges.yaml, the address of a model, or empty.
        rubric: A rubric of the user's own, in place of the 27 criteria.
        claim: The claim that is judged by the rubric; empty for the paper as a whole.
        cards: The verdict.json of each of the judge's cards, which measure how often it is right
            by the rubric.

    Raises:
        UserError: A file is not there, or a claim or card is given without a rubric.
    """
    from mechaware.instruments.claims.fetching.papers import IDENTIFIER, STORED_AS, check_file

    if rubric is None and (claim or cards):
        raise UserError(
            "paper: --claim and --card go with a rubric of yours; name it with --rubric, or leave them out"
        )

    if "://" not in paper and not IDENTIFIER.fullmatch(paper):
        check_file(Path(paper))

    claims: Config = {"own_paper": paper, "own_judges": [judge] if judge else []}
    if rubric is not None:
        claims["own_rubric"] = config_path(rubric)
    if claim:
        claims["own_claim"] = claim
    if cards:
        claims["measured"] = [config_path(card) for card in cards]

    path = Path(paper).expanduser()
    # Not the stem of an identifier: that of 2211.00593 would be 2211.
    name = path.stem if path.suffix.lower() in STORED_AS else path.name
    return Question(
        f"paper-{file_name(name) or 'own'}",
        {"claims": claims},
        # A rule, which prints the path of the page.
        ["claim"],
    )


def ask_judge(items: Path, rubric: Path, judge: str, replies: Path | None) -> Question:
    """How far does the judge, or else a file of replies, agree with people's labels?

    `judge`: a name of config/judges.yaml, or the address of a model. Raises `UserError` for a file
    that cannot be used.
    """
    from mechaware.instruments.claims.items.labelled import read_items
    from mechaware.instruments.claims.items.replies import read_replies
    from mechaware.instruments.claims.rubric.rubric import read_rubric

    name = result_name(items)
    card: Config = {"items": config_path(items), "rubric": config_path(rubric)}
    own_rubric = read_rubric(rubric)
    # The files are read only to refuse them here if they cannot be used.
    labelled = read_items(items, own_rubric)
    if replies is None:
        card["judge"] = judge
    else:
        card["replies"] = config_path(replies)
        read_replies(replies, labelled, own_rubric)

    folder = f"results/claims/judge_cards/{name}"
    page = f"{folder}/index.html"
    return Question(
        f"judge-{name}",
        {"claims": {"judge_cards": {name: card}}},
        [page, f"{folder}/questions.csv", f"{folder}/answers.csv"],
        page,
    )


def ask_card(name: str) -> Question:
    """How often is a detector, a rule or a kind of judge wrong?

    `name` is its dotted name in the user's own package. Raises `UserError` if the name cannot be
    imported, or is the name of anything else.
    """
    # Before anything is loaded, which takes seconds.
    check_object(name, "card")
    from mechaware.instruments.claims.judges.kinds import Kind
    from mechaware.instruments.grounding.rules import Rule
    from mechaware.instruments.radar.detectors.detector import Detector

    instrument = load_object(name, object)
    if isinstance(instrument, Detector):
        page_name = f"detector/{instrument.name}"
        config: Config = {"studies": ["radar"], "radar": {"detectors": [name]}}
    elif isinstance(instrument, Rule):
        page_name = f"rule/{instrument.name}"
        config = {"studies": ["grounding"], "grounding": {"rules": [name]}}
    elif isinstance(instrument, Kind):
        judge = file_name(name.rpartition(".")[2].lower()).replace("_", "-") or "own"
        page_name = f"judge/{judge}"
        config = {
            "studies": ["claims"],
            "judges": {judge: {"kind": name, "label": name}},
            "claims": {"judges": [judge], "papers": []},
        }
    else:
        raise UserError(
            f"card: {name} is of type {type(instrument).__name__}; name a Detector, a Rule or a Kind of judge"
        )
    return Question(f"card-{name}", config, ["results/cards"], f"results/cards/{page_name}.html")


def ask_demo() -> Question:
    """Three questions to the examples that come with mechaware."""
    config = read_yaml(source("config/demo.yaml"), "config/demo.yaml")
    for benchmark in config["radar"]["suspected"].values():
        for key in ("items", "control"):
            benchmark[key] = str(source(benchmark[key]))
    for task in config["grounding"]["pairs"].values():
        task["table"] = str(source(task["table"]))
    page = "results/demo/index.html"
    return Question("demo", config, [page], page)


def result_name(path: Path) -> str:
    """The name of a file's results: its stem, with dashes for dots.

    Names in the config may not have dots.
    """
    return file_name(path.stem.replace(".", "-")) or "own"


def require_file(path: Path) -> None:
    """Raise `UserError` if there is no such file."""
    if not path.is_file():
        raise missing_file(path)


def config_path(path: Path, columns: Mapping[str, str] | None = None, role: str = "") -> str:
    """The path under which the config names a user's file: its own, or that of a renamed copy.

    A copy with our names of the columns is made if `columns` is not empty; it is given as in
    `ask_seen`. The copy's folder is named after the `role`, "items" or "control". Raises
    `UserError` for a file that is missing or not UTF-8, and as `rename_columns` does.
    """
    require_file(path)
    check_encoding(path)
    if not columns:
        return str(path)
    return str(rename_columns(path, columns, RESULTS / RENAMED / role))


def _check_pair_columns(pairs: Path) -> None:
    """Refuse a table without one of the columns of pairs. Raises `UserError`.

    The column `options` may be missing: the options are then `wanted` and `against`.
    """
    known = known_columns(pairs)
    # A file without a header is refused where it is read.
    if not known:
        return
    missing = [column for column in _PAIR_COLUMNS if column not in known]
    if missing:
        raise UserError(
            f"{pairs}: no column '{missing[0]}'; it has {', '.join(known)}; name the columns of a task's pairs "
            "pair, prompt, text, wanted, against, options"
        )


def _check_basis(items: Path, benchmark: Config) -> None:
    """Refuse a table of items on which no verdict could rest. Raises `UserError`.

    A verdict needs a control, a random order, or the column `seen` with the truth about the items.
    With `scores_only` none is asked for.
    """
    if benchmark.keys() & {"control", "random_order", "scores_only"}:
        return
    known = known_columns(Path(benchmark["items"]))
    # A file that is no table, such as a log, is checked when it is read.
    if not known or "seen" in known:
        return
    raise UserError(
        f"{items}: no control, so that no verdict can follow; add --control FILE with items of the same kind that the "
        "model cannot have seen (newer ones, rewrites of your own, a split that was held out); or --random-order "
        "items (or options), if the rows (or the choices) were published in a random order; or --scores-only"
    )


def _item_table(path: Path, columns: Mapping[str, str], role: str) -> str:
    """`config_path` of a benchmark's items or control, whose columns are checked.

    A table may lack the column `id`: ids are then the numbers of the rows, and a line on stderr
    says so.

    Args:
        path: A table or an evaluation log.
        columns: As in `ask_seen`.
        role: "items" or "control".

    Raises:
        UserError: As for `config_path`, or a table lacks the column `question` or `answer`, or a
            control lacks a column in `columns`.
    """
    require_file(path)
    own = known_columns(path)
    if role == "control" and own:
        unnamed = [name for name in columns.values() if name not in own]
        if unnamed:
            raise UserError(
                f"{path}: no column '{unnamed[0]}'; it has {', '.join(own)}; name its columns as those of the items"
            )

    copy = config_path(path, columns, role)
    known = known_columns(Path(copy))
    if not known:
        return copy
    missing = [column for column in ("question", "answer") if column not in known]
    if missing:
        options = " ".join(f"--{column} NAME" for column in missing)
        raise UserError(
            f"{path}: no column '{missing[0]}'; it has {', '.join(known)}; name yours by {options}"
        )
    if "id" not in known:
        print(
            f"{path}: no column 'id': an item's id is the number of its row; --id NAME names a column of yours",
            file=sys.stderr,
        )
    return copy
