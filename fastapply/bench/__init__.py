"""`fastapply bench`: how near a model's decoding comes to what the machine can do.

`cases` has the edits, `measure` our times and the limit; `__main__` is the process that runs it, and writes
one JSON object a line. The lab compares other programs.
"""
