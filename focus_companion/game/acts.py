"""What players do besides their turns: resign, leave, agree a draw."""

from dataclasses import dataclass
from typing import Literal, get_args

ActKind = Literal["resign", "leave", "draw"]

ACT_KINDS: tuple[ActKind, ...] = get_args(ActKind)


@dataclass(frozen=True, slots=True)
class Act:
    """An act other than a turn. ``player`` is the letter of who resigns or leaves; ``""`` for a draw."""

    kind: ActKind
    player: str = ""
