"""Evaluation logs of lm-eval and Inspect: their samples as items for the detectors, each with its
mark.

`samples.py` reads a log without pandas, `library.py` makes `mechaware.read_log`'s table. A mark is
what the log counts for an item: 1 for right, 0 for wrong, or a number of another metric. A sample
has one of these forms:

| log | form | known by | question | answer |
|---|---|---|---|---|
| lm-eval | generation | requests have settings | fields, or prompt | the first accepted target |
| lm-eval | continuation | one request | likewise | the continuation |
| lm-eval | choice | a continuation for each option | likewise | the right continuation |
| lm-eval | labelled choice | labels as options | likewise | the prompt's right choice, and all |
| lm-eval | blank (winogrande) | a context for each option | the right context | what follows |
| lm-eval | whole text (wikitext) | a request has one text | none | the text |
| Inspect | open | no choices | the user's messages | the first accepted target |
| Inspect | choice | choices | likewise | the right choice, and all |

Which option is right is never guessed: see `choices.py`, and `labels.py` for choices that an answer
names by a label. Which fields of lm-eval's document are the question is found by
`question_fields.py`.
"""
