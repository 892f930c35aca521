/* The legal turns with what each changes at once, and their order in the search.
 *
 * A search rates some sixty turns for each one that it makes, so this is where its time goes: sets of squares
 * replace tests of all squares, and whatever turns have in common is worked out once. */
#ifndef FOCUS_TURNS_H
#define FOCUS_TURNS_H
#include "evaluate.h"
#include "board.h"

enum { NONE = -0x7FFFFFFF - 1, TOP = 0x7FFFFFFF, FIRST = (1 << 19) - 2, MOVE_BITS = 12, MOVE_MASK = (1 << MOVE_BITS) - 1 };

typedef struct {
    int count;
    i32 gain[MAX_MOVES]; /* for the mover's side, by the table alone */
    i32 item[MAX_MOVES]; /* promise and turn; all differ, so the order of equal promises is settled */
    u16 move[MAX_MOVES];
} Turns;

static u64 reach[SQUARES][MAX_HEIGHT + 1]; /* squares that a stack of some height can move to */

static void init_reach(void) {
    for (int s = 0; s < SQUARES; s++)
        for (int h = 0; h <= MAX_HEIGHT; h++) {
            reach[s][h] = 0;
            for (int d = 0; d < 4; d++)
                for (int k = 0; k < h && ray[s][d][k] != 255; k++) reach[s][h] |= 1ull << ray[s][d][k];
        }
}

static inline int worth_at(int square, u32 code) { return weights.stack[orbit[square]][shape_of[code]]; }

static inline int reserve_worth(u32 n) { return weights.reserve[n < RESERVES ? n : RESERVES - 1]; }

/* What follows from k pieces coming to an occupied square; ``reserve``: of the mover, before trimming. */
static inline int landing(const Position *p, int target, u32 carried, int k, u32 reserve) {
    int mine = side_of(p->to_move);
    u32 was = p->code[target], code = joined(was, carried, k);
    int worth = worth_at(target, was), gain = (mine & bit(top_of(was))) ? -worth : worth;
    for (int excess = height_of(code) - MAX_HEIGHT; excess > 0; excess--, code >>= 2)
        if (mine & bit(code & 3)) {
            int n = (int)reserve < RESERVES - 1 ? (int)reserve : RESERVES - 2;
            gain += weights.reserve[n + 1] - weights.reserve[n];
            reserve++;
        } else if (rules.fast) gain += 300;
    return gain + worth_at(target, code);
}

static inline void add_turn(Turns *turns, int origin, int target, int gain) {
    turns->move[turns->count] = (u16)(origin << 6 | target);
    turns->gain[turns->count++] = gain;
}

static void list_drops(const Position *p, Turns *turns, u64 empty, u64 others) {
    int me = p->to_move;
    u32 reserve = p->reserve[me];
    int cost = p->placing[me] ? -weights.unplaced : reserve_worth(reserve - 1) - reserve_worth(reserve);
    if (!p->placing[me]) reserve--;
    u32 single = 4u | (u32)me;
    for (; empty; empty &= empty - 1) {
        int target = __builtin_ctzll(empty);
        add_turn(turns, DROP, target, cost + worth_at(target, single));
    }
    for (; others; others &= others - 1) {
        int target = __builtin_ctzll(others);
        add_turn(turns, DROP, target, cost + landing(p, target, (u32)me, 1, reserve));
    }
}

static void list_moves_from(const Position *p, Turns *turns, int origin, u64 empty, u64 others) {
    u32 source = p->code[origin], lifted[MAX_HEIGHT + 1];
    int h = height_of(source), mine = side_of(p->to_move), left_gain[MAX_HEIGHT + 1];
    int worth = worth_at(origin, source);
    for (int k = 1; k <= h; k++) {
        int left = h - k;
        u32 rest = (source & ((1u << 2 * left) - 1)) | 1u << 2 * left;
        int remaining = worth_at(origin, rest);
        lifted[k] = source >> 2 * left; /* under its leading 1 */
        left_gain[k] = (rest == EMPTY ? 0 : (mine & bit(top_of(rest))) ? remaining : -remaining) - worth;
    }
    for (empty &= reach[origin][h]; empty; empty &= empty - 1) {
        int target = __builtin_ctzll(empty), k = steps_between[origin][target];
        add_turn(turns, origin, target, left_gain[k] + worth_at(target, lifted[k]));
    }
    for (others &= reach[origin][h]; others; others &= others - 1) {
        int target = __builtin_ctzll(others), k = steps_between[origin][target];
        u32 carried = lifted[k] ^ 1u << 2 * k;
        add_turn(turns, origin, target, left_gain[k] + landing(p, target, carried, k, p->reserve[p->to_move]));
    }
}

/* List the legal turns, or only the takeovers: moves of stacks onto stacks of other sides. */
static void list_turns(const Position *p, Turns *turns, int takeovers) {
    int me = p->to_move, partner = partner_of(me), placing = p->placing[me] > 0;
    int thirteenth = p->thirteenth >> me & 1;
    u64 all = p->topped[0] | p->topped[1] | p->topped[2] | p->topped[3], empty = ~all & ((1ull << SQUARES) - 1);
    turns->count = 0;
    if (p->over) return;
    if (placing || thirteenth || p->reserve[me]) {
        u64 others = 0;
        if (placing) {
            for (u64 own = p->topped[me]; own; own &= own - 1)
                if (height_of(p->code[__builtin_ctzll(own)]) < MAX_HEIGHT) others |= own & -own;
        } else if (!thirteenth) others = rules.reserve_own ? p->topped[me] : all;
        if (!takeovers) list_drops(p, turns, empty, others);
        if (placing || thirteenth) return;
    }
    u64 movable = p->topped[me];
    if (rules.move_partner && !(p->out & bit(partner))) movable |= p->topped[partner];
    if (takeovers) {
        empty = 0;
        all &= ~(p->topped[me] | p->topped[partner]);
    }
    for (; movable; movable &= movable - 1) list_moves_from(p, turns, __builtin_ctzll(movable), empty, all);
}

static inline i32 pack(int promise, int move) { return promise * (1 << MOVE_BITS) + move; }
static inline int move_of(i32 item) { return item & MOVE_MASK; }

/* The most promising item below another one, or NONE. Few are wanted of most lists, so none is sorted. */
static i32 next_item(const Turns *turns, i32 below) {
    i32 best = NONE;
    for (int i = 0; i < turns->count; i++) {
        i32 item = turns->item[i] < below ? turns->item[i] : NONE;
        best = item > best ? item : best;
    }
    return best;
}

/* Rate the turns for the search, where one is known to be good, and return the first item. */
static i32 rank(Turns *turns, const i16 *past, int first, const u16 *killer) {
    i32 best = NONE;
    for (int i = 0; i < turns->count; i++) {
        int move = turns->move[i], promise = turns->gain[i] * 4 + past[move];
        if (move == killer[0] || move == killer[1]) promise += 1600;
        if (move == first) promise = FIRST;
        i32 item = turns->item[i] = pack(promise, move);
        best = item > best ? item : best;
    }
    return best;
}

/* Drop the turns from an item on that gain no more than ``least``; returns the largest gain of those, or NONE. */
static int drop_hopeless(Turns *turns, i32 from, int least) {
    int kept = 0, most = NONE;
    for (int i = 0; i < turns->count; i++) {
        if (turns->item[i] > from) continue;
        if (turns->gain[i] > least) turns->item[kept++] = turns->item[i];
        else if (turns->gain[i] > most) most = turns->gain[i];
    }
    turns->count = kept;
    return most;
}
#endif
