"""`fastapply bench`: how near decoding comes to what the machine can do, and how others do there.

`cases` has the edits, `random_model` the model where none is chosen, `measure` our times and the limit,
`peers` those of others; `__main__` is the process that runs it, and writes one JSON object a line.
"""
