"""Edits written by rule, out of git history: what a commit did, said the way a coding model would.

`history` reads changed files out of git repositories, `write_edit` says such a change in one of many styles,
and `edits` draws changes and styles by chance that comes again. What a rule can write, a rule can read: edits
that models wrote (`fastapply.dataset.written`) are the better measure, these are many.
"""
