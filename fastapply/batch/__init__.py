"""Many edits in one run: lines of JSON in, lines of JSON out.

    standard input ─ lines ─▶ `schedule`, in order file by file ─ workers, `work` ─▶ results as they finish
                                            └─ `ledger`: what is done, for a run that goes on after a kill

Each line is a transaction of its own: what became of one does not stop the others.
"""
