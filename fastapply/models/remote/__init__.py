"""An apply model on a server that speaks OpenAI's chat completions: vLLM, SGLang, llama-server, a service.

`endpoint` says where it is, `model` gets answers from there and makes an `ApplyModel` of both.
What the server answers is read and verified as the answer of any other model.
"""

ENDPOINT_VARIABLE = "FASTAPPLY_ENDPOINT"
