"""The prompt styles, as the commands of `fastapply train` take them."""

from __future__ import annotations

from typing import Literal

Style = Literal["kortix", "fastedit", "osmosis", "aixapply", "morph", "nano", "instruct"]
