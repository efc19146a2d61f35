"""How decoding compares with other programs, and what long files cost: for those who change the decoding.

`random_model` makes a model whose times alone are real, `peers` and `llama_server` are what it is compared
with, `__main__` runs it all with what `fastapply.bench` measures.
"""
