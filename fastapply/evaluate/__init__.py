"""How often an apply step is right, on edits that the user brings, and which of two is better.

    cases ─ engines ─▶ attempts ─ outcomes ─▶ records, a folder RUN ─┬─ tables, compare ─▶ terminal
                                                                     ├─ page ─▶ a file, or a server
                                                                     ├─ judge ─▶ judgements of a model
                                                                     └─ annotations, align ─▶ agreement

Nothing here is imported by the commands that apply edits.
"""
