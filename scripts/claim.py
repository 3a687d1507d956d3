"""Scores one paper by one judge: checks both, runs the workflow's target `claim`, shows its progress and its result."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, TextIO

import tyro

from mechaware.claims.fetching.papers import Paper
from mechaware.claims.judges.settings import read_key
from mechaware.claims.rubric.records import Scores, read_record
from mechaware.configuration.checks import checked_lists
from mechaware.configuration.schema import check_choice, read_yaml
from mechaware.errors import UserError
from mechaware.provenance import REPOSITORY
from mechaware.report.results import find_results

FAILED_LOG = re.compile(r"^ *log: (.+?)(?: \(check log.*)?$", re.MULTILINE)
ERROR = re.compile(r"^error: .*\n?", re.MULTILINE)
LOCKED = "Directory cannot be locked"  # in Snakemake's log while another run holds the folder
POLL_S = 0.2
INTERRUPTED = 130  # the exit status of a command that Ctrl-C ended


def main(*, paper: str = "", judge: str = "lexical") -> None:
    """Score `paper`, a file, an address or an arXiv identifier, by `judge`, a name of config/judges.yaml."""
    own_paper = _check(paper, judge)
    if own_paper.source != "file":
        print(f"fetching {own_paper.location}", file=sys.stderr)
    name = own_paper.id
    claims = {"own_paper": paper, "judges": [judge]}
    log = Path("logs/claim") / f"{name}-{os.getpid()}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    # Without the config's own lists of papers: they are no part of the target.
    target = f"results/claims/{name}"
    command = ["snakemake", target, "--cores", "all", "--nocolor", "--config", f"claims={json.dumps(claims)}"]
    with log.open("w", encoding="utf-8") as stream:
        process = subprocess.Popen([sys.executable, "-m", *command], stdout=stream, stderr=stream)
        failed = _follow(process, Path(f"logs/claims/judge_paper/{judge}/{name}.log"))
    if failed:
        raise UserError(_cause(log))
    log.unlink()
    print(_verdict(name, judge))


def _check(paper: str, judge: str) -> Paper:
    """The paper, once it and the judge are known to be usable."""
    config: dict[str, Any] = read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    judges = read_yaml(REPOSITORY / "config/judges.yaml", "config/judges.yaml")
    check_choice(judge, judges, "JUDGE", "config/judges.yaml")
    if not paper:
        raise UserError("no PAPER; write make claim PAPER=my.pdf (make demo scores a paper of the project's)")
    config["claims"] |= {"own_paper": paper, "judges": [judge]}
    own_paper = checked_lists(config, find_results(REPOSITORY), REPOSITORY).own_paper
    assert own_paper is not None  # noqa: S101 - the config names one
    if not Path(config["claims"]["responses"], judge).exists():  # stored replies are used without a key
        read_key(judge, judges[judge].get("api_key_env"))
    return own_paper


def _follow(process: subprocess.Popen[bytes], progress: Path) -> bool:
    """Show what the judge writes about its progress until the workflow ends; whether it failed.

    Ctrl-C also reaches the workflow; this waits until the workflow has removed its locks.
    """
    started, shown = time.time(), None
    try:
        while True:
            ended = process.poll() is not None
            if shown is None and progress.exists() and progress.stat().st_mtime >= started:
                shown = progress.open(encoding="utf-8", errors="replace", newline="")
            _show(shown)
            if ended:
                return process.returncode != 0
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        with contextlib.suppress(KeyboardInterrupt):
            process.wait()
        raise


def _show(progress: TextIO | None) -> None:
    if progress is not None:
        sys.stderr.write(ERROR.sub("", progress.read()))  # `main` prints the error once, as its last line
        sys.stderr.flush()


def _cause(log: Path) -> str:
    """The error of the step that failed, from its own log, or else the last line of Snakemake's."""
    text = log.read_text(encoding="utf-8")
    if LOCKED in text:
        return "another command scores a paper of this name; wait (if none does, one was killed: snakemake --unlock)"
    for path in map(Path, FAILED_LOG.findall(text)):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
        for line in reversed(lines):
            if line.startswith("error: "):
                return line.removeprefix("error: ")
    last = next((line for line in reversed(text.splitlines()) if line.strip()), "no output")
    return f"the workflow failed ({last.strip()}); {log} has the rest"


def _verdict(name: str, judge: str) -> str:
    """The score with what it is worth, and the page to open. Raises `UserError` if the judge gave none."""
    page = f"results/claims/{name}/index.html"
    fault = read_record(Scores, Path(f"results/claims/judgements/{judge}/{name}/scores.json")).fault
    if fault is not None:
        raise UserError(f"not scored by {judge} ({fault.kind}: {fault.message}); {page} has the rest")
    summary = Path(f"results/claims/{name}/summary.txt").read_text(encoding="utf-8")
    return f"{summary}for a review form: results/claims/{name}/review.md\nopen {page}"


if __name__ == "__main__":
    try:
        tyro.cli(main)
    except UserError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        print("stopped; run again: replies that came are kept", file=sys.stderr)
        sys.exit(INTERRUPTED)
