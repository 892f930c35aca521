/* The rules of the game on a compact board: turns made and listed, games ended.
 *
 * The rules themselves are those of focus_companion/game, which tests/players compares with this file turn by
 * turn. Freestanding C: no library, no floating point here, the same on every machine.
 *
 * A stack is a number: its pieces two bits each, the bottom piece lowest, under a leading 1 (an empty square is
 * 1). Players are counted in turn order. Squares are numbered as in game/squares.py, row by row from rank 8. */
#ifndef FOCUS_BOARD_H
#define FOCUS_BOARD_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short i16;
typedef int i32;
typedef long long i64;

/* There is no C library; the compiler calls these two for what it copies and clears. */
void *memset(void *at, int value, unsigned long size) {
    u8 *byte = at;
    while (size--) *byte++ = (u8)value;
    return at;
}
void *memcpy(void *to, const void *from, unsigned long size) {
    u8 *a = to;
    const u8 *b = from;
    while (size--) *a++ = *b++;
    return to;
}

enum { SQUARES = 52, DROP = 63, MAX_HEIGHT = 5, CODES = 2048, MAX_MOVES = 1100, EMPTY = 1 };

typedef struct {
    u8 players, partners, move_partner, reserve_own, stuck_out, fast, fast_each, fast_total, fast_taken, pad[7];
} Rules;

typedef struct {
    u16 code[SQUARES];
    u16 reserve[4], taken[4], placing[4];
    u16 captured[4][4];
    u8 stacks[4]; /* stacks topped, by player */
    u8 empties, thirteenth, out, to_move, over, winners, pad[2]; /* masks of players; over: 0 or 1 */
    i32 worth[4];                                                /* of the stacks on the board: evaluate.h */
    u64 key;                                                     /* of the stacks on the board */
} Position;

static Rules rules;
static u8 ray[SQUARES][4][MAX_HEIGHT]; /* square met after 1..5 steps, 255 off the board */
static u8 steps_between[SQUARES][SQUARES];
static u8 orbit[SQUARES]; /* squares that a turn or a reflection of the board exchanges have the same */
enum { ORBITS = 8 };

static inline int height_of(u32 code) { return (31 - __builtin_clz(code)) >> 1; }
static inline int top_of(u32 code) { return (code >> (2 * height_of(code) - 2)) & 3; }
static inline int bit(int player) { return 1 << player; }
static inline int partner_of(int player) { return rules.partners ? (player + 2) & 3 : player; }
static inline int side_of(int player) { return bit(player) | bit(partner_of(player)); }

static inline u64 mix(u64 x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}
static inline u64 square_key(int square, u32 code) { return code == EMPTY ? 0 : mix((u64)square << 16 | code); }

/* Everything else that decides how a game can go on, stirred into the key of the stacks. */
static u64 full_key(const Position *p) {
    u64 a = p->to_move | (u64)p->out << 4 | (u64)p->thirteenth << 8;
    u64 b = p->placing[0] | (u64)p->placing[1] << 16;
    for (int i = 0; i < 4; i++) a |= (u64)(p->reserve[i] & 0xFFF) << (16 + 12 * i);
    u64 key = p->key ^ mix(a);
    if (b) key ^= mix(~b);
    if (rules.fast)
        for (int i = 0; i < rules.players; i++) {
            u64 row = (u64)p->taken[i] << 48;
            for (int j = 0; j < 4; j++) row |= (u64)(p->captured[i][j] & 0xFF) << (8 * j);
            key ^= mix(row + ((u64)(i + 1) << 60));
        }
    return key;
}

static void init_geometry(void) {
    static const u8 first[8] = {2, 1, 0, 0, 0, 0, 1, 2};
    static const i32 step[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    i32 at[8][8];
    int count = 0;
    for (int row = 0; row < 8; row++)
        for (int file = 0; file < 8; file++)
            at[row][file] = (file >= first[row] && file < 8 - first[row]) ? count++ : -1;
    int known = 0, of[64];
    for (int i = 0; i < 64; i++) of[i] = -1;
    for (int row = 0; row < 8; row++)
        for (int file = 0; file < 8; file++) {
            int square = at[row][file];
            if (square < 0) continue;
            int a = row < 4 ? row : 7 - row, b = file < 4 ? file : 7 - file;
            int low = a < b ? a : b, high = a < b ? b : a;
            if (of[low * 8 + high] < 0) of[low * 8 + high] = known++;
            orbit[square] = (u8)of[low * 8 + high];
            for (int d = 0; d < 4; d++)
                for (int k = 1; k <= MAX_HEIGHT; k++) {
                    int r = row + step[d][1] * k, f = file + step[d][0] * k;
                    int target = (r >= 0 && r < 8 && f >= 0 && f < 8) ? at[r][f] : -1;
                    ray[square][d][k - 1] = target < 0 ? 255 : (u8)target;
                    if (target >= 0) steps_between[square][target] = (u8)k;
                }
        }
}

/* Defined by whoever includes this file: keeps p->worth in step with a stack that comes (1) or goes (-1). */
static void stack_worth(Position *p, int square, u32 code, int sign);

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

/* Write every legal turn (origin * 64 + target) of the player to move and return their number. */
static int list_moves(const Position *p, u16 *moves) {
    int me = p->to_move, count = 0;
    if (p->over) return 0;
    int placing = p->placing[me] > 0, thirteenth = p->thirteenth >> me & 1;
    if (placing || thirteenth || p->reserve[me]) {
        for (int s = 0; s < SQUARES; s++) {
            u32 code = p->code[s];
            int may = code == EMPTY;
            if (!may && placing) may = top_of(code) == me && height_of(code) < MAX_HEIGHT;
            else if (!may && !thirteenth) may = !rules.reserve_own || top_of(code) == me;
            if (may) moves[count++] = (u16)(DROP << 6 | s);
        }
        if (placing || thirteenth) return count;
    }
    int movable = bit(me);
    if (rules.move_partner && !(p->out & bit(partner_of(me)))) movable |= bit(partner_of(me));
    for (int s = 0; s < SQUARES; s++) {
        u32 code = p->code[s];
        if (code == EMPTY || !(movable >> top_of(code) & 1)) continue;
        int h = height_of(code);
        for (int d = 0; d < 4; d++)
            for (int k = 0; k < h && ray[s][d][k] != 255; k++) moves[count++] = (u16)(s << 6 | ray[s][d][k]);
    }
    return count;
}
#endif
