"""The page to look at merges: one file that needs no network, or served with annotation.

    records ─┬─ overview ─▶ rows of the table, tables, plots ──┬─ write ─▶ one HTML file with all details
             └─ detail ─▶ one case: diffs, colours, the edit ──┴─ serve ─▶ the same; details on demand

The page itself is `static`: a template, a style sheet and scripts without a library. What a browser is given
is text, and is put into the page as text.
"""
