"""The options about apply models, as the commands that may ask one declare them.

Annotations are not kept as text here: Typer would have to compile each of them at every start.
"""

from typing import Annotated

import typer

Endpoint = Annotated[
    str | None,
    typer.Option("--endpoint", metavar="URL", help="The server of the model to ask; --model names it there."),
]
ModelName = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME|PATH", help="The apply model to ask; else the chosen one."),
]
FullFile = Annotated[
    bool,
    typer.Option("--full-file", help="A model rewrites the whole file, not only the part that is unclear."),
]
Conversation = Annotated[
    str | None,
    typer.Option(
        "--conversation", metavar="FILE", help="A text of what was said before, for a model that reads one."
    ),
]
GpuLayers = Annotated[
    int | None,
    typer.Option(
        "--gpu-layers", metavar="N", help="Layers of the model on the GPU; all of them where it can."
    ),
]
Threads = Annotated[
    int | None,
    typer.Option("--threads", metavar="N", help="Threads that the model computes with; one a core."),
]
ModelTimeout = Annotated[
    float | None,
    typer.Option("--model-timeout", metavar="SECONDS", help="How long a model may take for an answer; 120."),
]
CtxSize = Annotated[
    int | None,
    typer.Option(
        "--ctx-size", metavar="TOKENS", help="Tokens that the model sees at a time; as many as it needs."
    ),
]
