"""What SECURITY.md promises: no code from outside the repository runs, names stay in their folders,
and text in tables and pages is escaped.
"""

import copy
import re
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from exhibits.report.results import config_schema, find_results
from exhibits.report.tables import Table, save_table
from exhibits.report.typesetting import typeset
from mechaware.core.errors import UserError
from mechaware.core.schema import check
from mechaware.core.yaml_files import read_yaml
from mechaware.instruments.claims.fetching.papers import COLUMNS, own_paper, read_papers
from mechaware.instruments.radar.prompts import read_prompts

REPOSITORY = Path(__file__).resolve().parents[2]

# Code from outside

SOURCES = [
    path
    for name in ("mechaware", "exhibits", "scripts")
    for path in REPOSITORY.glob(f"{name}/**/*.py")
]

# Lines that could run code which they read. An import that gives such a module or function another
# name is refused as well, since the other expressions know only the usual names.
RUNS_CODE = re.compile(
    "|".join(
        (
            # Modules that load pickles or code.
            r"^ *(?:import|from) (?:c?[Pp]ickle|dill|cloudpickle|joblib|shelve|marshal|diskcache)\b",
            # Other names: `import torch as t`, `from yaml import load as read`.
            r"^ *import (?:torch|yaml|os|builtins)[\w.]* as\b",
            r"^ *from (?:torch|yaml|os|builtins)\b[\w.]* import .*\b(?:\w*load\w*|jit|hub|system|eval|exec|compile)\b",
            # Calls that run code, or load objects or programs.
            r"(?<![\w.])(?:builtins\.)?(?:eval|exec|compile|__import__)\(",
            r"\b(?:read_pickle|popen|getoutput|getstatusoutput|full_load\w*|unsafe_load\w*)\(",
            r"\b(?:os\.system|jit\.load|hub\.load)\(",
            # Loaders without their safe argument on the same line.
            r"\byaml\.load(?:_all)?\((?!.*\byaml\.C?SafeLoader\b)",
            r"\btorch\.load\((?!.*\bweights_only=True\b)",
            # Arguments that allow code, unless they are False.
            r"\b(?:trust_remote_code|allow_pickle)\b(?!=False\b)",
            r"\bshell=(?!False\b)",
        )
    ),
    re.MULTILINE,
)


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "torch.load(path)",
        "from torch import load as read",
        "yaml.load(text, Loader=yaml.Loader)",
        "AutoModel.from_pretrained(p, trust_remote_code=trusted)",
        'f(**{"trust_remote_code": True})',
        "subprocess.run(command, shell=True)",
        "np.load(path, allow_pickle=True)",
        "eval(text)",
        "pd.read_pickle(path)",
    ],
)
def test_a_line_that_could_run_foreign_code_is_found(source: str) -> None:
    assert RUNS_CODE.search(source)


@pytest.mark.parametrize(
    "source",
    [
        "from safetensors.torch import load_file\nload_file(path)",
        "from skops.io import load\nload(path, trusted=TRUSTED)",
        "torch.load(path, weights_only=True)",
        "yaml.safe_load(text)",
        "yaml.load(text, Loader=yaml.CSafeLoader)",
    ],
)
def test_a_line_that_loads_data_alone_is_not_found(source: str) -> None:
    assert not RUNS_CODE.search(source)


def test_no_source_has_a_line_that_could_run_foreign_code() -> None:
    assert len(SOURCES) > 200
    found = {}
    for path in SOURCES:
        if matches := RUNS_CODE.findall(path.read_text()):
            found[str(path.relative_to(REPOSITORY))] = matches
    assert found == {}


# Names

# Names that would lead out of their folder, be taken for a flag, end a line, or mean something else
# to a shell or a template.
UNUSABLE_NAMES = [
    "../x",
    "..",
    ".x",
    "/etc/x",
    "a/b",
    "a\\b",
    "-x",
    "x\0",
    "x\n",
    "a\nb",
    "a b",
    "$(x)",
    "{x}",
    "'x'",
    "",
]


@cache
def schema() -> Any:
    return config_schema(REPOSITORY, find_results(REPOSITORY))


@cache
def default_config() -> Any:
    return read_yaml(REPOSITORY / "config/config.yaml", "config")


# Where the config has names that become names of files: a name, a list of names, or names as keys.
NAME_SETTINGS = {
    "models": ("radar", "models"),
    "training set": ("radar", "train"),
    "evaluated sets": ("radar", "evaluate"),
    "suspected benchmarks": ("radar", "suspected"),
    "models with planted items": ("radar", "memorisation", "pretrained", "models"),
    "base": ("grounding", "base"),
    "tasks": ("grounding", "pairs"),
    "models that read SQL": ("grounding", "pretrained", "models"),
    "judges": ("claims", "judges"),
    "judges that cost": ("claims", "trust", "paid_judges"),
    "papers": ("claims", "papers"),
    "judge cards": ("claims", "judge_cards"),
    "judges' prompts": ("claims", "prompts"),
}


def with_name(setting: tuple[str, ...], name: str) -> Any:
    """The default config with `name` at a setting: in place of a name, as the only entry of a list
    or as the only key of a mapping.
    """
    config = copy.deepcopy(default_config())
    *sections, key = setting
    section = config
    for section_name in sections:
        section = section[section_name]

    if isinstance(section[key], list):
        section[key] = [name]
    elif isinstance(section[key], dict):
        section[key] = {name: {}}
    else:
        section[key] = name
    return config


def refusal(document: Any, part_of_schema: Any, title: str) -> str:
    """The message that refuses a document, which it calls `title`."""
    with pytest.raises(UserError) as refused:
        check(document, part_of_schema, title)
    return str(refused.value)


@pytest.mark.parametrize("setting", NAME_SETTINGS.values(), ids=NAME_SETTINGS)
def test_a_name_of_the_config_that_is_no_file_name_is_refused_in_one_line(
    setting: tuple[str, ...],
) -> None:
    for name in UNUSABLE_NAMES:
        message = refusal(with_name(setting, name), schema(), "config")
        assert message.startswith(f"config, {'/'.join(setting)}"), message
        assert repr(name) in message
        assert message.isprintable()


@pytest.mark.parametrize("kind", ["models", "judges"])
def test_a_listed_model_or_judge_whose_name_is_no_file_name_is_refused_in_one_line(
    kind: str,
) -> None:
    part_of_schema = {"$defs": schema()["$defs"], "$ref": f"#/$defs/{kind}"}
    entry = next(iter(read_yaml(REPOSITORY / f"config/{kind}.yaml", kind).values()))
    # By a usable name the same entry is accepted.
    check({"x": entry}, part_of_schema, kind)
    for name in UNUSABLE_NAMES:
        message = refusal({name: entry}, part_of_schema, kind)
        assert repr(name) in message
        assert message.isprintable()


# Spaces and line breaks around a cell of papers.csv are left out, which makes "x\n" usable.
@pytest.mark.parametrize("name", [name for name in UNUSABLE_NAMES if name.strip() != "x"])
def test_a_papers_id_that_is_no_file_name_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    listed = tmp_path / "papers.csv"
    listed.write_text(f'{",".join(COLUMNS)}\n"{name}",file,x.pdf,T,,\n')
    with pytest.raises(UserError) as refused:
        read_papers(listed)
    assert f"id {name!r} cannot name a folder here" in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "location",
    [
        "https://example.org/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "https://openreview.net/forum?id=../../x",
        "https://example.org/a%00b.pdf",
        "https://example.org/..",
    ],
)
def test_a_paper_that_is_named_by_its_address_stays_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", own_paper(location, ()).id)


@pytest.mark.parametrize("name", ["x\0y", "x\ny", "x\x1b[2J"])
def test_a_prompts_id_with_a_control_character_is_refused_in_one_line(
    tmp_path: Path, name: str
) -> None:
    """The id `../x` is accepted: an id names a row, never a file."""
    prompts = tmp_path / "prompts.csv"
    prompts.write_text(
        f'id,prompt,label,category,source\n../x,P,recall,c,s\n"{name}",Q,recall,c,s\n'
    )
    with pytest.raises(UserError) as refused:
        read_prompts(prompts)
    assert (
        str(refused.value)
        == f"{prompts}, row 3: id {name!r} has a control character; write text on one line"
    )


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.system [id]", "x: !!python/object:object {}"]
)
def test_yaml_that_asks_for_a_python_object_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"^a, line 1: not YAML"):
        read_yaml(path, "a")
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(text)


# Escaping

HOSTILE = '</td><script>window.owned = 1</script> #panic("owned") \\input{/etc/passwd} $x$ & "'


@pytest.fixture
def hostile_table(tmp_path: Path) -> Path:
    """The folder of a paper with one table, whose only cell is `HOSTILE`.

    - `paper/main.typ` shows the table t; paper/ has the sources and the caption that it needs.
    - `results/tables/` has the table's numbers and the text that the paper shows.
    - `t.tex` is the table in LaTeX.
    """
    files = {
        "paper/main.typ": '#import "results.typ": result-table\n#result-table("t")\n',
        "paper/results.typ": (REPOSITORY / "paper/results.typ").read_text(),
        "paper/style.typ": (REPOSITORY / "paper/style.typ").read_text(),
        "paper/captions/tables/t.rst": "A table. With words.\n",
        "results/values/radar.json": '{"lists": {}, "values": {}}',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    cells = pd.DataFrame({"model": [HOSTILE]})
    tables = tmp_path / "results/tables"
    save_table(
        Table(numbers=cells, shown=cells),
        tables / "t.csv",
        shown=tables / "shown/t.csv",
        tex=tmp_path / "t.tex",
    )
    return tmp_path


def test_a_cell_of_a_table_is_text_in_latex(hostile_table: Path) -> None:
    escaped = r'\#panic("owned") \textbackslash input\{/etc/passwd\} \$x\$ \& "'
    assert escaped in (hostile_table / "t.tex").read_text()


def test_a_cell_of_a_table_is_text_in_the_page_of_the_paper(hostile_table: Path) -> None:
    out = hostile_table / "page.html"
    typeset(
        document=hostile_table / "paper/main.typ",
        sources=files_in(hostile_table / "paper"),
        results=files_in(hostile_table / "results"),
        studies=["radar"],
        out=out,
    )
    page = out.read_text()

    assert "<script" not in page
    assert HOSTILE in unescape(page)


def files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
