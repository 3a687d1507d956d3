"""The small run with each command in its rule's own environment: `python -m
tests.environments.each_alone FOLDER`.

For each file in `envs/` a virtual environment is made in FOLDER from its pip part alone; pip finds
what these packages need. Then the small run with the embedded model as a judge is made in FOLDER.
Its jobs find a `python` that passes each command on to the environment that its rule names, as
`--software-deployment-method conda` does; Snakemake runs in this interpreter. Commands that this
run does not need are imported in their environments. The number of commands in each is printed. One
that fails there, or cannot be imported, fails the run.
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

RULE = re.compile(r"^(?:use rule \w+ as \w+ with|rule \w*):\n((?:[ ]{4}.*\n|\n)+)", re.MULTILINE)
# Standard library alone: the interpreter starts without the packages that are installed beside it.
CLIENT = """#!{python} -IS
import json, os, sys
from pathlib import Path

folder, words = Path({folder!r}), sys.argv[1:]
places = json.loads((folder / "places.json").read_text())
module, step = words[2:4]  # behind -P and mechaware/core/run_module.py
module = f"scripts.{{step}}" if module == "scripts" else module
if module not in places:  # one command for all figures, and one for all tables
    module += " " + Path(words[words.index("--out") + 1]).stem
with (folder / "started").open("a") as log:
    log.write(f"{{places[module]}} {{module}}\\n")
python = folder / places[module] / "bin/python"
os.execv(python, [str(python), *words])
"""


def places() -> dict[str, str]:
    """The environment of each command by its module,
    or by module and result for a figure and a table.
    """
    found = defaultdict[str, set[str]](set)
    given = dict[str, dict[str, str]]()
    for path in REPOSITORY.glob("rules/*.smk"):
        text = path.read_text()
        for body in RULE.findall(text):
            for script in re.findall(r'command\(\s*"(scripts/[\w/]+)\.py"', body):
                environments_named = set(
                    re.findall(r'^        "\.\./envs/(\w+)\.yaml"', body, re.MULTILINE)
                )
                found[script.replace("/", ".")] |= environments_named
        if environments := re.search(r"environments=(\{.*?\})", text):
            given[path.stem] = yaml.safe_load(environments[1])
    for result in find_results(REPOSITORY):
        command = "draw_figure" if result.folder == "figures" else "fill_table"
        found[f"scripts.{command} {result.name}"] = {given[result.study][result.folder]}
    return {module: environment for module, (environment,) in found.items()}


def install(environment: str, folder: Path) -> None:
    """A virtual environment in `folder` from the pip part of a file in `envs/`."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    listed = yaml.safe_load((REPOSITORY / f"envs/{environment}.yaml").read_text())["dependencies"]
    (requirements,) = (entry["pip"] for entry in listed if isinstance(entry, dict))
    pip = [folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*map(str, pip), *requirements], check=True)


def main(folder: Path) -> None:
    tree, shim = folder / "tree", folder / "shim"
    for path in (tree, shim):
        path.mkdir(parents=True)
    found = places()
    for environment in sorted({path.stem for path in REPOSITORY.glob("envs/*.yaml")}):
        install(environment, folder / environment)
        print(f"{environment}: installed", flush=True)
    (folder / "places.json").write_text(json.dumps(found))
    (shim / "python").write_text(CLIENT.format(python=sys.executable, folder=str(folder)))
    (shim / "python").chmod(0o755)
    copy_of_the_tree(tree)
    # Nothing of this environment's: a package that only it has is not found by the jobs.
    environment = os.environ | {"PATH": f"{shim}{os.pathsep}{os.defpath}"}
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        "all",
        "--configfile",
        "config/test.yaml",
    ]
    command += ["config/test_embedded.yaml", "--resources", "gpu=1", "--"]
    for target in ("all", "results/ro-crate-metadata.json"):
        subprocess.run([*command, target], cwd=tree, env=environment, check=True)
    started = [line.split(maxsplit=1) for line in (folder / "started").read_text().splitlines()]
    print(
        *(
            f"{name}: {count} commands"
            for name, count in sorted(Counter(name for name, _ in started).items())
        ),
        sep="\n",
    )
    for module in sorted(found.keys() - {module for _, module in started}):
        python = folder / found[module] / "bin/python"
        subprocess.run([str(python), "-c", f"import {module}"], cwd=tree, check=True)
        print(f"imported in {found[module]}, not run: {module}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
