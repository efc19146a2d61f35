"""Training data for apply models, made of git history: what is shown, and what must come back.

`windows` holds the one shape that everything here reads and writes; `build` makes windows of commits.
Needs the extra ``fastapply[train]``, and nothing of `fastapply apply` imports it.
"""
