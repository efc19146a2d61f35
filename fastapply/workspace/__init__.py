"""Everything that touches files: reading and writing them, what may be undone, the usage log, git.

    bytes of an edit ─ changes, patches ─▶ `pipeline` ─▶ files ─▶ Outcome
                                                           └─ undo, usage_log: what came of it

`files` is the only place that reads and writes the files that edits are for.
"""
