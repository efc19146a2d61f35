"""A language model's opinion on merges: any server that speaks OpenAI's chat completions.

It is shown the file, the edit, the instruction and the merge as a diff, and never the known answer. The
prompt is a file beside this one, its version in its name; `judgements` keeps answers under that name.
"""
