"""What those who make apply models need beside the program: training, data, and judging of merges.

    data ─▶ windows ─ train ─▶ model ─ evaluate ─▶ verdicts of people and of a judge

It lies beside `fastapply` in a checkout and is not in the wheel; ``pip install -e '.[dev]'`` installs both.
`fastapply` lists its commands where it can be imported. It imports from `fastapply`, never the other way.
"""
