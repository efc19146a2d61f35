"""The model in a process of its own: a crash there is a message here, and it stays warm between runs.

`__main__` is that process, `client` an `ApplyModel` that starts one or finds one that runs, `messages` what
they say to each other: JSON, a line each, over a socket that only the user can reach.
"""
