"""Claim Validity Scores: how strong is a paper's evidence for the mechanism that it claims?

The way of one paper, step by step; each step is a command of scripts/claims and writes a file:

    fetching.sources.fetch              arXiv, OpenReview, URL or file  -> sources/{paper}/document.pdf, .html or .txt
    reading.text.extract_text           document in a child process     -> text.txt, flags.json (flags, hidden text)
    judges.open.open_judge(...).extract text, N independent runs        -> run-{run}.json (claims, 27 statuses each)
    votes.voting.vote                   runs                            -> voted.json (least status over the runs)
    votes.audit.audit                   voted claims, without the paper -> audited.json (borrowed evidence removed)
    rubric.paper_scores.score_paper     runs, voted, audited claims     -> scores.json (dimensions, CVS, tier)
    study.summaries.summarise           records of all papers           -> summary/*.csv, for tables and figures
    page.html_page.render_page          records                         -> one HTML page for a judge or a paper

`planting` writes papers whose statuses are known; they take the same way.

Imports between the rooms run one way; a room imports only from those to its left:

    rubric <- fetching <- reading <- judges <- votes <- planting <- study <- page
"""
