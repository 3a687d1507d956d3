"""What SECURITY.md promises: no code of others runs, names stay in their folders,
and what is shown is escaped.
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
SOURCES = [
    path
    for name in ("mechaware", "exhibits", "scripts")
    for path in REPOSITORY.glob(f"{name}/**/*.py")
]


# What could run code that it reads: modules, functions under any name but their own, and loaders
# without their safe argument on the same line.
RUNS_CODE = re.compile(
    "|".join(
        (
            r"^ *(?:import|from) (?:c?[Pp]ickle|dill|cloudpickle|joblib|shelve|marshal|diskcache)\b",
            r"^ *import (?:torch|yaml|os|builtins)[\w.]* as\b",
            r"^ *from (?:torch|yaml|os|builtins)\b[\w.]* import .*\b(?:\w*load\w*|jit|hub|system|eval|exec|compile)\b",
            r"(?<![\w.])(?:builtins\.)?(?:eval|exec|compile|__import__)\(",
            r"\b(?:read_pickle|popen|getoutput|getstatusoutput|full_load\w*|unsafe_load\w*)\(",
            r"\b(?:os\.system|jit\.load|hub\.load)\(",
            r"\byaml\.load(?:_all)?\((?!.*\byaml\.C?SafeLoader\b)",
            r"\btorch\.load\((?!.*\bweights_only=True\b)",
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
def test_what_would_run_the_code_of_others_is_found(source: str) -> None:
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
def test_what_runs_no_code_is_let_pass(source: str) -> None:
    assert not RUNS_CODE.search(source)


def test_nothing_here_runs_the_code_of_others() -> None:
    assert len(SOURCES) > 200
    found = {
        str(path.relative_to(REPOSITORY)): RUNS_CODE.findall(path.read_text()) for path in SOURCES
    }
    assert {path: lines for path, lines in found.items() if lines} == {}


# Names that would lead out of their folder, be taken for a flag, or end a line.
ESCAPES = [
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
def default() -> Any:
    return read_yaml(REPOSITORY / "config/config.yaml", "config")


NAMED = {
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


def with_name(leaf: tuple[str, ...], name: str) -> Any:
    """The default config with `name` at a leaf: as text,
    as the only entry of a list or as the only key.
    """
    config = copy.deepcopy(default())
    *sections, key = leaf
    section = config
    for part in sections:
        section = section[part]
    kept = section[key]
    section[key] = (
        [name] if isinstance(kept, list) else {name: {}} if isinstance(kept, dict) else name
    )
    return config


def refusal(document: Any, part: Any, file: str) -> str:
    with pytest.raises(UserError) as refused:
        check(document, part, file)
    return str(refused.value)


@pytest.mark.parametrize("leaf", NAMED.values(), ids=NAMED)
def test_a_name_of_the_config_that_is_no_file_name_is_refused_in_one_line(
    leaf: tuple[str, ...],
) -> None:
    for name in ESCAPES:
        message = refusal(with_name(leaf, name), schema(), "config")
        assert message.startswith(f"config, {'/'.join(leaf)}"), message
        assert repr(name) in message
        assert message.isprintable()


@pytest.mark.parametrize("kind", ["models", "judges"])
def test_a_listed_model_or_judge_whose_name_is_no_file_name_is_refused_in_one_line(
    kind: str,
) -> None:
    part = {"$defs": schema()["$defs"], "$ref": f"#/$defs/{kind}"}
    entry = next(iter(read_yaml(REPOSITORY / f"config/{kind}.yaml", kind).values()))
    check({"x": entry}, part, kind)
    for name in ESCAPES:
        message = refusal({name: entry}, part, kind)
        assert repr(name) in message
        assert message.isprintable()


@pytest.mark.parametrize("name", [name for name in ESCAPES if name.strip() != "x"])
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
    """Ids name rows alone, so `../x` is one: of a prompt set the name is that of its file."""
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
def test_yaml_makes_no_objects(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"^a, line 1: not YAML"):
        read_yaml(path, "a")
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(text)


HOSTILE = '</td><script>window.owned = 1</script> #panic("owned") \\input{/etc/passwd} $x$ & "'


def test_a_label_in_a_table_is_text_in_latex_and_in_the_page_of_the_paper(tmp_path: Path) -> None:
    cells = pd.DataFrame({"model": [HOSTILE]})
    files = {
        "paper/main.typ": '#import "results.typ": result-table\n#result-table("t")\n',
        "paper/captions/tables/t.rst": "A table. With words.\n",
        "results/values/radar.json": '{"lists": {}, "values": {}}',
    }
    files |= {
        f"paper/{name}": (REPOSITORY / "paper" / name).read_text()
        for name in ("results.typ", "style.typ")
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    tables = tmp_path / "results/tables"
    save_table(
        Table(cells, cells), tables / "t.csv", shown=tables / "shown/t.csv", tex=tmp_path / "t.tex"
    )
    escaped = r'\#panic("owned") \textbackslash input\{/etc/passwd\} \$x\$ \& "'
    assert escaped in (tmp_path / "t.tex").read_text()
    sources, results = (
        sorted(filter(Path.is_file, (tmp_path / part).rglob("*"))) for part in ("paper", "results")
    )
    typeset(tmp_path / "paper/main.typ", sources, results, ["radar"], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert HOSTILE.replace(" ", "") in re.sub(r"\s", "", unescape(page))
