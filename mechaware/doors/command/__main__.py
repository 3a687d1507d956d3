"""The command `mechaware`: from what was typed to the last line and the exit status.

`arguments` declares what can be typed, `questions` turns it into a config and targets, `running`
runs Snakemake, and `answers` reads the answer.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.doors.command.answers import read_answer
from mechaware.doors.command.arguments import command_line
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
    replace_by_snakemake,
    run_snakemake,
    write_config,
)
from mechaware.doors.command.snakemake_arguments import makes_no_answer


def main(argv: Sequence[str] | None = None) -> int:
    """Ask the verb's question and print its answer.

    Returns the exit status: 0 not shown, 3 shown, 4 it cannot be told; 1 an error; 2 nothing was
    typed; 130 an interrupt, as in a shell. For help, and for what it cannot parse, argparse itself
    ends the process, with 0 and 2. `run` replaces the process by Snakemake's.
    """
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
        # Without a message: Snakemake has printed one.
        return 130


def _split(typed: list[str]) -> tuple[list[str], list[str]]:
    """The arguments of the verb, before the first `--`, and those of Snakemake, after it."""
    if "--" not in typed:
        return typed, []
    separator = typed.index("--")
    return typed[:separator], typed[separator + 1 :]


def _answer(arguments: argparse.Namespace, for_snakemake: list[str]) -> int:
    """Run the workflow for a verb, and print the answer as the last line, or as JSON.

    Returns the exit status of the answer. There is no answer if Snakemake fails or only plans; then
    the exit status is Snakemake's.
    """
    for config in arguments.configfile:
        require_file(config)
    question = _question(arguments)
    if arguments.verb == "demo":
        for_snakemake = [*DEMO_ORDER, *for_snakemake]

    verb_config = write_config(question.name, question.config)
    # Of two configs the later one has precedence.
    configs = [verb_config, *arguments.configfile]
    if arguments.verb == "card":
        # The later config also replaces the lists of the earlier one, and the detector, rule or
        # judge of a card is named in such a list.
        configs = [*arguments.configfile, verb_config]

    snakemake_status, printed = run_snakemake(question.targets, configs, for_snakemake)
    if snakemake_status or makes_no_answer(for_snakemake):
        return snakemake_status

    if arguments.verb == "demo":
        copy_examples()
    page = RESULTS / (question.page or _page_in(printed))
    answer = read_answer(arguments.verb, page)
    if arguments.json:
        print(json.dumps(answer.record | {"page": str(page)}, indent=1))
    else:
        print(f"{answer.record['answer']}; open {page}")
    return answer.exit_status


def _question(arguments: argparse.Namespace) -> Question:
    """What the verb asks of the workflow. Raises `UserError` for arguments that cannot be used."""
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
    """The user's name of each column that the user renames, by our name."""
    columns = {}
    for column in ("id", "question", "answer"):
        name = getattr(arguments, column)
        if name is not None:
            columns[column] = name
    return columns


def _page_in(printed: str) -> str:
    """The first page in a line `open PAGE`.

    If a paper has several pages, its judge's report comes first, before the passages to read.
    """
    pages: list[str] = re.findall(r"^open (.+/index\.html)$", printed, re.MULTILINE)
    return pages[0]


if __name__ == "__main__":
    sys.exit(main())
