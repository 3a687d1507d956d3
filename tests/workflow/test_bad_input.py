"""What a user sees who got something wrong: one line that says what, where and what to do."""

import json
import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from mechaware.config_check import checked_lists
from mechaware.errors import UserError
from mechaware.report.results import find_results
from tests.conftest import Checkout
from tests.tiny_models import make_tiny_model


def refused(checkout: Checkout, tmp_path: Path, config: str) -> str:
    """The message of a dry run with `config` on top."""
    more = tmp_path / "more.yaml"
    more.write_text(config)
    run = checkout.snakemake("-n", more=more, check=False)
    assert run.returncode != 0
    said = run.stdout + run.stderr  # a dry run speaks on standard output
    assert "Traceback" not in said
    return said


def refusal(checkout: Checkout, config: str = "{}") -> str:
    """The message with `config` on top of the small run's, from the check that Snakemake's start makes."""
    merged: dict[str, Any] = {}
    for text in (*((checkout.folder / f"config/{name}.yaml").read_text() for name in ("config", "test")), config):
        update_config(merged, yaml.safe_load(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(checkout.folder)
        with pytest.raises(UserError) as caught:
            checked_lists(merged, find_results(checkout.folder), checkout.folder)
    return str(caught.value)


@contextmanager
def changed(path: Path, text: str) -> Iterator[None]:
    """The file with another text, for a while."""
    kept = path.read_bytes()
    path.write_text(text)
    try:
        yield
    finally:
        path.write_bytes(kept)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("test.yaml", "seeed: 3"),
        ("models.yaml", "x: {kind: pickle, label: X}"),
        ("judges.yaml", "x: {kind: oracle, label: X}"),
        ("papers.csv", "mine,ftp,ftp://x/y.pdf,T,,"),
    ],
)
def test_snakemake_says_the_refusal_of_a_file_in_one_line(
    checkout: Checkout, tmp_path: Path, file: str, line: str
) -> None:
    """One start for each file; the tests below read what the check itself says."""
    path = checkout.folder / "config" / file
    with changed(path, f"{path.read_text()}{line}\n"):
        message, said = refusal(checkout), refused(checkout, tmp_path, "seed: 3")
    assert "\n" not in message
    assert len([told for told in said.splitlines() if message in told]) == 1, said


def test_a_key_twice_in_a_config_of_the_user_is_refused_in_one_line(checkout: Checkout, tmp_path: Path) -> None:
    said = refused(checkout, tmp_path, "radar: {folds: 3}\nseed: 3\nradar: {folds: 4}\n")
    message = f"{tmp_path}/more.yaml, line 3: key 'radar' stands twice, first on line 1; take one out"
    assert message in said.splitlines()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seed: 3", ": key 'seed' stands twice, first on line "),
        ("radar: }", ": not YAML (expected the node content, but found '}'); correct the line"),
    ],
    ids=["twice", "broken"],
)
def test_a_fault_in_the_main_config_is_refused_with_its_line(
    checkout: Checkout, tmp_path: Path, line: str, message: str
) -> None:
    """Snakemake's own message for YAML that it cannot read has no line, and a key twice does not trouble it."""
    path = checkout.folder / "config/config.yaml"
    kept = path.read_text()
    with changed(path, f"{kept}{line}\n"):
        said = refused(checkout, tmp_path, "seed: 3")
    assert re.search(rf"^config/config\.yaml, line {kept.count(chr(10)) + 1}\b{re.escape(message)}", said, re.M), said


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("radar: {fold: 3}", "config, radar: unknown key 'fold'; did you mean 'folds'?"),
        ("seeed: 3", "config: unknown key 'seeed'; did you mean 'seed'?"),
        ("radar: {detectors: [nowhere.a.B]}", "config, radar/detectors: no package 'nowhere' (from "),
        (
            "radar: {detectors: [loss]}",
            "'loss' does not fit; write: A dotted name such as my_package",
        ),
        ("grounding: {rules: [nowhere.a.B]}", "config, grounding/rules: no package 'nowhere' (from "),
        (
            "figures: {radar_scores: {size: 3}}",
            "figures/radar_scores: unknown key 'size'; did you mean 'marker_size'?",
        ),
        ("radar: {attention_entropy_reduction: median}", "attention_entropy_reduction: 'median'; write sum or mean"),
        ("radar: {folds: 5.0}", "config, radar/folds: 5.0; write a whole number"),
        ("confidence_level: .nan", "config, confidence_level: nan; write a number"),
        ("capture: {shard_bytes: 2147483649}", "config, capture/shard_bytes: 2147483649; write 2147483648 or less"),
        ("claims: {leak_audit: 1}", "config, claims/leak_audit: 1; write true or false"),
        ("radar: {models: smollm2}", "config, radar/models: 'smollm2'; write a list in square brackets"),
        ("radar: {folds: 1}", "config, radar/folds: 1; write 2 or more"),
        ("radar: {models: []}", "config, radar/models: empty; write at least one entry"),
        ("claims: {judges: [lexical, lexical]}", "config, claims/judges: 'lexical' is listed twice; take one out"),
        ("figures:", "config, figures: nothing; write keys with values"),
        ("confidence_level: 1", "config, confidence_level: 1; write less than 1"),
        ("radar: {models: [smollm-135m-instruct]}", "did you mean 'smollm2-135m-instruct'?"),
        (
            "radar: {evaluate: [mine]}",
            "config/prompts/mine.csv: no such file; add it, or take 'mine' out of the config",
        ),
        ("radar: {evaluate: [radar_train]}", "config, radar/evaluate: 'radar_train' is the training set; take it out"),
        (
            "radar: {folds: 16}",
            "radar_train.csv: 15 recall prompts, but radar/folds is 16; add recall prompts or lower",
        ),
        ("radar: {models: [gpt-neo-sql]}", "config, radar/models: 'gpt-neo-sql' has random weights; take it out"),
        (
            "grounding: {base: tinystories}",
            "config, grounding/base: 'tinystories' is not in config/models.yaml; did you",
        ),
        ("grounding: {data: {source: web}}", "grounding/data/source: 'web'; write generated or hub or local"),
        ("grounding: {data: {revision: main}}", "grounding/data/revision: 'main' does not fit"),
        ("grounding: {data: {fields: 900}}", "vocabulary.yaml: 259 fields, but grounding/data/fields asks for 900"),
        ("grounding: {training: {steps: 13}}", "evaluate_every 6 does not divide steps 13"),
        ("grounding: {alpha: 0}", "config, grounding/alpha: 0; write more than 0"),
        ("claims: {judges: [smollm3]}", "config, claims/judges: 'smollm3' is not in config/judges.yaml; did you mean"),
        ("claims: {papers: [ioii]}", "config, claims/papers: 'ioii' is not in config/papers.csv; did you mean 'ioi'?"),
        ("claims: {planted_papers: 0}", "config, claims: no papers and no planted_papers; name a paper of"),
        (
            "claims: {judges: [smollm2], embedded_planted_papers: 0}",
            "config, claims: the embedded judge 'smollm2' has no paper to read; raise embedded_planted_papers or name",
        ),
        ("claims: {prompts: v9}", "config, claims/prompts: no config/judge_prompts/v9; name a folder of"),
        ("claims: {runs: 0}", "config, claims/runs: 0; write 1 or more"),
        ("claims: {devils_advocate: mild}", "devils_advocate: 'mild'; write none or aggressive or conservative"),
        ("claims: {fetching: {max_byte: 3}}", "claims/fetching: unknown key 'max_byte'; did you mean 'max_bytes'?"),
        ("grounding: {tau_gap: 0.4}", "config, grounding: unknown key 'tau_gap'; did you mean 'tau'?"),
        ("radar: {models: [suspected]}", "radar/models: 'suspected' names the results of suspected benchmarks; rename"),
        ("radar: {suspected: {my set: {}}}", "'my set' does not fit; write: A name of letters, digits, hyphens and"),
        ("radar: {suspected: {mine: {items: a.csv}}}", "config, radar/suspected/mine: key 'model' is missing; add it"),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt2, corpora: a.txt}}}",
            "config, radar/suspected/mine: unknown key 'corpora'; did you mean 'corpus'?",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: pythia-170m}}}",
            "radar/suspected/mine/model: 'pythia-170m' is not in config/models.yaml; did you mean 'pythia-160m'?",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt2, reference: gpt-neo-sql}}}",
            "config, radar/suspected/mine/reference: 'gpt-neo-sql' has random weights; take it out",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt2, reference: gpt2}}}",
            "config, radar/suspected/mine/reference: 'gpt2' is the model itself; name another, or take it out",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt2, seen: b.csv}}}",
            "config, radar/suspected/mine: seen without unseen; Con-ReCall needs both: add unseen, or take seen out",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt2}}}",
            "config, radar/suspected/mine/items: no file a.csv (from ",
        ),
    ],
)
def test_a_config_that_cannot_be_used_is_refused_in_one_line(checkout: Checkout, config: str, message: str) -> None:
    said = refusal(checkout, config)
    assert message in said
    assert "\n" not in said


def test_a_prompt_set_in_latin_1_is_refused_before_anything_runs(checkout: Checkout, tmp_path: Path) -> None:
    path = checkout.folder / "config/prompts/latin.csv"
    path.write_bytes("id,prompt,label,category,source\na,Café,recall,c,s\n".encode("latin-1"))
    try:
        message = "config/prompts/latin.csv, row 2: not UTF-8 (byte 0xE9); save the file as UTF-8"
        assert message in refused(checkout, tmp_path, "radar: {evaluate: [latin]}")
    finally:
        path.unlink()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{kind: hub, label: X, repo: a/b, revison: x}", "x: unknown key 'revison'; did you mean 'revision'?"),
        ("{kind: pickle, label: X}", "config/models.yaml, x/kind: 'pickle'; write wheel or hub or local or scratch"),
        ("{kind: local, label: X}", "config/models.yaml, x: key 'folder' is missing; add it"),
        ("{kind: scratch, label: X}\nsmollm2-135m-instruct: {}", "key 'smollm2-135m-instruct' stands twice, first on"),
        ("{kind: local, label: X", "not YAML (expected ',' or '}', but got '<stream end>'); correct the line"),
        (
            "{kind: hub, label: X, repo: a/b, revision: main}",
            "'main' does not fit; write: Commit of the",
        ),
    ],
)
def test_a_bad_entry_among_the_models_is_refused(checkout: Checkout, entry: str, message: str) -> None:
    path = checkout.folder / "config/models.yaml"
    with changed(path, f"{path.read_text()}\nx: {entry}\n"):
        said = refusal(checkout)
    assert message in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("papers.csv", "mine,ftp,ftp://x/y.pdf,T,,", "line 11: source 'ftp'; write arxiv or openreview or pdf or html"),
        ("papers.csv", "mine,arxiv,2211.00593,,,", "line 11: no title; arXiv identifiers are checked against it"),
        ("papers.csv", "ioi,file,a.pdf,T,,", "config/papers.csv, line 11: id 'ioi' stands twice; rename one"),
        ("papers.csv", "summary,file,a.pdf,T,,", "line 11: id 'summary' cannot name a folder here"),
        ("papers.csv", "mine,file,a.pdf,One, two,,", "line 11: 6 fields are needed; quote a field that holds a comma"),
        ("papers.csv", "mine,file,{x}.pdf,T,,", "line 11: location '{x}.pdf' has a brace; rename the file"),
        ("papers.csv", "lexical,file,a.pdf,T,,", "config/papers.csv: id 'lexical' is the name of a judge in config/"),
        ("papers.csv", "lexical.html,file,a.pdf,T,,", "line 11: id 'lexical.html' cannot name a folder here"),
        ("judges.yaml", "x: {kind: provider, label: X}", "config/judges.yaml, x: key 'model' is missing; add it"),
        ("judges.yaml", "x: {kind: oracle, label: X}", "x/kind: 'oracle'; write provider or embedded or lexical"),
        ("judges.yaml", "x: {kind: my.1, label: X}", "x/kind: 'my.1' does not fit; write: A dotted name such as"),
        ("judges.yaml", "x: {kind: lexical, label: X, api_key: a}", "x: unknown key 'api_key'; did you mean"),
    ],
)
def test_a_bad_line_among_the_papers_or_the_judges_is_refused(
    checkout: Checkout, file: str, line: str, message: str
) -> None:
    path = checkout.folder / "config" / file
    with changed(path, f"{path.read_text()}{line}\n"):
        said = refusal(checkout)
    assert message in said
    assert "\n" not in said


@pytest.mark.gate
def test_a_paper_that_is_not_to_be_had_fails_alone_and_names_itself(checkout: Checkout, tmp_path: Path) -> None:
    """Of four papers one is at an address that is refused, one is gone, one is no PDF and one is fine."""
    path = checkout.folder / "config/papers.csv"
    kept = path.read_text()
    fine, prose = tmp_path / "fine.html", tmp_path / "prose.pdf"
    fine.write_text(f"<html><body><article>{'<p>Head 3.1 moves the subject to the verb.</p>' * 30}</article></body>")
    prose.write_text("This is no PDF.")
    rows = f"near,pdf,http://127.0.0.1:1/x.pdf,Near,,\nfine,file,{fine},Fine,,\nprose,file,{prose},Prose,,\n"
    rows += f"gone,file,{tmp_path / 'gone.pdf'},,,\n"
    path.write_text(kept + rows)
    texts = [f"results/claims/papers/{name}/text.txt" for name in ("near", "fine", "prose", "gone")]
    try:
        run = checkout.snakemake("--cores", "1", "--keep-going", *texts, check=False)
        assert run.returncode != 0
        errors = {line.strip() for line in run.stderr.splitlines() if line.strip().startswith("error: ")}
        near, gone = sorted(errors, key=lambda line: str(tmp_path) in line)
        assert near.startswith("error: http://127.0.0.1:1/x.pdf: ")
        assert "allow_private_addresses" in near
        assert gone.startswith(f"error: {tmp_path / 'gone.pdf'}: no such file")
        assert "Head 3.1 moves" in (checkout.folder / texts[1]).read_text()
        assert not (checkout.folder / texts[0]).exists()
    finally:
        path.write_text(kept)


def test_a_listed_paper_without_its_file_is_refused_before_anything_runs(checkout: Checkout) -> None:
    path = checkout.folder / "config/papers.csv"
    with changed(path, f"{path.read_text()}mine,file,papers/mine.pdf,Mine,,\n"):
        said = refusal(checkout, "claims: {papers: [mine]}")
    assert f"config/papers.csv, mine: no file papers/mine.pdf (from {checkout.folder})" in said


def local_model(folder: Path, spoil: str) -> None:
    """The files of a tiny model as a check sees them, spoilt in one way."""
    if spoil == "missing":
        return
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (folder / name).write_text('{"model_type": "gpt2"}')
    if spoil == "bert":
        (folder / "config.json").write_text('{"model_type": "bert"}')
    elif spoil == "empty":
        shutil.rmtree(folder)
        folder.mkdir()
    elif spoil:
        (folder / spoil).unlink()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        ("missing", "no folder {folder} (from {cwd}); correct the path"),
        ("empty", "{folder}: no config.json; give the folder that `save_pretrained` wrote"),
        ("model.safetensors", "{folder}: no *.safetensors; pickled weights are never loaded: "),
        ("tokenizer.json", "{folder}: no tokenizer (tokenizer.json, "),
        (
            "bert",
            "{folder}/config.json: model type 'bert': supported are gpt2, gpt_neo, gpt_neox, llama, qwen2, qwen3;",
        ),
    ],
)
@pytest.mark.parametrize(
    "config",
    [
        "radar: {models: [mine]}",
        "radar: {memorisation: {pretrained: {models: [mine]}}}",
        "grounding: {base: mine}",
        "grounding: {pretrained: {models: [mine]}}",
    ],
)
def test_a_local_folder_without_a_model_that_is_supported_is_refused_where_the_config_uses_it(
    checkout: Checkout, tmp_path: Path, config: str, spoil: str, message: str
) -> None:
    folder = tmp_path / "model"
    local_model(folder, spoil)
    path = checkout.folder / "config/models.yaml"
    with changed(path, f"{path.read_text()}\nmine: {{kind: local, label: Mine, folder: {folder}}}\n"):
        said = refusal(checkout, config)
        expected = message.format(folder=folder, cwd=checkout.folder)
        assert said.startswith(f"config/models.yaml, mine/folder: {expected}")
        assert "\n" not in said


# An entry of a list, the config that uses it, and how the one line begins.
UNUSABLE = {
    "a folder without a model": (
        ("models.yaml", "empty: {kind: local, label: Empty, folder: config}"),
        "radar: {models: [empty]}",
        "config/models.yaml, empty/folder: config: no config.json; give the folder that `save_pretrained` wrote",
    ),
    "two models with one label": (
        ("models.yaml", f"twin: {{kind: hub, label: SmolLM2-135M-Instruct, repo: a/b, revision: {'a' * 40}}}"),
        "radar: {models: [smollm2-135m-instruct, twin]}",
        "config/models.yaml, twin/label: 'SmolLM2-135M-Instruct' is the label of 'smollm2-135m-instruct', too; change ",
    ),
    "two judges with one label": (
        ("judges.yaml", "twin: {kind: lexical, label: Lexical rules}"),
        "claims: {judges: [lexical, twin]}",
        "config/judges.yaml, twin/label: 'Lexical rules' is the label of 'lexical', too; change one of the two",
    ),
    "a judge without its key": (
        ("judges.yaml", "keyless: {kind: provider, label: Keyless, model: openai/m, api_key_env: UNSET_KEY}"),
        "claims: {judges: [keyless]}",
        "error: judge keyless: no key; set the environment variable UNSET_KEY (config/judges.yaml names it)",
    ),
}


@contextmanager
def listed(checkout: Checkout, *lines: tuple[str, str]) -> Iterator[None]:
    """Further entries of config/models.yaml and config/judges.yaml, for a while."""
    with ExitStack() as stack:
        for file in ("models.yaml", "judges.yaml"):
            path = checkout.folder / "config" / file
            entries = "".join(f"\n{entry}\n" for name, entry in lines if name == file)
            stack.enter_context(changed(path, path.read_text() + entries))
        yield


@pytest.mark.parametrize("fault", UNUSABLE)
def test_a_model_or_judge_that_cannot_be_used_ends_a_dry_run_in_one_line(
    checkout: Checkout, tmp_path: Path, fault: str
) -> None:
    entry, config, message = UNUSABLE[fault]
    with listed(checkout, entry):
        said = refused(checkout, tmp_path, config)
    assert len([line for line in said.splitlines() if line.startswith(message)]) == 1, said
    assert not list((checkout.folder / ".snakemake").glob("locks/*"))


def test_models_and_judges_that_a_command_does_not_use_may_be_unusable(checkout: Checkout, tmp_path: Path) -> None:
    """The config names none but the judge without a key, and no target asks that judge."""
    more = tmp_path / "more.yaml"
    more.write_text("claims: {judges: [lexical, keyless]}")
    with listed(checkout, *(entry for entry, _, _ in UNUSABLE.values())):
        checkout.snakemake("radar", "grounding", "-n", more=more)


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ({"kind": "local", "label": "{m}", "folder": "m"}, "label"),
        ({"kind": "local", "label": "M", "folder": "models/{m}"}, "folder"),
        ({"kind": "hub", "label": "M}", "repo": "a/b", "revision": "0" * 40}, "label"),
    ],
)
def test_braces_in_what_a_model_is_called_or_where_it_lies_are_refused_in_one_line(
    checkout: Checkout, entry: dict[str, str], key: str
) -> None:
    """Snakemake takes them for wildcards."""
    path = checkout.folder / "config/models.yaml"
    with changed(path, f"{path.read_text()}\nmine: {json.dumps(entry)}\n"):
        said = refusal(checkout)
    assert said.startswith(f"config/models.yaml, mine/{key}: '{entry[key]}' does not fit; write: ")
    assert "braces" in said
    assert "\n" not in said


def test_a_suspected_benchmarks_file_with_a_brace_in_its_path_is_refused_in_one_line(
    checkout: Checkout, tmp_path: Path
) -> None:
    (tmp_path / "{mine}").mkdir()
    said = refusal(checkout, suspected(tmp_path / "{mine}", items=ITEMS))
    named = str(tmp_path / "{mine}/items")
    assert said.startswith(f"config, radar/suspected/scores/items: {named!r} does not fit; write: ")
    assert "Its path has no braces" in said
    assert "\n" not in said


@pytest.mark.parametrize("config", ["claims: {responses: 'a{b}'}", "grounding: {data: {path: 'a{b}'}}"])
def test_a_brace_in_a_folder_of_the_config_is_refused_in_one_line(checkout: Checkout, config: str) -> None:
    said = refusal(checkout, config)
    assert "'a{b}' does not fit; write: " in said
    assert "Its path has no braces" in said
    assert "\n" not in said


ITEMS = "id,question,answer,seen\n" + "".join(f"{name},What is {name}?,It.,{name < 'd'}\n" for name in "abcdef")


def suspected(folder: Path, **files: str) -> str:
    """A config with a suspected benchmark, whose files have these texts and are written into `folder`."""
    for key, text in files.items():
        (folder / key).write_text(text)
    entry = {"model": "gpt2"} | {key: str(folder / key) for key in files}
    return yaml.safe_dump({"radar": {"suspected": {"scores": entry}}})


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"items": "id,question\n"}, "/items, row 1: no column 'answer' in 'id,question'; write id,question,answer"),
        ({"items": ITEMS.replace("False", "")}, "/items, row 5: no seen, which other items have; fill it in, or"),
        ({"items": ITEMS, "unseen": "text\nWhat is b? It.\n"}, "/items, row 3: also a text of "),
        ({"items": ITEMS, "unseen": "text\n"}, "/unseen: no texts; add rows below the header"),
        ({"items": ITEMS, "corpus": "\n"}, "/corpus: no text; write one text a line"),
        ({"items": ITEMS, "control": ITEMS}, "/control, row 2: also an item of "),
        ({"items": ITEMS, "control": "id,question,answer\ng,What is g?,It.\n"}, "/control: 1 items; with 6 items of"),
    ],
)
def test_a_suspected_benchmark_that_cannot_be_used_is_refused_before_anything_runs(
    checkout: Checkout, tmp_path: Path, files: dict[str, str], message: str
) -> None:
    said = refusal(checkout, suspected(tmp_path, **files))
    assert f"{tmp_path}{message}" in said
    assert "\n" not in said


@pytest.mark.gate
@pytest.mark.parametrize(
    ("items", "jobs"),
    [
        (ITEMS, {"measure_suspected", "score_suspected", "rank_detectors", "reach_verdict", "suspected"}),
        (
            re.sub(",(seen|True|False)$", "", ITEMS, flags=re.M),
            {"measure_suspected", "score_suspected", "reach_verdict", "suspected"},
        ),
    ],
    ids=["with the truth", "without"],
)
def test_a_suspected_benchmark_is_measured_scored_and_with_the_truth_compared(
    checkout: Checkout, tmp_path: Path, items: str, jobs: set[str]
) -> None:
    """Its name is that of a folder of the study's own results, and its files lie in a folder with a space."""
    (tmp_path / "my files").mkdir()
    more = tmp_path / "more.yaml"
    more.write_text(suspected(tmp_path / "my files", items=items, unseen="text\nOther.\n", corpus="A text.\n"))
    planned = checkout.snakemake("-n", "-p", "suspected", more=more).stdout
    assert set(re.findall(r"^rule (\w+):", planned, re.M)) == {"fetch_hub_model", *jobs}
    assert f"='{tmp_path}/my files/items' " in planned
    assert "--model=results/models/gpt2 --reference " in planned
    assert f"--corpus '{tmp_path}/my files/corpus' " in planned


def test_a_vocabulary_with_a_shared_synonym_is_refused_before_anything_runs(checkout: Checkout, tmp_path: Path) -> None:
    path = checkout.folder / "config/sql/vocabulary.yaml"
    kept = path.read_text()
    words = re.findall(r"^  (\w+): \[(\w+), (\w+)\]$", kept, re.MULTILINE)
    (one, first, _), (other, third, fourth) = words[0], words[1]
    with changed(path, kept.replace(f"{other}: [{third}, {fourth}]", f"{other}: [{first}, {fourth}]")):
        said = refused(checkout, tmp_path, "seed: 3")
    assert f"tables/{other}: '{first}' is a synonym of '{one}' too; write another for one of them" in said


@pytest.mark.gate
def test_a_base_model_whose_tokenizer_splits_the_words_is_refused_with_the_words(
    checkout: Checkout, tmp_path: Path
) -> None:
    """A byte-level tokenizer gives words of unequal lengths or one beginning: no pair can be made, no file is left."""
    make_tiny_model("gpt_neo", tmp_path / "bytes")
    path = checkout.folder / "config/models.yaml"
    kept = path.read_text()
    path.write_text(f"{kept}\nbytes: {{kind: local, label: bytes, folder: {tmp_path / 'bytes'}}}\n")
    more = tmp_path / "more.yaml"
    more.write_text("grounding: {base: bytes}")
    folder = tmp_path / "work"
    try:
        run = checkout.snakemake(
            "--cores", "1", "--directory", str(folder), "results/grounding/pairs.jsonl", more=more, check=False
        )
        assert run.returncode != 0
        assert "error: category db_synonyms: 0 pairs of 3 can be made (" in run.stderr
        assert " words; by tokens: " in run.stderr
        assert not (folder / "results/grounding/pairs.jsonl").exists()
    finally:
        path.write_text(kept)


@pytest.mark.gate
def test_a_local_dataset_is_read_and_a_bad_row_is_named(checkout: Checkout, tmp_path: Path) -> None:
    rows = [
        {
            "english_prompt": f"show cost {number} of orders",
            "create_statement": "CREATE TABLE orders (\n    price INTEGER,\n    name VARCHAR(100)\n)",
            "sql_statement": "SELECT price FROM orders",
        }
        for number in range(650)
    ]
    dataset, more = tmp_path / "mine.jsonl", tmp_path / "more.yaml"
    dataset.write_text("".join(json.dumps(row) + "\n" for row in rows))
    more.write_text(f"grounding: {{data: {{source: local, path: {dataset}}}}}")
    arguments = ("--cores", "1", "--directory", str(tmp_path / "work"), "results/grounding/data/test.jsonl")
    checkout.snakemake(*arguments, more=more)
    written = (tmp_path / "work/results/grounding/data/test.jsonl").read_text()
    imported = [json.loads(line) for line in written.splitlines()]
    assert [row["english_prompt"] for row in imported] == [row["english_prompt"] for row in rows[630:650]]
    assert imported[0]["table_fields"] == ["price", "name"]
    rows[640]["sql_statement"] = "SELECT price FROM bills"
    dataset.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = checkout.snakemake(*arguments, more=more, check=False)
    assert run.returncode != 0
    assert f"error: {dataset}, row 641: the SQL reads table 'bills', the schema creates 'orders'" in run.stderr


def command(monkeypatch: pytest.MonkeyPatch, script: str, *arguments: str | Path) -> object:
    """Run a command in this process; what it ends with: nothing, or the message that Python prints then."""
    monkeypatch.setattr(sys, "argv", [script, *map(str, arguments)])
    monkeypatch.delitem(sys.modules, f"scripts.{script}", raising=False)  # another test may have imported it
    try:
        runpy.run_module(f"scripts.{script}", run_name="__main__")
    except SystemExit as end:
        return end.code
    return None


def test_a_prompt_longer_than_the_context_is_refused_by_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_tiny_model("gpt2", tmp_path / "source")
    source, model, out = tmp_path / "source", tmp_path / "m", tmp_path / "a"
    linked = command(monkeypatch, "models.link_local_model", "--name", "tiny", "--folder", source, "--out", model)
    assert linked is None
    prompts = tmp_path / "mine.csv"
    prompts.write_text(f"id,prompt,label,category,source\na,short,recall,c,s\nb,{'long ' * 20}end,recall,c,s\n")
    options = ("--model", model, "--prompts", prompts, "--tokens-per-batch", "9", "--shard-bytes", "9")
    options += ("--keep", "states", "--out", out)
    said = command(monkeypatch, "models.capture_activations", *options)
    # 20 times five bytes and three: the tiny models read bytes, at most 64.
    expected = f"error: {prompts}, row 3: 103 tokens, but tiny reads at most 64; shorten the prompt or choose a model"
    assert isinstance(said, str)
    assert said.startswith(expected)
    assert len(said.splitlines()) == 1
    assert not out.exists()


@pytest.mark.gate
def test_a_model_folder_without_safetensors_fails_alone(checkout: Checkout, tmp_path: Path) -> None:
    """With --keep-going the other models finish; here the other model is a tiny one."""
    make_tiny_model("gpt2", tmp_path / "pickled")
    (tmp_path / "pickled/model.safetensors").rename(tmp_path / "pickled/pytorch_model.bin")
    make_tiny_model("llama", tmp_path / "good")
    path = checkout.folder / "config/models.yaml"
    kept = path.read_text()
    entries = "".join(f"\n{n}: {{kind: local, label: {n}, folder: {tmp_path / n}}}\n" for n in ("pickled", "good"))
    path.write_text(kept + entries)
    try:
        run = checkout.snakemake(
            "--cores", "1", "--keep-going", "results/models/pickled", "results/models/good", check=False
        )
        assert run.returncode != 0
        assert f"error: {tmp_path / 'pickled'}: no *.safetensors; pickled weights are never loaded" in run.stderr
        assert (checkout.folder / "results/models/good/mechaware.json").exists()
        assert not (checkout.folder / "results/models/pickled").exists()
    finally:
        path.write_text(kept)
