"""A second, slow and simple implementation of the rules, from the rule page alone: the oracle for the fast
core.

A state is a dict; squares are names; nothing here uses the code under test except to read its settings.
"""

from typing import Any

from focus_companion.game.rules import Rules

# Repeated on purpose: an oracle that used the board of the code under test could not check that board.
WIDTHS = {
    8: "cdef",
    7: "bcdefg",
    6: "abcdefgh",
    5: "abcdefgh",
    4: "abcdefgh",
    3: "abcdefgh",
    2: "bcdefg",
    1: "cdef",
}
BOARD = {file + str(rank) for rank, files in WIDTHS.items() for file in files}
TURNS = {
    (square, pieces): {
        f"{square}-{chr(ord(square[0]) + file)}{int(square[1]) + rank}"
        for file, rank in ((pieces, 0), (-pieces, 0), (0, pieces), (0, -pieces))
        if chr(ord(square[0]) + file) + str(int(square[1]) + rank) in BOARD
    }
    for square in BOARD
    for pieces in range(1, 6)
}
"""Where a number of pieces may go from a square."""
PARTNER = {"g": "y", "y": "g", "r": "b", "b": "r"}


def begin(rules: Rules, stacks: dict[str, str]) -> dict[str, Any]:
    """The state before the first turn, from the initial stacks (no given position)."""
    thirteen = rules.players == 3 and rules.thirteenth_piece
    return {
        "board": {square: stack for square, stack in stacks.items() if stack},
        "reserve": {p: int(thirteen) for p in rules.order},
        "taken": dict.fromkeys(rules.order, 0),
        "captured": {p: {q: 0 for q in rules.order if q != p} for p in rules.order},
        "hand": dict.fromkeys(rules.order, 18 if rules.set_up == "drop" else 0),
        "first": dict.fromkeys(rules.order, thirteen),
        "out": [],
        "turn": rules.order[0],
        "result": None,
    }


def turns(state: dict[str, Any], rules: Rules, player: str) -> set[str]:
    """Every legal turn that a player would have if it were their turn."""
    board = state["board"]
    found = set()
    if state["hand"][player] or state["first"][player] or state["reserve"][player]:
        empty = {f"*{square}" for square in BOARD if square not in board}
        own_tops = {f"*{square}" for square in board if board[square][-1] == player}
        if state["hand"][player]:
            return empty | {text for text in own_tops if len(board[text[1:]]) < 5}
        if state["first"][player]:
            return empty
        found = {f"*{square}" for square in BOARD} if rules.reserve_on == "anywhere" else empty | own_tops
    mine = {player}
    if rules.partners and rules.move_partner_stacks and PARTNER[player] not in state["out"]:
        mine.add(PARTNER[player])
    for square, stack in board.items():
        if stack[-1] in mine:
            for pieces in range(1, len(stack) + 1):
                found |= TURNS[square, pieces]
    return found


def after(state: dict[str, Any], rules: Rules, text: str) -> dict[str, Any]:
    """The state after a legal turn."""
    state = copied(state)
    me, board = state["turn"], state["board"]
    if text[0] == "*":
        target, pieces = text[1:], me
        if state["hand"][me]:
            state["hand"][me] -= 1
        else:
            state["reserve"][me] -= 1
            state["first"][me] = False
    else:
        origin, target = text.split("-")
        count = abs(ord(origin[0]) - ord(target[0])) + abs(int(origin[1]) - int(target[1]))
        stack = board.pop(origin)
        pieces = stack[len(stack) - count :]
        if stack[: len(stack) - count]:
            board[origin] = stack[: len(stack) - count]
    stack = board.get(target, "") + pieces
    while len(stack) > 5:
        bottom, stack = stack[0], stack[1:]
        if bottom == me or (rules.partners and bottom == PARTNER[me]):
            state["reserve"][bottom] += 1
            state["taken"][bottom] += 1
        else:
            state["captured"][me][bottom] += 1
    board[target] = stack

    if rules.fast:
        row = state["captured"][me]
        own = state["taken"][me]
        if rules.fast_own == "held":
            own = state["reserve"][me] - (1 if state["first"][me] else 0)
        total = rules.fast_total
        if min(row.values()) >= rules.fast_each or (total is not None and sum(row.values()) + own >= total):
            return end(state, me, "fast")
    able = [p for p in rules.order if p not in state["out"] and turns(state, rules, p)]
    if rules.partners:
        for side, others in (("gy", "rb"), ("rb", "gy")):
            if not any(p in side for p in able):
                return end(state, "".join(p for p in rules.order if p in others), "domination")
    elif len(able) == 1:
        return end(state, able[0], "domination")
    place = rules.order.index(me)
    while True:
        place = (place + 1) % rules.players
        player = rules.order[place]
        if player in able:
            state["turn"] = player
            return state
        if rules.players > 2 and rules.stuck == "out" and player not in state["out"]:
            state["out"].append(player)


def copied(value: Any) -> Any:
    """Dicts and lists copied all the way down; the rest cannot change."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return list(value) if isinstance(value, list) else value


def end(state: dict[str, Any], winners: str, reason: str) -> dict[str, Any]:
    state["turn"], state["result"] = "", (winners, reason)
    return state
