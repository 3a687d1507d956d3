"""Figures and tables as their files declare them: on files written here, and on all that there are."""

from pathlib import Path
from textwrap import dedent

import pytest

from exhibits.report.results import config_schema, figure_settings, find_results
from mechaware.core.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[3]
FIGURE = '''
    """What is shown.

    More about it.
    """

    import a_library_that_does_not_exist

    READS: dict[str, str] = {"scores": "results/s/{model}/scores.csv"}
    CONFIG = {"tau": "s/tau"}
    SETTINGS = {"width": {"default": 2.5, "type": "number"}}


    def draw(*, scores, model_labels, tau, width, seed):
        return None
'''


def write_figure(folder: Path, text: str = FIGURE) -> None:
    file = folder / "exhibits/s/figures/s_shape.py"
    caption = folder / "paper/captions/figures/s_shape.rst"
    for path, content in ((file, dedent(text)), (caption, "A shape.")):
        path.parent.mkdir(parents=True)
        path.write_text(content)


def test_a_file_is_read_without_running_it(tmp_path: Path) -> None:
    write_figure(tmp_path)
    (figure,) = find_results(tmp_path)

    assert (figure.name, figure.study, figure.folder) == ("s_shape", "s", "figures")
    assert (figure.module, figure.file) == (
        "exhibits.s.figures.s_shape",
        "exhibits/s/figures/s_shape.py",
    )
    assert figure.title == "What is shown."
    assert figure.outputs == tuple(
        f"results/figures/s_shape.{kind}" for kind in ("pdf", "png", "svg")
    )
    assert figure.parameters == ("scores", "model_labels", "tau", "width", "seed")
    assert figure.undeclared == ("model_labels",)
    assert figure.reads == {"scores": "results/s/{model}/scores.csv"}
    assert figure_settings([figure], {}) == {"s_shape": {"width": 2.5}}
    assert figure_settings([figure], {"s_shape": {"width": 3.0}}) == {"s_shape": {"width": 3.0}}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(*, scores", "(scores", "keyword-only"),
        ("return None", "return (None", ""),  # with its line
        (
            '{"tau": "s/tau"}',
            '{"alpha": "s/alpha"}',
            "CONFIG names 'alpha', which 'draw' does not take",
        ),
        ('{"tau": "s/tau"}', '["tau"]', "CONFIG is not a literal dictionary"),
        ('"default": 2.5, ', "", "SETTINGS has no default for 'width'"),
        ('"""What is shown.\n\n    More about it.\n    """', "", "no docstring"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_what_to_do(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    write_figure(tmp_path, FIGURE.replace(old, new))
    with pytest.raises(
        UserError, match=rf"^exhibits/s/figures/s_shape.py(, line \d+)?: .*{message}"
    ):
        find_results(tmp_path)


def test_a_figure_without_a_caption_or_with_another_ones_name_is_refused(tmp_path: Path) -> None:
    write_figure(tmp_path)
    twin = tmp_path / "exhibits/t/figures/s_shape.py"
    twin.parent.mkdir(parents=True)
    twin.write_text(dedent(FIGURE))
    with pytest.raises(UserError, match=r"^exhibits/t/figures/s_shape\.py: .* has the same name"):
        find_results(tmp_path)
    twin.unlink()
    (tmp_path / "paper/captions/figures/s_shape.rst").unlink()
    with pytest.raises(UserError, match=r"no caption; write paper/captions/figures/s_shape\.rst"):
        find_results(tmp_path)


# A study with a part of its own name.
PREFIXES = {"radar": ("radar_", "memorisation_")}


@pytest.mark.parametrize(
    "result", find_results(REPOSITORY), ids=lambda result: f"{result.folder}-{result.name}"
)
def test_every_result_has_a_title_a_caption_and_a_config_that_exists(result) -> None:
    assert result.title.endswith((".", "?")), "the first sentence of the file is the title"
    assert (REPOSITORY / result.caption).exists()
    assert result.name.startswith(PREFIXES.get(result.study, (f"{result.study}_",)))

    keys = config_schema(REPOSITORY, [])
    for path in result.config.values():
        section = keys
        for key in path.split("/"):
            section = section["properties"][key]


def test_every_caption_belongs_to_a_result() -> None:
    captions = {
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / "paper/captions").rglob("*.rst")
    }
    others = {f"paper/captions/{name}.rst" for name in ("paper", "workflow")}

    assert captions == {result.caption for result in find_results(REPOSITORY)} | others
