"""The claims study's figures, drawn from small tables."""

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE, TIERS
from mechaware.claims.study.means import PLANTED
from mechaware.report.style import COLOUR

# From light to dark as the evidence gets stronger: the order survives any colour vision and grey printing.
TIER_COLOUR = ("#D9F0C4", "#8FD3B6", "#41A9C4", "#1F6FA8", "#22307F")
KINDS = {True: ("system-level claims", "#332288", ""), False: ("component claims", "#DDCC77", "////")}
STAGES = {
    "single": ("single runs", "#D55E00", "o"),
    "voted": ("voted", "#009E73", "D"),
    "audited": ("audited", "k", "x"),
}
RANGE, VOTED = "#D55E00", "#009E73"
TOP_CVS = 10
MAX_COLUMNS = 3
_TIER_PLACE = {name: place for place, tier in enumerate(TIERS) for name in (tier.name, tier.short)}


def draw_tiers(
    reported: pd.DataFrame, papers: pd.DataFrame, judge_labels: Mapping[str, str], *, width: float
) -> Figure:
    """Figure 2: the CVS of every paper, coloured by its tier, and the middle of the tier that was expected."""
    panels = _paper_panels(reported, papers, judge_labels)
    figure = _draw_papers(panels, _tier_bars, width)
    handles: list[Patch | Line2D] = [
        Patch(fc=colour, ec=COLOUR["neutral"], lw=0.5, label=tier.name)
        for tier, colour in zip(TIERS, TIER_COLOUR, strict=True)
    ]
    handles.append(Line2D([], [], ls="", marker="D", color="black", ms=4, label="middle of the expected tier"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    figure.supxlabel("Claim Validity Score (CVS)", fontsize=8)
    return figure


def draw_dimensions(
    means: pd.DataFrame, claims: pd.DataFrame, judge_labels: Mapping[str, str], *, width: float
) -> Figure:
    """Figure 3: mean dimension scores of system-level and component claims, planted and by each judge.

    `claims` is that of `claims_beside_truth`, and `means` its `dimension_means`.
    """
    labels = {PLANTED: "planted truth", **judge_labels}
    figure, panels = _panels(len(labels), width, 1.8, sharey=True)
    names = [f"{dimension.name} ({dimension.weight:g})" for dimension in DIMENSIONS]
    for axes, (judge, label) in zip(panels, labels.items(), strict=True):
        part = means[means["judge"] == judge]
        notes = []
        for shift, (system, (_, colour, hatch)) in zip((-0.19, 0.19), KINDS.items(), strict=True):
            rows = part[part["system"] == system].set_index("dimension").reindex([one.code for one in DIMENSIONS])
            y = np.arange(len(rows)) + shift
            axes.barh(y, rows["mean"], 0.36, color=colour, hatch=hatch, ec="white", lw=0)
            error = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
            axes.errorbar(rows["mean"], y, xerr=error, fmt="none", ecolor="black", elinewidth=0.8, capsize=1.5)
            scores = claims.loc[(claims["judge"] == judge) & (claims["system"] == system), "cvs"].dropna()
            notes.append(f"{scores.mean():.1f} (n = {len(scores)})" if len(scores) else "none")
        axes.set_title(f"{_short(label, 30)}\nmean CVS, system {notes[0]},\ncomponent {notes[1]}", fontsize=7)
        axes.set(xlim=(0, 3.1), xticks=range(4), ylim=(len(DIMENSIONS) - 0.5, -0.5))
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        if part.empty:
            _note(axes, "no planted paper" if judge == PLANTED else "no claim scored")
    handles = [Patch(fc=colour, hatch=hatch, ec="white", lw=0, label=label) for label, colour, hatch in KINDS.values()]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    figure.supxlabel("mean dimension score (0 to 3); in brackets the dimension's weight", fontsize=8)
    return figure


def draw_variance(
    reported: pd.DataFrame,
    single_run: pd.DataFrame,
    papers: pd.DataFrame,
    judge_labels: Mapping[str, str],
    *,
    width: float,
) -> Figure:
    """Figure 4: how far the single runs' CVS of every paper spread, and the CVS after the vote.

    `single_run` has the paper's Table 4: paper, single_low, single_high.
    """
    spread = single_run[["paper", "single_low", "single_high"]]
    theirs = reported.merge(spread, on="paper", how="left", validate="one_to_one")
    ours = papers.assign(cvs=papers["voted_cvs"])
    figure = _draw_papers(_paper_panels(theirs, ours, judge_labels), _ranges, width)
    handles = [
        Line2D([], [], color=RANGE, lw=3, marker="|", ms=6, label="range of the single runs"),
        Line2D([], [], ls="", marker="D", color=VOTED, mec="black", mew=0.5, ms=4.5, label="least of the runs' votes"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    figure.supxlabel("Claim Validity Score (CVS)", fontsize=8)
    return figure


def draw_confusion(
    reported: pd.DataFrame, papers: pd.DataFrame, judge_labels: Mapping[str, str], *, width: float
) -> Figure:
    """Figure 5: how many papers of each expected tier were put in which; above the diagonal is over-scored."""
    panels = _paper_panels(reported, papers, judge_labels)
    figure, grid = _panels(len(panels), width, 0.85 * width / min(len(panels), MAX_COLUMNS) + 0.4, sharey=True)
    names = [tier.short for tier in TIERS]
    for axes, (title, part) in zip(grid, panels.items(), strict=True):
        counts = confusion(part)
        axes.imshow(counts, cmap="Blues", origin="lower", vmin=0, vmax=max(1.4 * counts.max(), 1))
        for (row, column), count in np.ndenumerate(counts):
            if count:
                colour = "white" if count > 0.8 * counts.max() else "black"
                axes.annotate(str(count), (column, row), ha="center", va="center", color=colour)
        for place in range(len(TIERS)):
            axes.add_patch(Rectangle((place - 0.46, place - 0.46), 0.92, 0.92, fill=False, ec="#007A5A", lw=1.3))
        axes.set_xticks(range(len(TIERS)), names, rotation=40, ha="right", rotation_mode="anchor")
        axes.set_yticks(range(len(TIERS)), names)
        axes.tick_params(length=0)
        axes.spines[["top", "right"]].set_visible(True)
        axes.set_title(f"{_short(title, 34)}\n{_agreement(part)}", fontsize=7)
    figure.supxlabel("expected tier", fontsize=8)
    figure.supylabel("predicted tier", fontsize=8)
    return figure


def draw_planted_bias(bias: pd.DataFrame, judge_labels: Mapping[str, str], *, width: float) -> Figure:
    """The mean signed error of every criterion, judge minus planted truth, at each stage; `bias`: `criterion_bias`."""
    figure, panels = _panels(len(judge_labels), width, 5.4, sharey=True)
    codes = list(CRITERIA)
    for axes, (judge, label) in zip(panels, judge_labels.items(), strict=True):
        for place in (codes.index(code) for code in LEAK_PRONE):
            axes.axhspan(place - 0.5, place + 0.5, color="#FBE3C0", lw=0)
        for shift, (stage, (_, colour, marker)) in zip((-0.27, 0, 0.27), STAGES.items(), strict=True):
            rows = bias[(bias["judge"] == judge) & (bias["stage"] == stage)].set_index("criterion").reindex(codes)
            y = np.arange(len(codes)) + shift
            error = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
            axes.errorbar(rows["mean"], y, xerr=error, fmt=marker, color=colour, ms=3, mew=0.9, elinewidth=0.8)
        axes.axvline(0, color=COLOUR["neutral"], lw=0.6)
        for boundary in np.cumsum([len(dimension.criteria) for dimension in DIMENSIONS])[:-1]:
            axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
        axes.set(xlim=(-1.05, 1.05), xticks=(-1, -0.5, 0, 0.5, 1), ylim=(len(codes) - 0.5, -0.5))
        axes.set_xticks((-1, -0.5, 0, 0.5, 1), ("-1", "-0.5", "0", "0.5", "1"))
        axes.set_yticks(range(len(codes)), [f"{code} {name}" for code, name in CRITERIA.items()])
        axes.tick_params(axis="y", length=0)
        axes.set_title(_short(label, 34))
        if bias[bias["judge"] == judge].empty:
            _note(axes, "no claim matched to a planted one")
    handles: list[Patch | Line2D] = [
        Line2D([], [], ls="", marker=marker, color=colour, ms=4, label=label)
        for label, colour, marker in STAGES.values()
    ]
    handles.append(Patch(fc="#FBE3C0", label="leak-prone criterion"))
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    figure.supxlabel(
        "mean signed error, judge minus truth: too strict to the left, too generous to the right", fontsize=8
    )
    return figure


def confusion(papers: pd.DataFrame) -> np.ndarray:
    """Counts of the papers with both tiers known: predicted tier (rows, rising) by expected tier (columns)."""
    counts = np.zeros((len(TIERS), len(TIERS)), dtype=int)
    for tier, expected in papers[["tier", "expected_tier"]].dropna().itertuples(index=False):
        counts[_TIER_PLACE[tier], _TIER_PLACE[expected]] += 1
    return counts


def _paper_panels(
    reported: pd.DataFrame, papers: pd.DataFrame, judge_labels: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """By panel title: the papers as the paper reports them, then as each judge scores them, by rising expected tier."""
    parts = [
        ("reported", reported),
        *((label, papers[papers["judge"] == name]) for name, label in judge_labels.items()),
    ]
    return {
        title: part.assign(rank=part["expected_tier"].map(_TIER_PLACE)).sort_values("rank", kind="stable")
        for title, part in parts
    }


def _draw_papers(panels: Mapping[str, pd.DataFrame], draw: Callable[[Axes, pd.DataFrame], str], width: float) -> Figure:
    """A panel for each entry with a row for each paper, drawn by `draw`, which gives the title's second line."""
    most = max(len(part) for part in panels.values())
    figure, grid = _panels(len(panels), width, 0.175 * max(most, 4) + 0.5, sharey=False)
    figure.set_layout_engine("constrained", wspace=0.1)  # between a panel's scores and the next one's papers
    for axes, (title, part) in zip(grid, panels.items(), strict=True):
        for tier in TIERS[1:]:
            axes.axvline(tier.boundary, color=COLOUR["faint"], lw=0.6, zorder=0)
        note = draw(axes, part)
        axes.set_title(f"{_short(title, 26)}\n{note}", fontsize=7, loc="left")
        axes.set_yticks(range(len(part)), [_short(str(name), 17) for name in part["paper"]], fontsize=6.5)
        for y, score in enumerate(part["cvs"]):
            text = "unscored" if pd.isna(score) else f"{score:.1f}"
            x, side = (0.2, "left") if pd.isna(score) else (12.6, "right")
            axes.annotate(text, (x, y), ha=side, va="center", fontsize=6.5, color=COLOUR["neutral"])
        axes.set(xlim=(0, 12.6), xticks=range(0, TOP_CVS + 1, 2), ylim=(max(most, 4) - 0.4, -0.6))
        axes.tick_params(axis="y", length=0)
        if part.empty:
            _note(axes, "no paper")
    return figure


def _tier_bars(axes: Axes, part: pd.DataFrame) -> str:
    scored = part["tier"].notna()
    colours = [TIER_COLOUR[_TIER_PLACE[tier]] for tier in part.loc[scored, "tier"]]
    places = np.arange(len(part))
    axes.barh(places[scored], part.loc[scored, "cvs"], 0.72, color=colours, ec=COLOUR["neutral"], lw=0.5)
    known = part["expected_tier"].notna().to_numpy()
    middles = [_middle(_TIER_PLACE[tier]) for tier in part.loc[known, "expected_tier"]]
    axes.plot(middles, places[known], "D", color="black", mec="white", mew=0.6, ms=4.5)
    return _agreement(part)


def _ranges(axes: Axes, part: pd.DataFrame) -> str:
    places = np.arange(len(part))
    axes.hlines(places, part["single_low"], part["single_high"], color=RANGE, lw=3.5, alpha=0.75)
    for end in ("single_low", "single_high"):
        axes.plot(part[end], places, "|", color=RANGE, ms=7, mew=1.4)
    axes.plot(part["cvs"], places, "D", color=VOTED, mec="black", mew=0.5, ms=4.2)
    spread = (part["single_high"] - part["single_low"]).dropna()
    return f"mean range {spread.mean():.1f}, largest {spread.max():.1f}" if len(spread) else "no single run scored"


def _agreement(part: pd.DataFrame) -> str:
    counts = confusion(part)
    near = sum(int(np.trace(counts, offset)) for offset in (-1, 0, 1))
    total = int(counts.sum())
    return f"exact {np.trace(counts)}/{total}, within one {near}/{total}" if total else "no tier to compare"


def _middle(place: int) -> float:
    bounds = [*(tier.boundary for tier in TIERS), TOP_CVS]
    return (bounds[place] + bounds[place + 1]) / 2


def _panels(count: int, width: float, height: float, *, sharey: bool) -> tuple[Figure, Sequence[Axes]]:
    """A figure `width` inches wide with `count` panels, at most three in a row, each row `height` inches high."""
    columns = min(count, MAX_COLUMNS)
    rows = -(-count // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(width, rows * height + 0.55), sharex=True, sharey=sharey, squeeze=False
    )
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:count])


def _short(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 1]}…"


def _note(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, fill(text, 24), transform=axes.transAxes, ha="center", va="center", color=COLOUR["neutral"])
