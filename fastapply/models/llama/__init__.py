"""An apply model in this process, on llama.cpp's low-level interface.

`library` is the only module that imports llama_cpp, but for `quantise`, which makes files smaller; `decode`
is the loop, `model` an `ApplyModel` of both.
A crash in here ends the process: the command line uses it through a worker process.
"""
