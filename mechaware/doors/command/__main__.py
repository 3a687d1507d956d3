"""The command line of `mechaware`: its verbs, their help, the last line and the exit status."""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.doors.command.questions import (
    DEMO_ORDER,
    Question,
    ask_card,
    ask_demo,
    ask_judge,
    ask_paper,
    ask_passages,
    ask_reads,
    ask_seen,
    require_file,
)
from mechaware.doors.command.running import (
    RESULTS,
    check_writable,
    copy_examples,
    makes_no_answer,
    replace_by_snakemake,
    run_snakemake,
    write_config,
)
from mechaware.verdicts.__main__ import EXITS

_A_MODEL = "a folder, owner/name[@commit] of the hub, or a name in a config's models"
_A_JUDGE = "a judge that mechaware knows, or a model as ollama/llama3.2 or openai/NAME@URL"

# By verb: the first sentence of its help, and an example.
_VERBS = {
    "demo": (
        "Ask three questions of examples, in some minutes; a page explains the answers.",
        "mechaware demo",
    ),
    "seen": (
        "Was a model trained on a benchmark? Decided against a control that it cannot have seen.",
        "mechaware seen items.csv --control control.csv --model ./my-model",
    ),
    "reads": (
        "Does a model read the word in which two prompts differ? Does its score follow passages?",
        "mechaware reads pairs.csv --model HuggingFaceTB/SmolLM2-135M-Instruct",
    ),
    "paper": (
        "How strong is a paper's evidence for the mechanism that it claims?",
        "mechaware paper my.pdf --judge ollama/llama3.2",
    ),
    "judge": (
        "How far does a judge agree with people's labels, by any rubric?",
        "mechaware judge items.csv --rubric rubric.yaml --judge ollama/llama3.2",
    ),
    "card": (
        "How often is a detector, a rule or a judge of your own wrong on planted truth?",
        "mechaware card my_package.certainty.CERTAINTY",
    ),
    "run": (
        "Run the workflow: all that follows is Snakemake's own. Without a target, all studies.",
        "mechaware run radar --configfile my.yaml",
    ),
}

# By verb that ends with a verdict: the status with exit status 3.
_SHOWN = {
    "seen": "seen",
    "reads": "grounds or follows",
    "paper": "supported or meets",
    "judge": "agrees",
}


def command_line() -> argparse.ArgumentParser:
    """The arguments of all verbs; `run` takes Snakemake's, which are not parsed here."""
    parser = argparse.ArgumentParser(
        prog="mechaware",
        description="How did a language model get its answer? Results lie in ./mechaware-results.",
        formatter_class=_one_screen,
        epilog="mechaware VERB --help shows the arguments of a verb and an example. Begin with mechaware demo.",
        allow_abbrev=False,
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, (help_text, example) in _VERBS.items():
        added = verbs.add_parser(
            verb,
            help=help_text,
            description=help_text,
            usage="mechaware run [arguments of Snakemake]" if verb == "run" else None,
            epilog="\n".join([*_notes(verb), f"example: {example}"]),
            allow_abbrev=False,
            formatter_class=_one_screen,
        )
        _add_arguments(verb, added)
    return parser


def _notes(verb: str) -> list[str]:
    """The lines of a verb's help below its arguments."""
    if verb == "run":
        return ["mechaware run -n plans and runs nothing; --profile slurm submits to a cluster."]
    snakemake = "Put Snakemake's arguments after --: -- -n plans and runs nothing, -- --profile slurm uses a cluster."
    if verb in _SHOWN:
        return [
            f"Exit status: 3 {_SHOWN[verb]}, 0 not shown, 4 it cannot be told, 1 an error.",
            snakemake,
        ]
    return [snakemake]


def _one_screen(prog: str) -> argparse.HelpFormatter:
    """Help in few lines: wide, with the example on a line of its own."""
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=100)


def _add_arguments(verb: str, parser: argparse.ArgumentParser) -> None:
    """The arguments of a verb, and those of all verbs but `run`."""
    if verb == "run":
        return
    if verb in _ADD_ARGUMENTS:
        _ADD_ARGUMENTS[verb](parser)
    parser.add_argument(
        "--configfile",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="YAML with changes to the default config, also your models and judges",
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def _add_for_seen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "items",
        type=Path,
        help="CSV, JSON lines, Parquet (question, answer), or a log (lm-eval, Inspect)",
    )
    parser.add_argument(
        "--control",
        type=Path,
        metavar="FILE",
        help="items of their kind that the model cannot have seen",
    )
    parser.add_argument("--model", required=True, help=_A_MODEL)
    for column in ("question", "answer"):
        parser.add_argument(
            f"--{column}", metavar="NAME", help=f"the column {column}, if it has another name"
        )
    parser.add_argument(
        "--id",
        metavar="NAME",
        help="the column id, if it has another name; without one rows are numbered",
    )
    parser.add_argument(
        "--random-order",
        action="append",
        choices=["items", "options"],
        metavar="WHAT",
        help="without a control: items or options, if published in a random order",
    )
    parser.add_argument(
        "--scores-only", action="store_true", help="without a control: scores, and no verdict"
    )


def _add_for_reads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "pairs",
        type=Path,
        help="CSV, JSON lines or Parquet with the columns pair, prompt, text, wanted, against, options; or a log "
        "of lm-eval or Inspect whose questions are about passages: how much of the score follows them?",
    )
    parser.add_argument("--model", required=True, help=_A_MODEL)


def _add_for_paper(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paper", help="a PDF, HTML or text file, an address, or an arXiv identifier"
    )
    parser.add_argument(
        "--judge",
        default="",
        help=f"{_A_JUDGE}; without it passages to read for each criterion, and a form to fill in",
    )
    parser.add_argument(
        "--rubric",
        type=Path,
        metavar="FILE",
        help="a rubric of yours (YAML) in place of the 27 criteria; it gives no score",
    )
    parser.add_argument(
        "--claim",
        default="",
        metavar="TEXT",
        help="by your rubric: the claim to judge, in place of the paper as a whole",
    )
    parser.add_argument(
        "--card",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="by your rubric: verdict.json of mechaware judge on this judge",
    )


def _add_for_judge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "items",
        type=Path,
        help="CSV, JSON lines or Parquet with the columns id, group, criterion, claim, text, label, and perhaps "
        "second_label",
    )
    parser.add_argument(
        "--rubric",
        type=Path,
        required=True,
        metavar="FILE",
        help="YAML with name, statuses (the lowest first), criteria and perhaps guidance",
    )
    asked = parser.add_mutually_exclusive_group(required=True)
    asked.add_argument("--judge", help=_A_JUDGE)
    asked.add_argument(
        "--replies",
        type=Path,
        metavar="FILE",
        help="answers of a judge that was asked elsewhere: the columns id and status",
    )


def _add_for_card(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name",
        help="the dotted name of a Detector, a Rule or a Kind of judge in a package of this folder",
    )


# By verb, where it has arguments of its own.
_ADD_ARGUMENTS = {
    "seen": _add_for_seen,
    "reads": _add_for_reads,
    "paper": _add_for_paper,
    "judge": _add_for_judge,
    "card": _add_for_card,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Answer, and return the exit status: 0 not shown, 3 shown, 4 it cannot be told; 1 error, 2 wrongly typed."""
    typed = list(sys.argv[1:] if argv is None else argv)
    try:
        if typed[:1] == ["run"] and typed[1:2] not in (["-h"], ["--help"]):
            check_writable()
            replace_by_snakemake(typed[1:])
        if not typed:
            command_line().print_help(sys.stderr)
            return 2
        for_verb, for_snakemake = _split(typed)
        arguments = command_line().parse_args(for_verb)
        check_writable()
        return _answer(arguments, for_snakemake)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130  # Snakemake has printed a message


def _split(typed: list[str]) -> tuple[list[str], list[str]]:
    """The arguments of the verb, and after `--` those of Snakemake."""
    if "--" not in typed:
        return typed, []
    separator = typed.index("--")
    return typed[:separator], typed[separator + 1 :]


def _answer(arguments: argparse.Namespace, for_snakemake: list[str]) -> int:
    """Run the workflow for a verb, and print the answer as the last line, or as JSON. Returns the exit status."""
    for config in arguments.configfile:
        require_file(config)
    question = _question(arguments)
    if arguments.verb == "demo":
        for_snakemake = [*DEMO_ORDER, *for_snakemake]

    written = write_config(question.name, question.config)
    configs = [written, *arguments.configfile]
    if arguments.verb == "card":
        # Of two configs the later one replaces the lists of the earlier, and a card is named in such a list.
        configs = [*arguments.configfile, written]

    status, printed = run_snakemake(question.targets, configs, for_snakemake)
    if status or makes_no_answer(for_snakemake):
        return status

    if arguments.verb == "demo":
        copy_examples()
    page = RESULTS / (question.page or _page_in(printed))
    answer, exit_status = _read_answer(arguments.verb, page)
    if arguments.json:
        print(json.dumps(answer | {"page": str(page)}, indent=1))
    else:
        print(f"{answer['answer']}; open {page}")
    return exit_status


def _question(arguments: argparse.Namespace) -> Question:
    """The question of a verb to the workflow. Raises `UserError`."""
    configs = arguments.configfile
    match arguments.verb:
        case "seen":
            return ask_seen(
                arguments.items,
                arguments.control,
                arguments.model,
                _users_columns(arguments),
                random_order=arguments.random_order or (),
                scores_only=arguments.scores_only,
                configs=configs,
            )
        case "reads":
            if is_log(arguments.pairs):
                return ask_passages(arguments.pairs, arguments.model, configs)
            return ask_reads(arguments.pairs, arguments.model, configs)
        case "paper":
            return ask_paper(
                arguments.paper,
                arguments.judge,
                arguments.rubric,
                claim=arguments.claim,
                cards=arguments.card,
            )
        case "judge":
            judge = arguments.judge or ""
            return ask_judge(arguments.items, arguments.rubric, judge, arguments.replies)
        case "card":
            return ask_card(arguments.name)
        case _:
            return ask_demo()


def _users_columns(arguments: argparse.Namespace) -> dict[str, str]:
    """By our name of a column, the user's name for it, where the user gives one."""
    columns = {}
    for column in ("id", "question", "answer"):
        name = getattr(arguments, column)
        if name is not None:
            columns[column] = name
    return columns


def _page_in(printed: str) -> str:
    """The first page that a rule names, `open PAGE`: a judge's report comes before the passages to read."""
    pages: list[str] = re.findall(r"^open (.+/index\.html)$", printed, re.MULTILINE)
    return pages[0]


def _read_answer(verb: str, page: Path) -> tuple[dict[str, Any], int]:
    """The answer, as JSON next to its page holds it, and the exit status."""
    if verb == "demo":
        return _read_demo(page.parents[1]), 0

    if verb == "card":
        card = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
        parts = [f"{part['name'] or 'all'}: {part['summary']}" for part in card["parts"]]
        return {"answer": f"{card['label']}: {', '.join(parts)}", **card}, 0

    if verb == "paper" and not (page.parent / "verdict.json").exists():
        # No judge was named: the answer is passages to read.
        reading = json.loads((page.parent / "reading.json").read_text(encoding="utf-8"))
        summary = (page.parent / "summary.txt").read_text(encoding="utf-8").strip()
        return {"answer": summary, **reading}, EXITS["cannot tell"]

    verdict = json.loads((page.parent / "verdict.json").read_text(encoding="utf-8"))
    answer = f"{page.parent.name}: {verdict['status']}: {verdict['reason']}"
    return {"answer": answer, **verdict}, EXITS[verdict["outcome"]]


def _read_demo(results: Path) -> dict[str, Any]:
    """The answers of the demo by name, and in one line the status of each."""
    files = (
        "radar/suspected/demo-seen/verdict.json",
        "radar/suspected/demo-unseen/verdict.json",
        "grounding/pairs/json-values/verdict.json",
        "claims/reading/planted-01/reading.json",
    )
    answers = {}
    statuses = []
    for file in files:
        path = results / file
        name = path.parent.name
        answers[name] = json.loads(path.read_text(encoding="utf-8"))
        # A reading aid has no verdict, and so no status.
        statuses.append(f"{name}: {answers[name].get('status', 'not judged')}")
    return {"answer": ", ".join(statuses), **answers}


if __name__ == "__main__":
    sys.exit(main())
