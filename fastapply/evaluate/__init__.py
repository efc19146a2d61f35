"""How often an apply step is right, on edits that the user brings, and which of two is better.

    cases ─ engines ─▶ attempts ─ outcomes ─▶ records, a folder RUN ─ tables ─▶ terminal

The lab makes a page of records, with annotations and judgements beside them. Nothing here is
imported by the commands that apply edits.
"""
