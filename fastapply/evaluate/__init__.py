"""Measuring fastapply on edits whose right answer is known.

`history` reads changed files out of git repositories, `write_edit` says such a change the way a
coding model would, and `score` applies the edits and counts what came of them. Nothing here is
imported by the commands that apply edits.
"""
