"""Figures and tables are found by what their files declare.

First a small figure's file is written and read, then all files of the repository are checked.
"""

from pathlib import Path
from textwrap import dedent

import pytest

from exhibits.report.results import config_schema, figure_settings, find_results
from mechaware.core.errors import UserError

REPOSITORY = Path(__file__).resolve().parents[3]
# The file of a figure of the study s. It is indented, and `write_figure` takes the indent away.
FIGURE = '''
    """What is
    shown.

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
    """Write the file of the figure s_shape, and its caption."""
    file = folder / "exhibits/s/figures/s_shape.py"
    file.parent.mkdir(parents=True)
    file.write_text(dedent(text))

    caption = folder / "paper/captions/figures/s_shape.rst"
    caption.parent.mkdir(parents=True)
    caption.write_text("A shape.")


def test_a_file_is_read_without_running_it(tmp_path: Path) -> None:
    """It imports a library that does not exist."""
    write_figure(tmp_path)

    (figure,) = find_results(tmp_path)

    assert (figure.name, figure.study, figure.folder) == ("s_shape", "s", "figures")
    assert figure.module == "exhibits.s.figures.s_shape"
    assert figure.file == "exhibits/s/figures/s_shape.py"
    assert figure.title == "What is shown."
    assert figure.outputs == (
        "results/figures/s_shape.pdf",
        "results/figures/s_shape.png",
        "results/figures/s_shape.svg",
    )
    assert figure.parameters == ("scores", "model_labels", "tau", "width", "seed")
    assert figure.undeclared == ("model_labels",)
    assert figure.reads == {"scores": "results/s/{model}/scores.csv"}
    assert figure_settings([figure], {}) == {"s_shape": {"width": 2.5}}
    assert figure_settings([figure], {"s_shape": {"width": 3.0}}) == {"s_shape": {"width": 3.0}}


@pytest.mark.parametrize(
    ("part", "replacement", "message"),
    [
        ("(*, scores", "(scores", "keyword-only"),
        (
            '{"tau": "s/tau"}',
            '{"alpha": "s/alpha"}',
            "CONFIG names 'alpha', which 'draw' does not take",
        ),
        ('{"tau": "s/tau"}', '["tau"]', "CONFIG is not a literal dictionary"),
        ('"default": 2.5, ', "", "SETTINGS has no default for 'width'"),
        ('"""What is\n    shown.\n\n    More about it.\n    """', "", "no docstring"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_fault(
    tmp_path: Path, part: str, replacement: str, message: str
) -> None:
    write_figure(tmp_path, FIGURE.replace(part, replacement))
    with pytest.raises(UserError, match=rf"^exhibits/s/figures/s_shape\.py: .*{message}"):
        find_results(tmp_path)


def test_a_syntax_error_is_named_with_its_line(tmp_path: Path) -> None:
    write_figure(tmp_path, FIGURE.replace("return None", "return (None"))

    # The text begins with an empty line, so `return` is on line 16. The message is Python's.
    message = r"^exhibits/s/figures/s_shape\.py, line 16: .+; correct the line$"
    with pytest.raises(UserError, match=message):
        find_results(tmp_path)


def test_a_figure_with_the_name_of_another_figure_or_without_a_caption_is_refused(
    tmp_path: Path,
) -> None:
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


# The beginnings of the names of a study's results, if they are not just the study's name.
PREFIXES = {"radar": ("radar_", "memorisation_")}


@pytest.mark.parametrize(
    "result", find_results(REPOSITORY), ids=lambda result: f"{result.folder}-{result.name}"
)
def test_every_result_has_a_title_a_caption_and_a_config_that_exists(result) -> None:
    assert result.title.endswith((".", "?")), "the first sentence of the file is the title"
    assert (REPOSITORY / result.caption).exists()
    assert result.name.startswith(PREFIXES.get(result.study, (f"{result.study}_",)))

    schema = config_schema(REPOSITORY, [])
    for path in result.config.values():
        section = schema
        for key in path.split("/"):
            assert key in section["properties"], f"{path} is not in the schema of the config"
            section = section["properties"][key]


def test_every_caption_belongs_to_a_result() -> None:
    """The others are of the paper and of the workflow, in Snakemake's report."""
    captions = set()
    for path in (REPOSITORY / "paper/captions").rglob("*.rst"):
        captions.add(path.relative_to(REPOSITORY).as_posix())
    of_results = {result.caption for result in find_results(REPOSITORY)}
    others = {"paper/captions/paper.rst", "paper/captions/workflow.rst"}

    assert captions == of_results | others
