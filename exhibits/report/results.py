"""Finds the studies' figures and tables: each is one Python file that declares what it is given.

- A figure is `exhibits/{study}/figures/{name}.py` with a function `draw`.
- A table is `exhibits/{study}/tables/{name}.py` with a function `fill`.
- `exhibits/reanalysis/{study}_implied.py` is also a table: what follows from nothing but a paper's
  printed numbers.

The result has the name of its file. Three constants of the file declare what the function is given:

- `READS`: parameter -> path of the file, or of the files, that it reads. Names in braces, such as
  `{model}`, are filled in with every value that the study has for them.
- `CONFIG`: parameter -> path of the config leaf, such as `grounding/tau`.
- `SETTINGS`: parameter -> JSON Schema of a setting that only this figure has, with its `default`;
  the config may set it under `figures/{name}/{parameter}`.

A parameter `seed` gets a seed of the result's own. The study supplies all other parameters, such as
labels of models.

The declarations are literals and are read without running the file, so that a dry run loads neither
pandas nor matplotlib.
"""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.yaml_files import read_yaml

# The function of a result, by its folder.
FUNCTIONS = {"figures": "draw", "tables": "fill"}
SEED = "seed"
_BEGIN_OF_RESULTS = "<!-- results: made by 'make docs' -->"
_END_OF_RESULTS = "<!-- end of results -->"


class Result(NamedTuple):
    """A figure or a table, as its file declares it."""

    name: str
    study: str
    folder: str  # figures or tables
    module: str
    title: str  # the first paragraph of the file's docstring, on one line
    reads: Mapping[str, str]
    config: Mapping[str, str]
    settings: Mapping[str, Mapping[str, Any]]
    parameters: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file that declares the result, relative to the repository."""
        return f"{self.module.replace('.', '/')}.py"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The files that the result is written to; the file that a reader opens comes first."""
        suffixes = ("pdf", "png", "svg") if self.folder == "figures" else ("csv", "tex")
        return tuple(f"results/{self.folder}/{self.name}.{suffix}" for suffix in suffixes)

    @property
    def caption(self) -> str:
        """The file of its caption; a figure and a table of the same name have separate captions."""
        return f"paper/captions/{self.folder}/{self.name}.rst"

    @property
    def undeclared(self) -> tuple[str, ...]:
        """Parameters that READS, CONFIG and SETTINGS do not declare; the study supplies them."""
        declared = {*self.reads, *self.config, *self.settings, SEED}
        return tuple(name for name in self.parameters if name not in declared)


def find_results(repository: Path) -> list[Result]:
    """Every figure and table of every study, sorted by study, folder and name.

    A file in a folder of figures or tables is a result if its name has an underscore.

    Raises:
        UserError: A file cannot be parsed, lacks its docstring or its function, or has faulty
            declarations or parameters (see `_read_result`); a result has no caption in
            paper/captions; or two figures or two tables have the same name.
    """
    paths: list[Path] = []
    for folder in FUNCTIONS:
        paths += repository.glob(f"exhibits/*/{folder}/*_*.py")
    paths = [path for path in paths if path.stem != "__init__"]
    paths += repository.glob("exhibits/reanalysis/*_implied.py")
    results = [_read_result(path, repository) for path in paths]
    results.sort(key=lambda result: (result.study, result.folder, result.name))

    files: dict[tuple[str, str], str] = {}
    for result in results:
        other = files.setdefault((result.folder, result.name), result.file)
        if other != result.file:
            raise UserError(f"{result.file}: {other} has the same name; rename one of them")
        if not (repository / result.caption).exists():
            raise UserError(f"{result.file}: no caption; write {result.caption}")
    return results


def config_schema(repository: Path, results: Iterable[Result]) -> dict[str, Any]:
    """The JSON Schema of a config: config/schema.yaml plus `figures`, the settings of figures."""
    schema: dict[str, Any] = read_yaml(repository / "config/schema.yaml", "config/schema.yaml")
    schema_of_figure = {}
    for result in results:
        if result.folder == "figures":
            schema_of_figure[result.name] = {
                "description": result.title,
                "type": "object",
                "additionalProperties": False,
                "properties": dict(result.settings),
            }
    schema["properties"]["figures"] = {
        "description": "How the figures are drawn. Each key may be left out; "
        "a change redraws that figure alone.",
        "type": "object",
        "additionalProperties": False,
        "properties": schema_of_figure,
    }
    return schema


def figure_settings(
    results: Iterable[Result], configured: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """By figure, its settings: the defaults in its file, overridden by `configured`.

    `configured` is the section `figures` of the config.
    """
    settings = {}
    for result in results:
        if result.folder == "figures":
            defaults = {name: schema["default"] for name, schema in result.settings.items()}
            settings[result.name] = defaults | dict(configured.get(result.name) or {})
    return settings


def with_results_table(page: str, results: Iterable[Result]) -> str:
    """The text of a page, with one row per table and figure between two marks.

    The marks are `_BEGIN_OF_RESULTS` and `_END_OF_RESULTS`; what the page had between them is
    replaced.
    """
    before, _, rest = page.partition(_BEGIN_OF_RESULTS)
    after = rest.partition(_END_OF_RESULTS)[2]
    lines = [_BEGIN_OF_RESULTS, "| what | where |", "|---|---|"]
    for result in results:
        lines.append(f"| {result.title.removesuffix('.')} | `{result.outputs[0]}` |")
    lines.append(_END_OF_RESULTS)
    return before + "\n".join(lines) + after


def _read_result(path: Path, repository: Path) -> Result:
    """What a file declares, without running it.

    Raises:
        UserError: The file cannot be parsed, or lacks its function or its docstring; the function
            has parameters that are not keyword-only; a setting has no default; or a declaration is
            no literal or names a parameter that the function does not take.
    """
    place = path.relative_to(repository)
    if place.parts[1] == "reanalysis":
        study = path.stem.partition("_")[0]
        folder = "tables"
    else:
        study, folder = place.parts[1:3]
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise UserError(f"{place}, line {error.lineno}: {error.msg}; correct the line") from None

    function = FUNCTIONS[folder]
    definitions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if function not in definitions:
        raise UserError(
            f"{place}: no function '{function}'; "
            f"a file in {folder}/ with '_' in its name is a result"
        )
    arguments = definitions[function].args
    if arguments.args or arguments.vararg or arguments.kwarg:
        raise UserError(
            f"{place}: '{function}' takes only keyword-only parameters; begin them with '*'"
        )

    declared = {
        constant: _literal(tree, constant, place) for constant in ("READS", "CONFIG", "SETTINGS")
    }
    parameters = tuple(argument.arg for argument in arguments.kwonlyargs)

    first_paragraph = (ast.get_docstring(tree) or "").partition("\n\n")[0]
    title = " ".join(first_paragraph.split())
    if not title:
        raise UserError(f"{place}: no docstring; say in its first sentence what is shown")
    for setting, schema in declared["SETTINGS"].items():
        if "default" not in schema:
            raise UserError(f"{place}: SETTINGS has no default for '{setting}'; add it")
    for constant, names in declared.items():
        unused = sorted(set(names) - set(parameters))
        if unused:
            raise UserError(
                f"{place}: {constant} names '{unused[0]}', which '{function}' does not take; "
                "add the parameter"
            )
    return Result(
        name=path.stem,
        study=study,
        folder=folder,
        module=".".join(place.with_suffix("").parts),
        title=title,
        reads=declared["READS"],
        config=declared["CONFIG"],
        settings=declared["SETTINGS"],
        parameters=parameters,
    )


def _literal(tree: ast.Module, constant: str, place: Path) -> dict[str, Any]:
    """The dictionary that a module assigns to a constant; empty if it has no such constant.

    Raises `UserError` if its value is not a literal dictionary.
    """
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        else:
            continue
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if constant not in names or node.value is None:
            continue
        try:
            return dict(ast.literal_eval(node.value))
        except (ValueError, TypeError):
            raise UserError(
                f"{place}: {constant} is not a literal dictionary; write its values out"
            ) from None
    return {}
