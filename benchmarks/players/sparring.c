/* Sparring partners for the engine: what the literature plays this game with, on the same board (board.h) but
 * with an evaluation and a search of their own.
 *
 *   kind 0  alpha-beta of fixed depth (Paranoid where there are several opponents)
 *   kind 1  Paranoid: alpha-beta, iterative deepening, table, killers, history
 *   kind 2  BRS+: the same, where only one opponent in each round has a free turn
 *   kind 3  max^n MCTS with progressive history (Nijssen and Winands), playouts cut off and evaluated
 *
 * The evaluation counts captures, reserves, stacks and moves, with the weights of docs/review.md. */
#include "../../focus_companion/players/search/position.h"

static u8 freedom[SQUARES][MAX_HEIGHT + 1];

static void stack_worth(Position *p, int square, u32 code, int sign) {
    int height = height_of(code); /* a stack and its moves, kept from turn to turn */
    p->worth[top_of(code)] += sign * (100 + 20 * freedom[square][height]);
}

#include "../../focus_companion/players/search/board.h"

#define EXPORT(name) __attribute__((export_name(#name)))
__attribute__((import_module("host"), import_name("should_stop"))) int should_stop(void);

enum { FIXED, PARANOID, BRS, MCTS, PLIES = 64, KEPT = 1 << 20, LOST = 30000, EDGES = 1 << 22, CUT = 8 };

typedef struct { i32 kind, depth; u32 seed; } Wanted;
typedef struct { i32 score, depth, nodes; u16 move, pad; } Found;
typedef struct { u32 check; u16 move, age; i16 score; u8 depth, bound; } Kept;

static Position board, path[PLIES + 2];
static Wanted wanted;
static Found found;
static u16 listed[MAX_MOVES];
static Kept kept[KEPT];
static i32 history[4][64 * 64];
static u16 killers[PLIES + 2][2], age;
static int root_player, root_side, stopped, nodes, next_look, root_best;

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

static double exponential(double x) {
    double y = 1 + x / 1024;
    if (y < 0) return 0;
    for (int i = 0; i < 10; i++) y *= y;
    return y;
}
static double logarithm(double x) {
    int k = 0;
    while (x > 1.5) x /= 2, k++;
    while (x < 0.75) x *= 2, k--;
    double z = (x - 1) / (x + 1), z2 = z * z, sum = 0, term = z;
    for (int i = 1; i < 30; i += 2, term *= z2) sum += term / i;
    return 2 * sum + k * 0.6931471805599453;
}

static void values_of(const Position *p, double *value) {
    for (int i = 0; i < rules.players; i++) {
        if (p->out & bit(i)) {
            value[i] = -9;
            continue;
        }
        int captured = 0;
        for (int j = 0; j < rules.players; j++) captured += p->captured[i][j];
        value[i] = (p->worth[i] + 250 * captured + 450 * p->reserve[i]) / 1000.0;
    }
}

/* Every player's chance: the pair's, with partners. */
static void chances_of(const Position *p, double *chance) {
    double value[4], sum = 0;
    if (p->over) {
        for (int i = 0; i < rules.players; i++) chance[i] = p->winners >> i & 1;
        return;
    }
    values_of(p, value);
    if (rules.partners)
        for (int i = 0; i < 2; i++) value[i] = value[i + 2] = value[i] + value[i + 2];
    double high = value[0];
    for (int i = 1; i < rules.players; i++)
        if (value[i] > high) high = value[i];
    for (int i = 0; i < rules.players; i++) sum += chance[i] = exponential(value[i] - high);
    for (int i = 0; i < rules.players; i++) chance[i] /= rules.partners ? sum / 2 : sum;
}

static inline int for_root(const Position *p) { return root_side >> p->to_move & 1; }

static int static_value(const Position *p) {
    double chance[4], odds;
    chances_of(p, chance);
    odds = chance[root_player];
    if (odds < 1e-9) odds = 1e-9;
    if (odds > 1 - 1e-9) odds = 1 - 1e-9;
    int value = (int)(1000 * (logarithm(odds) - logarithm(1 - odds)));
    return for_root(p) ? value : -value;
}

/* A rough order: take tall stacks over, keep one's own growing. */
static int promise_of(const Position *p, int move) {
    u32 at = p->code[move & 63];
    int origin = move >> 6, k = origin == DROP ? 1 : steps_between[origin][move & 63];
    int height = at == EMPTY ? 0 : height_of(at), mine = at != EMPTY && (side_of(p->to_move) & bit(top_of(at)));
    int excess = height + k - MAX_HEIGHT;
    return (at == EMPTY ? 0 : mine ? 20 : 100 + 100 * height) + (excess > 0 ? 150 * excess : 0) - (origin == DROP ? 60 : 0);
}

static int out_of_time(void) {
    if (nodes >= next_look) {
        next_look = nodes + 1024;
        if (wanted.kind != FIXED && should_stop()) stopped = 1;
    }
    return stopped;
}

static int search(int ply, int depth, int alpha, int beta, int spent) {
    const Position *p = &path[ply];
    nodes++;
    if (p->over) {
        int value = (p->winners & root_side) ? LOST - ply : ply - LOST;
        return for_root(p) ? value : -value;
    }
    if (depth <= 0 || ply >= PLIES) return static_value(p);
    if (out_of_time()) return 0;
    int mine = for_root(p), one_free = wanted.kind == BRS && !mine && rules.players > 2 && !rules.partners;
    u64 key = full_key(p) ^ mix((u64)root_player * 16 + (u64)(one_free * (1 + spent)) + 5);
    Kept *slot = &kept[key & (KEPT - 1)];
    int known = slot->age == age && slot->check == (u32)(key >> 32), first = known ? slot->move : 0;
    if (known && ply && slot->depth >= depth &&
        (!slot->bound || (slot->bound == 1 && slot->score >= beta) || (slot->bound == 2 && slot->score <= alpha)))
        return slot->score;
    u16 moves[MAX_MOVES];
    i32 promise[MAX_MOVES];
    int count = list_moves(p, moves), best = -LOST - 1, best_move = 0, was_alpha = alpha;
    for (int i = 0; i < count; i++) {
        int move = moves[i];
        promise[i] = promise_of(p, move) * 8 + history[p->to_move][move];
        if (move == first) promise[i] = 1 << 30;
        else if (move == killers[ply][0] || move == killers[ply][1]) promise[i] += 2000;
        if (!ply) promise[i] += (int)(mix(wanted.seed + (u64)move) & 7);
    }
    for (int tried = 0; tried < count; tried++) {
        int next = tried, free = spent;
        if (one_free && tried) {
            if (spent) break;
            free = 1;
        }
        for (int i = tried + 1; i < count; i++)
            if (promise[i] > promise[next]) next = i;
        int move = moves[next];
        moves[next] = moves[tried];
        promise[next] = promise[tried];
        path[ply + 1] = *p;
        apply(&path[ply + 1], move);
        int ours = for_root(&path[ply + 1]);
        if (ours) free = 0;
        int score = ours == mine ? search(ply + 1, depth - 1, alpha, beta, free)
                                 : -search(ply + 1, depth - 1, -beta, -alpha, free);
        if (stopped) return 0;
        if (score > best) {
            best = score;
            best_move = move;
            if (!ply) root_best = move;
        }
        if (best > alpha) alpha = best;
        if (alpha >= beta) {
            if ((history[p->to_move][move] += depth * depth) > 4000)
                for (int i = 0; i < 64 * 64; i++) history[p->to_move][i] /= 2;
            if (killers[ply][0] != move) killers[ply][1] = killers[ply][0], killers[ply][0] = (u16)move;
            break;
        }
    }
    slot->check = (u32)(key >> 32);
    slot->age = age;
    slot->move = (u16)best_move;
    slot->score = (i16)best;
    slot->depth = (u8)depth;
    slot->bound = best >= beta ? 1 : best > was_alpha ? 0 : 2;
    return best;
}

/* --- max^n MCTS with progressive history --- */
typedef struct { u16 move; u16 count; u32 children, visits; float wins; } Edge;
static Edge edges[EDGES];
static u32 used;
static float past_wins[4][64 * 64];
static u32 past_visits[4][64 * 64];
static u64 luck;
static u32 drawn(u32 below) {
    luck = mix(luck);
    return (u32)(luck >> 33) % below;
}

static void expand(Edge *at, const Position *p) {
    u16 moves[MAX_MOVES];
    int count = list_moves(p, moves);
    if (used + (u32)count > EDGES) return;
    at->children = used;
    at->count = (u16)count;
    for (int i = 0; i < count; i++) edges[used++] = (Edge){.move = moves[i]};
}

static double square_root(double x) { return __builtin_sqrt(x); }

static Edge *selected(const Edge *at, int player) {
    const double exploring = 0.2, historic = 3;
    double best = -1, log_visits = logarithm((double)at->visits + 1);
    Edge *chosen = &edges[at->children];
    for (u32 i = 0; i < at->count; i++) {
        Edge *edge = &edges[at->children + i];
        double n = edge->visits + 1e-3, past = 0.5;
        if (past_visits[player][edge->move]) past = past_wins[player][edge->move] / past_visits[player][edge->move];
        double value = (edge->visits ? edge->wins / n : past) + exploring * square_root(log_visits / (n + 0.3)) +
                       past * historic / (n - edge->wins + 1) + drawn(1000) * 1e-7;
        if (value > best) best = value, chosen = edge;
    }
    return chosen;
}

static void one_visit(void) {
    Position p = board;
    Edge *walked[PLIES + 1];
    u8 by[PLIES + CUT + 2];
    u16 made[PLIES + CUT + 2];
    int count = 0, turns = 0;
    Edge *at = &edges[0];
    walked[count++] = at;
    while (!p.over && count < PLIES) {
        if (!at->count) {
            if (at->visits < 1 && count > 1) break;
            expand(at, &p);
            if (!at->count) break;
        }
        at = selected(at, p.to_move);
        by[turns] = p.to_move;
        made[turns++] = at->move;
        apply(&p, at->move);
        walked[count++] = at;
    }
    for (int i = 0; i < CUT && !p.over; i++) { /* the playout: mostly the most promising of a few */
        u16 moves[MAX_MOVES];
        int n = list_moves(&p, moves), move = moves[drawn((u32)n)];
        if (drawn(100) < 90) {
            int best = -1000000;
            for (int j = 0; j < n; j++) {
                int promise = promise_of(&p, moves[j]) * 16 + (int)drawn(300);
                if (promise > best) best = promise, move = moves[j];
            }
        }
        by[turns] = p.to_move;
        made[turns++] = (u16)move;
        apply(&p, move);
        nodes++;
    }
    double chance[4];
    chances_of(&p, chance);
    nodes++;
    for (int i = 0; i < count; i++) {
        walked[i]->visits++;
        if (i) walked[i]->wins += (float)chance[by[i - 1]];
    }
    for (int i = 0; i < turns; i++) {
        past_visits[by[i]][made[i]]++;
        past_wins[by[i]][made[i]] += (float)chance[by[i]];
    }
}

static void plant(void) {
    used = 1;
    edges[0] = (Edge){0};
    luck = wanted.seed + 1;
    memset(past_wins, 0, sizeof past_wins);
    memset(past_visits, 0, sizeof past_visits);
    for (int visits = 0; visits % 64 || !should_stop(); visits++) one_visit();
    Edge *best = &edges[edges[0].children];
    for (u32 i = 0; i < edges[0].count; i++)
        if (edges[edges[0].children + i].visits > best->visits) best = &edges[edges[0].children + i];
    found.move = best->move;
    found.depth = (i32)edges[0].visits;
}

EXPORT(board) Position *export_board(void) { return &board; }
EXPORT(rules) Rules *export_rules(void) { return &rules; }
EXPORT(wanted) Wanted *export_wanted(void) { return &wanted; }
EXPORT(found) Found *export_found(void) { return &found; }
EXPORT(listed) u16 *export_listed(void) { return listed; }

EXPORT(prepare) void prepare(void) {
    init_geometry();
    memset(kept, 0, sizeof kept);
    age = 0;
    for (int s = 0; s < SQUARES; s++)
        for (int h = 1; h <= MAX_HEIGHT; h++) {
            freedom[s][h] = 0;
            for (int d = 0; d < 4; d++)
                for (int k = 0; k < h; k++) freedom[s][h] += ray[s][d][k] != 255;
        }
}

EXPORT(settle) void settle(void) {
    Position given = board;
    board.empties = SQUARES;
    board.key = 0;
    for (int i = 0; i < 4; i++) board.stacks[i] = 0, board.worth[i] = 0;
    for (int s = 0; s < SQUARES; s++) board.code[s] = EMPTY;
    for (int s = 0; s < SQUARES; s++)
        if (given.code[s] != EMPTY) set_square(&board, s, given.code[s]);
}

EXPORT(think) void think(void) {
    root_player = board.to_move;
    root_side = side_of(root_player);
    stopped = nodes = 0;
    next_look = 512;
    if (++age == 0) {
        memset(kept, 0, sizeof kept);
        age = 1;
    }
    memset(history, 0, sizeof history);
    memset(killers, 0, sizeof killers);
    memset(&found, 0, sizeof found);
    list_moves(&board, listed);
    found.move = listed[0];
    if (wanted.kind == MCTS) plant();
    else {
        path[0] = board;
        for (int depth = 1; depth <= wanted.depth && depth < PLIES - 2; depth++) {
            int score = search(0, depth, -LOST - 1, LOST + 1, 0);
            if (stopped) break;
            found.move = (u16)root_best;
            found.score = score;
            found.depth = depth;
            if (score > LOST - 100 || score < 100 - LOST) break;
        }
    }
    found.nodes = nodes;
}
