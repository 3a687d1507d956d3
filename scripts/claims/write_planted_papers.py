"""Write the planted papers, one folder each, and the truth about each,
and read their texts as those of any paper.
"""

from mechaware.planted.papers.plan import plan_papers
from mechaware.planted.papers.typesetting import write_paper
from scripts.claims import extract_text
from scripts.command import Output


def main(
    *,
    seed: int,
    max_pages: int,
    memory_mb: int,
    timeout_s: float,
    papers: list[Output],
    truths: list[Output],
    texts: list[Output],
    flags: list[Output],
) -> None:
    """Write the papers `planted-01` on to the folders `papers`,
    the truth about each to `truths`, and their texts.
    """
    planned = plan_papers(len(papers), seed)
    for paper, folder, truth, text, about in zip(
        planned, papers, truths, texts, flags, strict=True
    ):
        write_paper(paper, folder, truth)
        extract_text.main(
            source=folder,
            paper=folder.name,
            max_pages=max_pages,
            memory_mb=memory_mb,
            timeout_s=timeout_s,
            text=text,
            flags=about,
        )
