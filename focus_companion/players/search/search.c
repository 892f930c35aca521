/* The search: alpha-beta with iterative deepening, and what a host needs to set up a position and read it.
 *
 * With more than two sides everybody else is taken to play against the player at the root (Paranoid), or only
 * one of them in each round while the others make their most natural turn (BRS+), as the host chooses. */
#include "turns.h"

enum { DEEPEST = 60, PLIES = 80, QUIET = 6, KEPT = 1 << 20, BOUND_EXACT = 1, BOUND_LOW = 2, BOUND_HIGH = 3,
       PAST = 1024, CONTEMPT = 60, STAGNATION = 2500, PATIENCE = 20 };

#define EXPORT(name) __attribute__((export_name(#name)))
__attribute__((import_module("host"), import_name("should_stop"))) int should_stop(void);

/* Small, since most of a look-up's time is the wait for memory. Free: bound 0. */
typedef struct { u32 check : 26, depth : 6; u16 move : 12, bound : 2; i16 score; } Kept;

typedef struct {
    i32 most_nodes, most_depth, noise, brs, root; /* brs: 1 for BRS+, 0 for Paranoid; root: for whom to search */
    u32 seed;
} Wanted;

typedef struct {
    i32 score, depth, nodes, line_length, moves_at_root;
    u16 move, pad;
    u16 line[PLIES];
} Found;

static Position board, path[PLIES + 2];
static Wanted wanted;
static Found found;
static u16 listed[MAX_MOVES];
static Kept kept[KEPT];
static i16 history[4][64 * 64]; /* at most 3000 and one addition, which depth bounds to 28,800 */
static u16 killers[PLIES][2];
static u16 lines[PLIES + 2][PLIES + 2];
static u8 line_lengths[PLIES + 2];
static u16 age;
static int root_player, root_side, circle, stopped, nodes, next_look;
static u64 stir, age_mix; /* age_mix: makes what earlier searches kept unknown */
static u64 past[PAST], keys[PLIES + 2]; /* positions of the game so far, as a hash table; those of the line */
static i32 past_count, waited; /* waited: earlier positions with the same captures and reserves */

static int has_been(u64 key) {
    for (u64 at = key & (PAST - 1); past[at]; at = (at + 1) & (PAST - 1))
        if (past[at] == key) return 1;
    return 0;
}

/* The value for the root, in thousandths of a nat, of coming back to a position. No rule ends a game that goes in
 * circles, so it is an even chance less CONTEMPT: whoever is ahead avoids it. With more than two sides, Paranoid
 * takes everybody for behind, so the value falls linearly with the turns without a capture, to -STAGNATION after
 * PATIENCE of them. Raising PATIENCE makes games of several computers longer; lowering it gives up waiting while
 * the others fight, which is strong. */
static int value_of_circle(void) {
    int sides = rules.partners ? 2 : rules.players, even = sides == 2 ? 0 : sides == 3 ? -693 : -1099;
    if (sides > 2) even += (-STAGNATION - even) * (waited < PATIENCE ? waited : PATIENCE) / PATIENCE;
    return even - CONTEMPT;
}

static inline int for_root(const Position *p) { return root_side >> p->to_move & 1; }

static int static_value(const Position *p, u64 key) {
    int value = odds(p, root_player);
    if (wanted.noise) { /* the sum of four bytes is near enough to a bell curve, of deviation 148 */
        u64 h = mix(key ^ stir);
        int sum = (int)(h & 255) + (int)(h >> 8 & 255) + (int)(h >> 16 & 255) + (int)(h >> 24 & 255) - 510;
        value += sum * wanted.noise / 148;
    }
    return for_root(p) ? value : -value;
}

static int look_up_end(const Position *p, int ply) {
    return (p->winners & root_side) ? WON - ply : -(WON - ply);
}

static int out_of_time(void) {
    if (nodes >= wanted.most_nodes) stopped = 1;
    else if (nodes >= next_look) {
        next_look = nodes + 1024;
        if (should_stop()) stopped = 1;
    }
    return stopped;
}

/* Turns that take a stack over or win much, until none is worth more than standing still. */
static int quiet(int ply, int alpha, int beta, int left) {
    const Position *p = &path[ply];
    nodes++;
    if (p->over) return for_root(p) ? look_up_end(p, ply) : -look_up_end(p, ply);
    int value = static_value(p, wanted.noise ? full_key(p) : 0);
    if (value >= beta || !left || ply >= PLIES) return value;
    if (out_of_time()) return value;
    if (value > alpha) alpha = value;
    Turns turns;
    list_turns(p, &turns, 1);
    int count = 0;
    for (int i = 0; i < turns.count; i++)
        if (value + turns.gain[i] > alpha) turns.item[count++] = pack(turns.gain[i], turns.move[i]);
    turns.count = count;
    i32 next = TOP;
    for (int tried = 0; tried < 6 && (next = next_item(&turns, next)) != NONE; tried++) {
        if (value + (next >> MOVE_BITS) <= alpha) break;
        copy_position(&path[ply + 1], p);
        apply(&path[ply + 1], move_of(next));
        int same = for_root(&path[ply + 1]) == for_root(p);
        int score = same ? quiet(ply + 1, alpha, beta, left - 1) : -quiet(ply + 1, -beta, -alpha, left - 1);
        if (score > value) value = score;
        if (score > alpha) alpha = score;
        if (alpha >= beta || stopped) break;
    }
    return value;
}

static int search(int ply, int depth, int alpha, int beta, int spent, int nulled);

static int child_value(int ply, int depth, int alpha, int beta, int spent, int mine, int nulled) {
    const Position *child = &path[ply + 1];
    if (for_root(child)) spent = 0; /* BRS+: a new round */
    return for_root(child) == mine ? search(ply + 1, depth, alpha, beta, spent, nulled)
                                   : -search(ply + 1, depth, -beta, -alpha, spent, nulled);
}

static int log2_of(int n) { return 31 - __builtin_clz((u32)(n | 1)); }

/* Value of path[ply] for the side to move in it, between alpha and beta (fail soft). ``spent``: BRS+, somebody
 * has already made a free turn against the root in this round. */
static int search(int ply, int depth, int alpha, int beta, int spent, int nulled) {
    Position *p = &path[ply];
    line_lengths[ply] = 0;
    if (p->over) {
        nodes++;
        return for_root(p) ? look_up_end(p, ply) : -look_up_end(p, ply);
    }
    if (depth <= 0 || ply >= PLIES - QUIET - 2) return quiet(ply, alpha, beta, rules.players == 2 ? QUIET : 3);
    nodes++;
    if (out_of_time()) return 0;
    int narrow = beta - alpha == 1, mine = for_root(p), many = rules.players > 2 && !rules.partners;
    int brs = wanted.brs && many && !mine;
    u64 plain = full_key(p);
    keys[ply] = plain;
    if (ply) {
        for (int back = ply - 2; back >= 0; back--)
            if (keys[back] == plain) return mine ? circle : -circle;
        if (past_count && has_been(plain)) return mine ? circle : -circle;
    }
    u64 key = plain ^ (many ? mix((u64)root_player + 77 + (u64)(brs * (1 + spent)) * 8) : 0) ^ stir;
    Kept *slot = &kept[key & (KEPT - 1)];
    u16 first = 0;
    u32 check = (u32)((key ^ age_mix) >> 38);
    int known = slot->check == check && slot->bound;
    if (known) {
        first = slot->move;
        if (narrow && (int)slot->depth >= depth) { /* where the line is wanted, it is searched to its end */
            int score = slot->score;
            if (score > SURE) score -= ply;
            else if (score < -SURE) score += ply;
            if (slot->bound == BOUND_EXACT || (slot->bound == BOUND_LOW && score >= beta) ||
                (slot->bound == BOUND_HIGH && score <= alpha))
                return score;
        }
    }
    int calm = !is_placing(p) && !p->thirteenth;
    int value = static_value(p, plain), slack = rules.fast ? 1200 : wanted.noise * 2;
    if (ply && narrow && !nulled && !many && calm && depth >= 3 && value >= beta && beta > -SURE && beta < SURE) {
        Position *child = &path[ply + 1];
        copy_position(child, p);
        int next = p->to_move;
        for (int i = 0; i < rules.players; i++) {
            next = next + 1 == rules.players ? 0 : next + 1;
            if (is_able(child, next)) break;
        }
        child->to_move = (u8)next;
        keys[ply + 1] = 0;
        if (for_root(child) != mine) {
            int score = child_value(ply, depth - 3 - (depth > 6), beta - 1, beta, spent, mine, 1);
            if (stopped) return 0;
            if (score >= beta) return score > SURE ? beta : score;
        }
    }
    Turns turns;
    list_turns(p, &turns, 0);
    i32 item = rank(&turns, history[p->to_move], first, killers[ply]);
    int best = -WON - 1, best_move = 0, was_alpha = alpha;
    int sparing = depth <= 2 && narrow && calm && !(depth == 1 && rules.fast);
    for (int tried = 0; item != NONE; tried++, item = next_item(&turns, item)) {
        int move = move_of(item), free = 0;
        if (brs && tried) {
            if (spent) break; /* somebody else has had the free turn */
            free = 1;
        }
        if (sparing && best > -SURE && tried > (depth == 1 ? 0 : 3)) {
            int most = drop_hopeless(&turns, item, alpha - value - slack - (depth == 1 ? 0 : 900));
            if (depth == 1 && most != NONE && value + most + slack > best) best = value + most + slack;
            sparing = 0;
            if ((item = next_item(&turns, item + 1)) == NONE) break;
            move = move_of(item);
        }
        copy_position(&path[ply + 1], p);
        apply(&path[ply + 1], move);
        int score, less = 0;
        if (depth >= 3 && tried >= 3) {
            less = 1 + (log2_of(tried) * log2_of(depth)) / 6;
            if (!narrow && less > 1) less--;
            if (less > depth - 2) less = depth - 2;
        }
        if (!tried) score = child_value(ply, depth - 1, alpha, beta, spent | free, mine, 0);
        else {
            score = child_value(ply, depth - 1 - less, alpha, alpha + 1, spent | free, mine, 0);
            if (score > alpha && less && !stopped)
                score = child_value(ply, depth - 1, alpha, alpha + 1, spent | free, mine, 0);
            if (score > alpha && score < beta && !stopped)
                score = child_value(ply, depth - 1, alpha, beta, spent | free, mine, 0);
        }
        if (stopped) {
            if (ply == 0 && best_move && best > was_alpha) break;
            return 0;
        }
        if (score > best) {
            best = score;
            best_move = move;
            if (score > alpha) {
                alpha = score;
                lines[ply][0] = (u16)move;
                int n = line_lengths[ply + 1];
                for (int i = 0; i < n && i + 1 < PLIES; i++) lines[ply][i + 1] = lines[ply + 1][i];
                line_lengths[ply] = (u8)(n + 1);
                if (ply == 0) {
                    found.move = (u16)move;
                    found.score = score;
                    found.line_length = n + 1;
                    for (int i = 0; i <= n; i++) found.line[i] = lines[0][i];
                }
            }
            if (alpha >= beta) {
                i16 *counted = &history[p->to_move][move];
                *counted = (i16)(*counted + depth * depth * 8);
                if (*counted > 3000)
                    for (int i = 0; i < 64 * 64; i++) history[p->to_move][i] /= 2;
                if (killers[ply][0] != move) {
                    killers[ply][1] = killers[ply][0];
                    killers[ply][0] = (u16)move;
                }
                break;
            }
        }
    }
    if (stopped) return best;
    int score = best;
    if (score > SURE) score += ply;
    else if (score < -SURE) score -= ply;
    if (!known || (int)slot->depth <= depth || slot->bound != BOUND_EXACT) {
        slot->check = check;
        slot->score = (i16)score;
        slot->depth = (u32)depth & 63; /* DEEPEST is less */
        slot->move = (best > was_alpha ? best_move : first) & MOVE_MASK;
        slot->bound = best >= beta ? BOUND_LOW : best > was_alpha ? BOUND_EXACT : BOUND_HIGH;
    }
    return best;
}

EXPORT(board) Position *export_board(void) { return &board; }
EXPORT(rules) Rules *export_rules(void) { return &rules; }
EXPORT(weights) Weights *export_weights(void) { return &weights; }
EXPORT(wanted) Wanted *export_wanted(void) { return &wanted; }
EXPORT(found) Found *export_found(void) { return &found; }
EXPORT(listed) u16 *export_listed(void) { return listed; }

/* To be called when the rules or the weights have been written. */
EXPORT(prepare) void prepare(void) {
    init_geometry();
    init_reach();
    init_shapes();
    init_soften();
}

/* To be called when the stacks and counts of the board have been written: fills in what follows from them. */
EXPORT(settle) void settle(void) {
    Position given = board;
    board.empties = SQUARES;
    board.key = 0;
    for (int i = 0; i < 4; i++) board.stacks[i] = 0, board.worth[i] = 0, board.topped[i] = 0;
    for (int s = 0; s < SQUARES; s++) board.code[s] = EMPTY;
    for (int s = 0; s < SQUARES; s++)
        if (given.code[s] != EMPTY) set_square(&board, s, given.code[s]);
}

EXPORT(list) int list(void) {
    Turns turns;
    list_turns(&board, &turns, 0);
    for (int i = 0; i < turns.count; i++) listed[i] = turns.move[i];
    return turns.count;
}
EXPORT(make) void make(int move) { apply(&board, move); }

/* Forget, and keep, positions that have been: coming back to one of them is going in circles. */
EXPORT(forget) void forget(void) {
    memset(past, 0, sizeof past);
    past_count = waited = 0;
}
EXPORT(keep) void keep(void) {
    u64 key = full_key(&board), at = key & (PAST - 1);
    waited++;
    if (past_count >= PAST / 2 || has_been(key)) return;
    while (past[at]) at = (at + 1) & (PAST - 1);
    past[at] = key;
    past_count++;
}

/* The odds of a player's side by the table alone, in thousandths of their logarithm. */
EXPORT(estimate) int estimate(int player) { return odds(&board, player); }

/* Search the board's position, which must not be over; the answer is in ``found``. */
EXPORT(think) void think(void) {
    root_player = wanted.root < 0 ? board.to_move : wanted.root;
    root_side = side_of(root_player);
    circle = value_of_circle();
    stir = mix(wanted.seed);
    stopped = nodes = 0;
    next_look = 512;
    if (++age == 0) {
        memset(kept, 0, sizeof kept);
        age = 1;
    }
    age_mix = mix(age);
    memset(history, 0, sizeof history);
    memset(killers, 0, sizeof killers);
    memset(&found, 0, sizeof found);
    path[0] = board;
    Turns turns;
    list_turns(&board, &turns, 0);
    for (int i = 0; i < turns.count; i++) turns.item[i] = pack(turns.gain[i], turns.move[i]);
    found.moves_at_root = turns.count;
    found.move = (u16)move_of(next_item(&turns, TOP)); /* should there be no time for anything */
    found.score = static_value(&board, full_key(&board));
    found.line[0] = found.move;
    found.line_length = 1;
    for (int depth = 1; depth <= wanted.most_depth && depth <= DEEPEST; depth++) {
        search(0, depth, -WON - 1, WON + 1, 0, 0);
        if (stopped) break;
        found.depth = depth;
        if (found.score > SURE || found.score < -SURE) break;
    }
    if (!for_root(&board)) found.score = -found.score;
    found.nodes = nodes;
}
