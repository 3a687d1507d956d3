"""What a plan costs as it grows: a dry run of RADAR over many models and prompt sets.

Run `.venv/bin/python -m benchmarks.many_models 10x10 50x20 100x50`: each is a number of models by a number of prompt
sets. In a copy of the repository the models are entries of the hub, which a dry run does not fetch, and the prompt sets
are copies of `radar_matched`. Printed are the jobs, the CPU seconds and the peak memory of `snakemake -n`, which uses
one core.
"""

import resource
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from benchmarks.result import print_result
from benchmarks.workflow import copy_tracked, snakemake

SETS_FROM = "config/prompts/radar_matched.csv"


def copy_with(folder: Path, models: int, sets: int) -> None:
    """The repository with so many models and prompt sets, and a config `many.yaml` that names them."""
    copy_tracked(folder)
    entries = {
        f"model-{number}": {"kind": "hub", "label": f"Model {number}", "repo": "a/b", "revision": f"{number:040x}"}
        for number in range(models)
    }
    with (folder / "config/models.yaml").open("a") as listed:
        yaml.safe_dump(entries, listed)
    evaluated = [f"set-{number}" for number in range(sets)]
    for name in evaluated:
        shutil.copy(folder / SETS_FROM, folder / f"config/prompts/{name}.csv")
    config = {"studies": ["radar"], "radar": {"models": list(entries), "evaluate": evaluated}}
    (folder / "many.yaml").write_text(yaml.safe_dump(config))


def measure(models: int, sets: int) -> dict[str, object]:
    """Jobs, CPU seconds and the peak memory of all children so far, of which the last is the largest."""
    with TemporaryDirectory() as name:
        copy_with(Path(name), models, sets)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        printed = snakemake(Path(name), "-n", "--quiet", "rules", "--configfile", "many.yaml")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    jobs, *_ = (line.split()[1] for line in printed.splitlines() if line.startswith("total "))
    memory = round(after.ru_maxrss / 1024)
    return {"models": models, "sets": sets, "jobs": int(jobs), "CPU seconds": round(seconds, 1), "MiB": memory}


if __name__ == "__main__":
    measured = []
    for size in sys.argv[1:] or ["10x10", "50x20"]:
        measured.append(measure(*map(int, size.split("x"))))
        print(measured[-1], flush=True)
    print_result("many_models", cases=measured)
