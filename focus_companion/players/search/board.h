/* The rules of the game on a compact board: turns made, games ended.
 *
 * The rules themselves are those of focus_companion/game, which tests/players compares with this file turn by
 * turn. Freestanding C: no library, no floating point here, the same on every machine.
 *
 * Whoever includes this file defines before it what keeps p->worth in step with a stack that comes (sign 1) or
 * goes (-1):  static void stack_worth(Position *p, int square, u32 code, int sign); see evaluate.h. */
#ifndef FOCUS_BOARD_H
#define FOCUS_BOARD_H
#include "position.h"

static void set_square(Position *p, int square, u32 code) {
    u32 was = p->code[square];
    if (was == EMPTY) p->empties--;
    else {
        p->stacks[top_of(was)]--;
        stack_worth(p, square, was, -1);
    }
    if (code == EMPTY) p->empties++;
    else {
        p->stacks[top_of(code)]++;
        stack_worth(p, square, code, 1);
    }
    p->key ^= square_key(square, was) ^ square_key(square, code);
    p->code[square] = (u16)code;
}

static inline int is_placing(const Position *p) { return p->placing[0] | p->placing[1]; }

static int is_able(const Position *p, int i) {
    if (p->out & bit(i)) return 0;
    if (p->placing[i]) {
        if (p->empties) return 1;
        for (int s = 0; s < SQUARES; s++)
            if (top_of(p->code[s]) == i && height_of(p->code[s]) < MAX_HEIGHT) return 1;
        return 0;
    }
    if (p->thirteenth & bit(i)) return p->empties > 0;
    if (p->stacks[i]) return 1;
    if (rules.move_partner && p->stacks[partner_of(i)] && !(p->out & bit(partner_of(i)))) return 1;
    return p->reserve[i] && (!rules.reserve_own || p->empties);
}

static int won_fast(const Position *p, int me) {
    int all = 1, sum = rules.fast_taken ? p->taken[me] : p->reserve[me];
    for (int i = 0; i < rules.players; i++) {
        if (i == me) continue;
        sum += p->captured[me][i];
        if (p->captured[me][i] < rules.fast_each) all = 0;
    }
    return all || (rules.fast_total && sum >= rules.fast_total);
}

/* The pieces that a move of k lifts, and the target's stack with them on it (not yet trimmed). */
static inline u32 joined(u32 below, u32 carried, int k) {
    int h = height_of(below);
    return (below ^ (1u << 2 * h)) | carried << 2 * h | 1u << 2 * (h + k);
}

static void apply(Position *p, int move) {
    int me = p->to_move, origin = move >> 6, target = move & 63;
    u32 carried = (u32)me;
    int k = 1;
    if (origin == DROP) {
        if (p->placing[me]) p->placing[me]--;
        else {
            p->reserve[me]--;
            p->thirteenth &= (u8)~bit(me);
        }
    } else {
        u32 source = p->code[origin];
        k = steps_between[origin][target];
        int left = height_of(source) - k;
        carried = (source >> 2 * left) & ((1u << 2 * k) - 1);
        set_square(p, origin, (source & ((1u << 2 * left) - 1)) | 1u << 2 * left);
    }
    u32 code = joined(p->code[target], carried, k);
    for (int excess = height_of(code) - MAX_HEIGHT; excess > 0; excess--) {
        int owner = code & 3;
        if (side_of(me) & bit(owner)) {
            p->reserve[owner]++;
            p->taken[owner]++;
        } else p->captured[me][owner]++;
        code >>= 2;
    }
    set_square(p, target, code);

    int able = 0, sides = 0, seen = 0, winners = 0;
    for (int i = 0; i < rules.players; i++)
        if (is_able(p, i)) {
            able |= bit(i);
            if (!(seen & bit(i))) sides++, winners = side_of(i);
            seen |= side_of(i);
        }
    if (rules.fast && won_fast(p, me)) sides = 1, winners = bit(me);
    if (sides == 1) {
        p->over = 1;
        p->winners = (u8)winners;
        return;
    }
    for (int i = 1; i <= rules.players; i++) {
        int next = me + i;
        if (next >= rules.players) next -= rules.players;
        if (able & bit(next)) {
            p->to_move = (u8)next;
            return;
        }
        if (rules.stuck_out) p->out |= (u8)bit(next);
    }
}
#endif
