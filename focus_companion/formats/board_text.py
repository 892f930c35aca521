"""A position as lines of plain text, for a terminal, a log or an e-mail."""

from __future__ import annotations

from collections.abc import Sequence

from focus_companion.game.squares import FILES_OF_RANK, INDEX


def board_text(stacks: Sequence[str]) -> str:
    """The board with every stack's letters, bottom to top, a dot for an empty square; rank 8 first.

    ``stacks`` are 52 strings of colour letters. Columns are as wide as the highest stack.
    """
    width = max(2, *(len(stack) for stack in stacks)) + 1
    lines = []
    for rank, files in FILES_OF_RANK.items():
        cells = [stacks[INDEX[f"{file}{rank}"]] or "." if file in files else "" for file in "abcdefgh"]
        lines.append(f"{rank}  " + "".join(cell.ljust(width) for cell in cells).rstrip())
    lines.append("   " + "".join(file.ljust(width) for file in "abcdefgh").rstrip())
    return "\n".join(lines)
