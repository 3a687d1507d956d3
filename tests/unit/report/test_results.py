"""Figures and tables as their files declare them: on files written here, and on all that there are."""

from pathlib import Path
from textwrap import dedent

import pytest

from mechaware.errors import UserError
from mechaware.report.results import config_schema, figure_settings, find_results, with_results_table

REPOSITORY = Path(__file__).resolve().parents[3]
FIGURE = '''
    """What is shown.

    More about it.
    """

    import a_library_that_does_not_exist

    READS = {"scores": "results/s/{model}/scores.csv"}
    CONFIG = {"tau": "s/tau"}
    SETTINGS = {"width": {"default": 2.5, "type": "number"}}


    def draw(*, scores, model_labels, tau, width, seed):
        return None
'''


def write_figure(folder: Path, text: str = FIGURE) -> None:
    file = folder / "mechaware/s/figures/s_shape.py"
    file.parent.mkdir(parents=True)
    file.write_text(dedent(text))


def test_a_file_is_read_without_running_it(tmp_path: Path) -> None:
    write_figure(tmp_path)
    (figure,) = find_results(tmp_path)
    assert (figure.name, figure.study, figure.folder) == ("s_shape", "s", "figures")
    assert (figure.module, figure.file) == ("mechaware.s.figures.s_shape", "mechaware/s/figures/s_shape.py")
    assert figure.title == "What is shown."
    assert figure.outputs == ("results/figures/s_shape.pdf", "results/figures/s_shape.png")
    assert figure.parameters == ("scores", "model_labels", "tau", "width", "seed")
    assert figure.given == ("model_labels",)


def test_a_setting_is_that_of_the_file_unless_the_config_sets_it(tmp_path: Path) -> None:
    write_figure(tmp_path)
    figures = find_results(tmp_path)
    assert figure_settings(figures, {}) == {"s_shape": {"width": 2.5}}
    assert figure_settings(figures, {"s_shape": {"width": 3.0}}) == {"s_shape": {"width": 3.0}}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def draw(", "def paint(", "no function 'draw'"),
        ("(*, scores", "(scores", "keyword-only"),
        ('{"tau": "s/tau"}', '{"alpha": "s/alpha"}', "CONFIG names 'alpha', which 'draw' does not take"),
        ('{"tau": "s/tau"}', "dict(tau=LEAF)", "CONFIG is not a literal"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_to_do(tmp_path: Path, old: str, new: str, message: str) -> None:
    write_figure(tmp_path, FIGURE.replace(old, new))
    with pytest.raises(UserError, match=f"^mechaware/s/figures/s_shape.py: .*{message}"):
        find_results(tmp_path)


def test_the_results_table_takes_the_place_of_the_old_one() -> None:
    page = "# Top\n<!-- results: made by 'make docs' -->\na stale row\n<!-- end of results -->\nbelow\n"
    results = find_results(REPOSITORY)
    new = with_results_table(page, results)
    assert new.startswith("# Top\n<!-- results")
    assert new.endswith("<!-- end of results -->\nbelow\n")
    assert "a stale row" not in new
    assert with_results_table(new, results) == new


@pytest.mark.parametrize("result", find_results(REPOSITORY), ids=lambda result: f"{result.folder}-{result.name}")
def test_every_result_has_a_title_a_caption_and_a_config_that_exists(result) -> None:
    assert result.title.endswith((".", "?")), "the first sentence of the file is the title"
    assert (REPOSITORY / f"paper/captions/{result.name}.rst").exists()
    assert result.name.startswith(f"{result.study}_")
    keys = config_schema(REPOSITORY, [])
    for path in result.config.values():
        section = keys
        for key in path.split("/"):
            section = section["properties"][key]


def test_every_caption_belongs_to_a_result() -> None:
    captions = {path.stem for path in (REPOSITORY / "paper/captions").glob("*.rst")}
    assert captions == {result.name for result in find_results(REPOSITORY)} | {"paper", "workflow"}
