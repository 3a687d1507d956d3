"""Scores one paper by one judge: checks both, runs the workflow's target `claim`, shows its progress and its result."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, TextIO, cast

import tyro

from mechaware.claims.fetching.papers import Paper
from mechaware.claims.rubric.records import Scores, read_record
from mechaware.config_check import checked_lists
from mechaware.configuration import check_choice, read_yaml
from mechaware.errors import UserError
from mechaware.provenance import REPOSITORY
from mechaware.report.results import find_results

FAILED_LOG = re.compile(r"^ *log: (.+?)(?: \(check log.*)?$", re.MULTILINE)
ERROR = re.compile(r"^error: .*\n?", re.MULTILINE)
POLL_S = 0.2


def main(*, paper: str = "", judge: str = "") -> None:
    """Score `paper`, a file, an address or an arXiv identifier, by `judge`, a name of config/judges.yaml."""
    if not paper or not judge:
        raise UserError("no PAPER or no JUDGE; write make claim PAPER=my.pdf JUDGE=lexical")
    name = _check(paper, judge)
    claims = {"own_paper": paper, "judges": [judge]}
    log = Path("logs/claim") / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    progress = Path(f"logs/claims/extract_claims/{judge}/{name}.log")
    progress.unlink(missing_ok=True)
    # Without the config's own lists of papers: they are no part of the target.
    command = ["snakemake", "claim", "--cores", "all", "--nocolor", "--config", f"claims={json.dumps(claims)}"]
    with log.open("w", encoding="utf-8") as stream:
        failed = _follow(subprocess.Popen([sys.executable, "-m", *command], stdout=stream, stderr=stream), progress)
    if failed:
        raise UserError(_cause(log))
    print(_verdict(name, judge))


def _check(paper: str, judge: str) -> str:
    """The paper's id, once the paper and the judge are known to be usable."""
    config: dict[str, Any] = read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    judges = read_yaml(REPOSITORY / "config/judges.yaml", "config/judges.yaml")
    check_choice(judge, judges, "JUDGE", "config/judges.yaml")
    config["claims"] |= {"own_paper": paper, "judges": [judge]}
    return cast(Paper, checked_lists(config, find_results(REPOSITORY), REPOSITORY).own).id


def _follow(process: subprocess.Popen[bytes], progress: Path) -> bool:
    """Show what the judge writes about its progress until the workflow ends; whether it failed."""
    shown: TextIO | None = None
    while True:
        ended = process.poll() is not None
        if shown is None and progress.exists():
            shown = progress.open(encoding="utf-8", errors="replace", newline="")
        if shown is not None:
            sys.stderr.write(ERROR.sub("", shown.read()))  # the end of the command says it
            sys.stderr.flush()
        if ended:
            return process.returncode != 0
        time.sleep(POLL_S)


def _cause(log: Path) -> str:
    """The error of the step that failed, from its own log, or else the last line of Snakemake's."""
    text = log.read_text(encoding="utf-8")
    for path in map(Path, FAILED_LOG.findall(text)):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
        for line in reversed(lines):
            if line.startswith("error: "):
                return line.removeprefix("error: ")
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "no output")
    return f"the workflow failed ({last.strip()}); {log} has the rest"


def _verdict(name: str, judge: str) -> str:
    """The score in one line, and the page to open."""
    scores = read_record(Scores, Path(f"results/claims/judgements/{judge}/{name}/scores.json"))
    if scores.fault is not None:
        verdict = f"not scored ({scores.fault.kind}: {scores.fault.message})"
    elif scores.main is None:
        verdict = "no claim found"
    else:
        best = scores.scored[scores.main]
        verdict = (
            f"CVS {best.cvs:.1f}, {best.tier}" if best.cvs is not None else f"CVS {best.low:.1f} to {best.high:.1f}"
        )
    return f"{verdict} by {judge}: open results/claims/{name}/index.html"


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
