"""What players declare besides their turns: to resign, to leave, to agree a draw."""

from dataclasses import dataclass
from typing import Literal, get_args

DeclarationKind = Literal["resign", "leave", "draw"]

DECLARATION_KINDS: tuple[DeclarationKind, ...] = get_args(DeclarationKind)


@dataclass(frozen=True, slots=True)
class Declaration:
    """An act other than a turn. ``player`` is the letter of who resigns or leaves; ``""`` for a draw."""

    kind: DeclarationKind
    player: str = ""
