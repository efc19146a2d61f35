"""The options about apply models, as the commands that may ask one declare them.

Annotations are not kept as text here: Typer would have to compile each of them at every start.
"""

from typing import Annotated

import typer

Endpoint = Annotated[
    str | None,
    typer.Option(
        "--endpoint", metavar="URL", help="Model server with an OpenAI API; --model names the model."
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME|PATH", help="Apply model to use. Default: set by models use."),
]
FullFile = Annotated[
    bool,
    typer.Option("--full-file", help="Let the model rewrite the whole file, not only the unclear part."),
]
Conversation = Annotated[
    str | None,
    typer.Option("--conversation", metavar="FILE", help="Earlier conversation, for models that accept one."),
]
GpuLayers = Annotated[
    int | None,
    typer.Option(
        "--gpu-layers", metavar="N", help="Model layers to run on the GPU. Default: as many as fit."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", help="CPU threads for the model. Default: one per core."),
]
ModelTimeout = Annotated[
    float | None,
    typer.Option("--model-timeout", metavar="SECONDS", help="Time limit for a model answer. Default: 120."),
]
CtxSize = Annotated[
    int | None,
    typer.Option("--ctx-size", metavar="TOKENS", help="Model context size. Default: as needed."),
]
