/* What a position is worth: a learned table of stacks by kind of square and by who lies under the top piece.
 *
 * Unit: a thousandth of a natural logarithm of the odds to win. benchmarks/players/train_evaluation.py finds the
 * numbers, focus_companion/players/weights holds them. */
#ifndef FOCUS_EVALUATE_H
#define FOCUS_EVALUATE_H
#include "position.h"

enum { SHAPES = 64, RESERVES = 24, PROGRESS = 17, SURE = 28000, WON = 30000, TURN = 1000 };

typedef struct {
    i32 stack[ORBITS][SHAPES]; /* by shape: 1 under one bit a piece, 0 for the owner's side, the top left out */
    i32 reserve[RESERVES];     /* by number of pieces in reserve */
    i32 unplaced;              /* for each piece of the drop set-up in hand */
    i32 progress[PROGRESS];    /* fast games: by sixteenths of the way to a fast win */
    i32 tempo;                 /* of being to move */
    i32 gone;                  /* of a player who is out */
} Weights;

static Weights weights;
static u8 shape_of[CODES];
static i32 soften[512]; /* ln(1 + e^-x) by sixteenths, in thousandths */

static void init_shapes(void) {
    for (u32 code = 4; code < CODES; code++) {
        int h = height_of(code), top = top_of(code);
        u32 shape = 0;
        if (31 - __builtin_clz(code) != 2 * h || h > MAX_HEIGHT) continue;
        for (int i = 0; i < h - 1; i++)
            if (!(side_of(top) & bit(code >> 2 * i & 3))) shape |= 1u << i;
        shape_of[code] = (u8)(shape | 1u << (h - 1));
    }
}

static void init_soften(void) {
    for (int i = 0; i < 512; i++) {
        double x = i / 16.0, e = 1 - x / 4096, y, z, term, sum = 0;
        if (e < 0) e = 0;
        for (int k = 0; k < 12; k++) e *= e;
        y = e / (2 + e), z = y * y, term = y; /* ln(1 + e) = 2 artanh(e / (2 + e)) */
        for (int k = 1; k < 40; k += 2, term *= z) sum += term / k;
        soften[i] = (i32)(2000 * sum + 0.5);
    }
}

static void stack_worth(Position *p, int square, u32 code, int sign) {
    int top = top_of(code);
    p->worth[top] += sign * weights.stack[orbit[square]][shape_of[code]];
    p->topped[top] ^= 1ull << square;
}

static int sixteenths(const Position *p, int me) {
    int sum = 0, met = 0, opponents = rules.players - 1;
    for (int i = 0; i < rules.players; i++) {
        if (i == me) continue;
        int n = p->captured[me][i];
        sum += n;
        met += n < rules.fast_each ? n : rules.fast_each;
    }
    int way = 16 * met / (rules.fast_each * opponents);
    if (rules.fast_total) {
        sum += rules.fast_taken ? p->taken[me] : p->reserve[me] - (p->thirteenth >> me & 1);
        int other = 16 * (sum < rules.fast_total ? sum : rules.fast_total) / rules.fast_total;
        if (other > way) way = other;
    }
    return way;
}

static int player_worth(const Position *p, int i) {
    if (p->out & bit(i)) return weights.gone;
    int n = p->reserve[i];
    int value = p->worth[i] + weights.reserve[n < RESERVES ? n : RESERVES - 1] + weights.unplaced * p->placing[i];
    if (rules.fast) value += weights.progress[sixteenths(p, i)];
    return value;
}

static int more_likely(int a, int b) { /* ln(e^a + e^b) */
    int high = a > b ? a : b, apart = a > b ? a - b : b - a, at = apart * 2 / 125;
    return high + (at < 512 ? soften[at] : 0);
}

/* The logarithm of the odds of a player's side (the sum of its players against the best of the others). */
static int odds(const Position *p, int player) {
    int side = side_of(player), mine = 0, theirs = 0, others = 0;
    for (int i = 0; i < rules.players; i++) {
        int value = player_worth(p, i) + (i == p->to_move ? weights.tempo : 0);
        if (side & bit(i)) mine += value;
        else if (rules.partners || !others++) theirs += value;
        else theirs = more_likely(theirs, value);
    }
    int value = mine - theirs;
    return value > 20000 ? 20000 : value < -20000 ? -20000 : value;
}
#endif
