"""The lossless check: finds that a file writes what its checkpoint writes, and where it does not."""

from __future__ import annotations

import pytest
import tiny

pytestmark = [pytest.mark.usefixtures("training", "llama"), pytest.mark.slow]

LINES = tiny.CORPUS.splitlines(keepends=True)
WINDOWS = [
    tiny.window(number, "".join(LINES[number : number + 4]), LINES[number + 1], "x = 1\n")
    for number in range(6)
]


def check(folder, *paths, windows=WINDOWS):
    """Check files on one thread."""
    from fastapply_lab.train.lossless import check

    return check(folder, paths, windows, "nano", threads=1)


def test_float_file_writes_what_its_checkpoint_writes(tmp_path):
    """But for near ties, of which random weights have some: sums end in other bits, and the cache is f16."""
    from fastapply_lab.train.export import export

    folder = tiny.write_checkpoint(tmp_path / "c")
    (loss,) = check(folder, export(folder, tmp_path / "m.gguf", "f32").path)
    assert (loss.answers, loss.too_long, loss.right) == (6, 0, 0)
    assert loss.equal >= 3
    assert all(fork.margin < 0.02 for fork in loss.forks)
    assert loss.texts > 6
    assert loss.tokenised_otherwise == ()


def test_file_of_other_weights_is_found_to_write_something_else(tmp_path):
    """At once, and by far."""
    from safetensors.torch import load_file, save_file

    from fastapply_lab.train.export import export

    folder = tiny.write_checkpoint(tmp_path / "c")
    other = tiny.write_checkpoint(tmp_path / "d")
    weights = load_file(other / "model.safetensors")
    changed = {name: tensor.flip(0) if "embed" in name else tensor for name, tensor in weights.items()}
    save_file(changed, other / "model.safetensors", {"format": "pt"})
    (loss,) = check(folder, export(other, tmp_path / "m.gguf", "f32").path)
    assert loss.equal == 0
    assert loss.share == 0.0
    assert len(loss.forks) == 6
    assert all(fork.position == 0 and fork.margin > 0.1 for fork in loss.forks)


def test_window_beyond_the_context_is_counted_and_left_out(tmp_path):
    """It is in no share."""
    from fastapply_lab.train.export import export

    folder = tiny.write_checkpoint(tmp_path / "c")
    long = tiny.window(9, tiny.CORPUS * 20, "x\n", "y\n")
    (loss,) = check(folder, export(folder, tmp_path / "m.gguf", "f32").path, windows=[long])
    assert (loss.answers, loss.too_long, loss.share) == (0, 1, 0.0)


def test_answers_of_a_quantised_file_are_compared_with_the_float_ones(tmp_path):
    """Each fork says where, of how many tokens, and how near the choice was."""
    from fastapply_lab.train.export import export

    folder = tiny.write_checkpoint(tmp_path / "c", width=256)
    paths = [export(folder, tmp_path / f"{kind}.gguf", kind).path for kind in ("q8_0", "q4_k")]
    losses = check(folder, *paths, windows=WINDOWS[:3])
    assert [loss.path for loss in losses] == paths
    for loss in losses:
        assert loss.equal + len(loss.forks) == loss.answers == 3
        assert all(0 <= fork.position <= fork.tokens and fork.margin > 0 for fork in loss.forks)
