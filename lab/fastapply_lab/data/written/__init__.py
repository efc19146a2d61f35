"""Edits of real commits as coding models write them: a teacher writes, a blind reader applies.

    commit ─ write ─▶ edit, instruction ─ apply blind ─▶ the commit's own text? ─┬─ yes ─▶ edits.jsonl
                                                                                 └─ no ──▶ dropped.jsonl

`characters` says how the teacher is to behave, `ask` asks it, `collect` does so for many commits. The prompts
are files beside these, with their versions in their names.
"""
