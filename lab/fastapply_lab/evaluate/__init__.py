"""What people and a language model say about merges, and how far they agree.

    RUN ─┬─ serve ─▶ the page on this machine, with annotation
         ├─ judge ─▶ judgements of a model
         └─ align ─▶ agreement of both with each other and with known answers

Runs are made by `fastapply evaluate run`; what is kept in their folders is read by `fastapply.evaluate`.
"""
