"""Training data for apply models: what is shown, and what must come back.

`windows` holds the one shape that everything here reads and writes; `written` has a model write edits of
commits, `asked` makes windows of cases, `distill` asks a teacher for merges. Needs the extra
``fastapply[train]``.
"""
