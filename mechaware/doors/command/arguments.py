"""The arguments of `mechaware`, and its help.

The arguments of each verb are declared first. `VERBS` joins them with the verb's help, and
`command_line` makes the parser of all verbs.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

_A_MODEL = "a folder, owner/name[@commit] of the hub, or a name in a config's models"
_A_JUDGE = "a judge that mechaware knows, or a model as ollama/llama3.2 or openai/NAME@URL"


class Verb(NamedTuple):
    """A verb of the command line.

    - `help`: one or two sentences: the verb's line in the list of verbs, and in the verb's own help
      the description.
    - `example`: a command, the last line of the verb's own help.
    - `add_arguments`: declares the verb's own arguments; None if it has none.
    - `shown`: the verdict's status, or statuses, for which the command exits with 3; None for a
      verb that ends without a verdict.
    """

    help: str
    example: str
    add_arguments: Callable[[argparse.ArgumentParser], None] | None = None
    shown: str | None = None


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
        help="CSV, JSON lines or Parquet with the columns pair, prompt, text, wanted, against, "
        "options; or a log of lm-eval or Inspect whose questions are about passages: how much of "
        "the score follows them?",
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
        help="CSV, JSON lines or Parquet with the columns id, group, criterion, claim, text, "
        "label, and perhaps second_label",
    )
    parser.add_argument(
        "--rubric",
        type=Path,
        required=True,
        metavar="FILE",
        help="YAML with name, statuses (the lowest first), criteria and perhaps guidance",
    )
    judge_or_replies = parser.add_mutually_exclusive_group(required=True)
    judge_or_replies.add_argument("--judge", help=_A_JUDGE)
    judge_or_replies.add_argument(
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


VERBS = {
    "demo": Verb(
        help="Ask three questions of examples, in some minutes; a page explains the answers.",
        example="mechaware demo",
    ),
    "seen": Verb(
        help="Was a model trained on a benchmark? "
        "Decided against a control that it cannot have seen.",
        example="mechaware seen items.csv --control control.csv --model ./my-model",
        add_arguments=_add_for_seen,
        shown="seen",
    ),
    "reads": Verb(
        help="Does a model read the word in which two prompts differ? "
        "Does its score follow passages?",
        example="mechaware reads pairs.csv --model HuggingFaceTB/SmolLM2-135M-Instruct",
        add_arguments=_add_for_reads,
        shown="grounds or follows",
    ),
    "paper": Verb(
        help="How strong is a paper's evidence for the mechanism that it claims?",
        example="mechaware paper my.pdf --judge ollama/llama3.2",
        add_arguments=_add_for_paper,
        shown="supported or meets",
    ),
    "judge": Verb(
        help="How far does a judge agree with people's labels, by any rubric?",
        example="mechaware judge items.csv --rubric rubric.yaml --judge ollama/llama3.2",
        add_arguments=_add_for_judge,
        shown="agrees",
    ),
    "card": Verb(
        help="How often is a detector, a rule or a judge of your own wrong on planted truth?",
        example="mechaware card my_package.certainty.CERTAINTY",
        add_arguments=_add_for_card,
    ),
    "run": Verb(
        help="Run the workflow: all that follows is Snakemake's own. "
        "Without a target, all studies.",
        example="mechaware run radar --configfile my.yaml",
    ),
}


def command_line() -> argparse.ArgumentParser:
    """The parser of all verbs; Snakemake's arguments, which follow `run`, are not parsed here."""
    parser = argparse.ArgumentParser(
        prog="mechaware",
        description="How did a language model get its answer? Results lie in ./mechaware-results.",
        formatter_class=_one_screen,
        epilog="mechaware VERB --help shows the arguments of a verb and an example. "
        "Begin with mechaware demo.",
        allow_abbrev=False,
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, verb in VERBS.items():
        verb_parser = verbs.add_parser(
            name,
            help=verb.help,
            description=verb.help,
            usage="mechaware run [arguments of Snakemake]" if name == "run" else None,
            epilog="\n".join([*_notes(name, verb), f"example: {verb.example}"]),
            allow_abbrev=False,
            formatter_class=_one_screen,
        )
        if verb.add_arguments is not None:
            verb.add_arguments(verb_parser)
        if name != "run":
            _add_for_all_but_run(verb_parser)
    return parser


def _add_for_all_but_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--configfile",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="YAML with changes to the default config, also your models and judges",
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def _notes(name: str, verb: Verb) -> list[str]:
    """The lines of a verb's help between its arguments and its example."""
    if name == "run":
        return ["mechaware run -n plans and runs nothing; --profile slurm submits to a cluster."]
    snakemake = (
        "Put Snakemake's arguments after --: -- -n plans and runs nothing, "
        "-- --profile slurm uses a cluster."
    )
    if verb.shown is None:
        return [snakemake]
    return [
        f"Exit status: 3 {verb.shown}, 0 not shown, 4 it cannot be told, 1 an error.",
        snakemake,
    ]


def _one_screen(prog: str) -> argparse.HelpFormatter:
    """Help in few lines: wide, with the example on a line of its own."""
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28, width=100)
