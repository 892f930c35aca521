/* A position on a compact board: its types, keys and the geometry of the squares.
 *
 * A stack is a number: its pieces two bits each, the bottom piece lowest, under a leading 1 (an empty square is
 * 1). Players are counted in turn order. Squares are numbered as in game/squares.py, row by row from rank 8. */
#ifndef FOCUS_POSITION_H
#define FOCUS_POSITION_H

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
    u64 topped[4];                                               /* sets of squares, by player: evaluate.h */
    u64 filler;                                                  /* to a whole number of pairs */
} Position;

typedef u64 Pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Inline, since the runtime would copy by calling a function. */
static inline void copy_position(Position *to, const Position *from) {
    Pair *a = (Pair *)to;
    const Pair *b = (const Pair *)from;
    for (unsigned i = 0; i < sizeof(Position) / sizeof(Pair); i++) a[i] = b[i];
}

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
#endif
