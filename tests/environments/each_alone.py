"""The small run, with each command in the environment of its own rule:

    python -m tests.environments.each_alone FOLDER

1. For each file in `envs/`, a virtual environment is made in FOLDER from the pip part of the file
   alone; pip adds what these packages need.
2. The small run, with the embedded model as a second judge, is made in FOLDER. Snakemake runs in
   the interpreter of this script. The jobs find another `python`, which passes each command on to
   the environment that its rule names, as `--software-deployment-method conda` does.
3. The commands that the small run does not need are imported in their environments.

The number of commands run in each environment is printed. A command that fails, or that cannot be
imported, fails the script.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import yaml

from exhibits.report.results import find_results
from tests.checkout import REPOSITORY, copy_of_the_tree

STEPS = "scripts/*/[!_]*.py"
# A rule with its indented lines, such as `rule draw_cards:`, or
# `use rule judge_paper as judge_paper_by_provider with:`.
RULE = re.compile(r"^(?:use rule \w+ as \w+ with|rule \w*):\n((?:[ ]{4}.*\n|\n)+)", re.MULTILINE)
# The `python` of the jobs, which replaces itself by the `python` of the command's environment. Its
# arguments are those of rules/common.smk: for a step -P, mechaware/core/run_module.py, `scripts`,
# the step, and flags; for a figure or a table the module in place of `scripts` and the step. The
# options -I and -S start the interpreter without the packages that are installed for it.
JOB_PYTHON = """#!{python} -IS
import json, os, sys
from pathlib import Path

folder = Path({folder!r})
words = sys.argv[1:]
environments = json.loads((folder / "environments.json").read_text())
command = words[2]
if command == "scripts":
    command = "scripts." + words[3]
if command not in environments:
    # One module draws all figures and one fills all tables, each result in its environment.
    command += " " + Path(words[words.index("--out") + 1]).stem
environment = environments[command]
with (folder / "started").open("a") as log:
    log.write(f"{{environment}} {{command}}\\n")
python = folder / environment / "bin/python"
os.execv(python, [str(python), *words])
"""


def environment_of_each_command() -> dict[str, str]:
    """The environment, a file in `envs/` without its ending, of each command by name.

    The name is the module of a step, such as `scripts.radar.extract_features`, or the module and
    the result, such as `scripts.draw_figure radar_scores`.
    """
    named_by_rules = defaultdict[str, set[str]](set)
    of_results: dict[str, dict[str, str]] = {}  # by study and folder
    for path in REPOSITORY.glob("rules/*.smk"):
        text = path.read_text()
        for body in RULE.findall(text):
            named = re.findall(r'^        "\.\./envs/(\w+)\.yaml"', body, re.MULTILINE)
            for script in re.findall(r'code=code\(\s*"(scripts/[\w/]+)\.py"', body):
                named_by_rules[script.replace("/", ".")].update(named)
        if environments := re.search(r"environments=(\{.*?\})", text):
            of_results[path.stem] = yaml.safe_load(environments[1])

    steps = {f"scripts.{path.parent.name}.{path.stem}" for path in REPOSITORY.glob(STEPS)}
    missing = steps - named_by_rules.keys()
    assert not missing, f"no rule is found for {sorted(missing)}"

    found = {command: environment for command, (environment,) in named_by_rules.items()}
    for result in find_results(REPOSITORY):
        module = "draw_figure" if result.folder == "figures" else "fill_table"
        found[f"scripts.{module} {result.name}"] = of_results[result.study][result.folder]
    return found


def install(environment: str, folder: Path) -> None:
    """Make a virtual environment in `folder` from the pip part of a file in `envs/`."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    listed = yaml.safe_load((REPOSITORY / f"envs/{environment}.yaml").read_text())["dependencies"]
    (requirements,) = (entry["pip"] for entry in listed if isinstance(entry, dict))
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*map(str, pip), *requirements], check=True)


def make_small_run(folder: Path) -> list[str]:
    """Make the small run in `folder`, in which the environments are installed.

    Returns a line for each command that was started: its environment, a space, and its name.
    """
    tree = folder / "tree"
    tree.mkdir()
    copy_of_the_tree(tree)

    job_python = folder / "job_python/python"
    job_python.parent.mkdir()
    job_python.write_text(JOB_PYTHON.format(python=sys.executable, folder=str(folder)))
    job_python.chmod(0o755)

    # The PATH has no folder of this script's environment, so that jobs find none of its programs.
    variables = os.environ | {"PATH": f"{job_python.parent}{os.pathsep}{os.defpath}"}
    snakemake = [sys.executable, "-m", "snakemake", "--cores", "all", "--resources", "gpu=1"]
    configs = ["--configfile", "config/test.yaml", "config/test_embedded.yaml"]
    for target in ("all", "results/ro-crate-metadata.json"):
        subprocess.run([*snakemake, *configs, "--", target], cwd=tree, env=variables, check=True)
    return (folder / "started").read_text().splitlines()


def main(folder: Path) -> None:
    """Do the three steps in `folder`, which must be new or empty.

    Prints the number of commands that ran in each environment.
    """
    folder.mkdir(parents=True, exist_ok=True)
    environments = environment_of_each_command()
    (folder / "environments.json").write_text(json.dumps(environments))
    for path in sorted(REPOSITORY.glob("envs/*.yaml")):
        install(path.stem, folder / path.stem)
        print(f"{path.stem}: installed", flush=True)

    n_commands = Counter[str]()
    started = set()
    for line in make_small_run(folder):
        environment, command = line.split(maxsplit=1)
        n_commands[environment] += 1
        started.add(command)
    for environment, count in sorted(n_commands.items()):
        print(f"{environment}: {count} commands")

    for command in sorted(environments.keys() - started):
        environment = environments[command]
        python = folder / environment / "bin/python"
        module = command.split()[0]
        subprocess.run([str(python), "-c", f"import {module}"], cwd=folder / "tree", check=True)
        print(f"imported in {environment}, not run: {command}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
