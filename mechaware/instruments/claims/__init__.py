"""Claim Validity Scores: how strong is a paper's evidence for the mechanism that it claims?

One paper, step by step. Each step writes a file under results/claims/; the command of the step is
in brackets:

    fetching.sources.fetch        identifier, URL or file   -> document.*            [fetch_paper]
    reading.text.extract_text     document (child process)  -> text.txt, flags.json  [extract_text]
    judges.judge.independent_runs text, N times             -> run-{run}.json        [judge_paper]
    votes.voting.vote             runs: least statuses      -> voted.json            [judge_paper]
    votes.audit.audit             claims, without the paper -> audited.json          [judge_paper]
    rubric.scoring.score_paper    runs, vote and audit      -> scores.json           [judge_paper]

`mechaware.planted.papers` summarises the records of all papers (summary/*.parquet,
[summarise_claims]) and writes papers whose statuses are known, which take the same steps.
`mechaware.verdicts.paper` draws the pages ([draw_page, report_paper]). `mechaware.verdicts.trust`
asks whether a judge reads: from papers and their edits to trials/{judge}.parquet and trust/{judge}/
([measure_trust]).

Imports between the folders run one way; a folder imports only from those to its left:

    rubric <- items <- fetching <- reading <- judges <- votes
                                                     <- aid <- by_rubric

A judge's second method asks for one status, by the criterion of any rubric (`rubric.rubric`) and
passages:

    items.labelled.read_items     items.csv                  -> labelled items
    items.edits.plan_questions    items, some of them edited -> questions.csv  [plan_items]
    judges.judge.answer_questions questions                  -> answers.csv    [judge_items]

`mechaware.verdicts.judge_cards` compares the answers with the labels (judge_cards/{card}/,
[draw_judge_card]).
"""
