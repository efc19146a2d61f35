"""What people and a language model say about merges, and how far they agree.

    RUN ─┬─ serve ─▶ the page on this machine, with annotation
         ├─ judge ─▶ judgements of a model
         └─ align ─▶ agreement of both with each other and with known answers

Runs are made by `fastapply evaluate run`; `suggest` is what `run` asks about a merge that
nothing decides. `annotations` and `judgements` are kept in their
folders beside the results. `page` is also what `fastapply evaluate report -o FILE` writes.
"""
