#include "picture.h"

#include <avr/pgmspace.h>

#include "strip.h"

static const pixel_t player[PLAYERS] PROGMEM = {
    { .red = 255 }, { .green = 255 }, { .blue = 255 }, { .red = 255, .green = 150 }
};
static const pixel_t white = { 255, 255, 255 };
static const pixel_t wrong_colour = { .red = 255, .blue = 255 };
static const pixel_t lost_colour = { .green = 160, .blue = 160 };
static const pixel_t no_host_colour = { .red = 255, .green = 96 };
static const uint8_t bar_level[] = { 0, 24, 80, 255 };

static pixel_t colour_of(uint8_t index)
{
    pixel_t colour;
    memcpy_P(&colour, &player[index], sizeof colour);
    return colour;
}

static void put(uint8_t pixel, pixel_t colour, uint8_t level)
{
    strip[pixel].red = scaled(colour.red, level);
    strip[pixel].green = scaled(colour.green, level);
    strip[pixel].blue = scaled(colour.blue, level);
}

static int8_t sign(int8_t value)
{
    return (value > 0) - (value < 0);
}

static uint8_t distance(place_t from, place_t to)
{
    const int8_t rows = to.row - from.row, columns = to.column - from.column;
    return (rows < 0 ? -rows : rows) + (columns < 0 ? -columns : columns);
}

bool state_is_valid(const state_t *state)
{
    if ((state->turn >= PLAYERS && state->turn != NONE) || (state->mover >= PLAYERS && state->mover != NONE))
        return false;
    if ((state->flags & ~ALL_FLAGS) || state->winners >= 1 << PLAYERS || state->wrong[6] >= 1 << (SQUARES - 48))
        return false;
    if (state->take_square >= SQUARES && state->take_square != NONE)
        return false;
    if ((state->origin == NONE) != (state->target == NONE))
        return false;
    if (state->origin == NONE)
        return true;
    if (state->origin >= SQUARES || state->target >= SQUARES)
        return false;
    const place_t from = place_of(state->origin), to = place_of(state->target);
    return from.row == to.row || from.column == to.column;
}

static void draw_path(const state_t *state, uint8_t phase)
{
    if (state->origin == NONE)
        return;
    const pixel_t colour = state->mover == NONE ? white : colour_of(state->mover);
    const place_t to = place_of(state->target);
    place_t at = place_of(state->origin);
    const int8_t down = sign(to.row - at.row), right = sign(to.column - at.column);
    const uint8_t last = distance(at, to);
    const uint8_t runner = (phase >> 3) % (last + 5); /* it pauses for four steps after the target */
    for (uint8_t step = 0; step <= last; step++) {
        put(pixel_at(at), colour, step == runner ? 200 : step == last ? 110 : 30);
        at.row += down;
        at.column += right;
    }
}

static void draw_turn(const state_t *state, uint8_t index, uint8_t phase)
{
    const uint8_t pixel = TURN_PIXEL + index;
    const pixel_t colour = colour_of(index);
    if (state->flags & CAMERA_LOST) {
        if (phase < 50)
            put(pixel, lost_colour, 120);
    } else if (state->flags & OVER) {
        if ((state->winners & 1 << index) && phase % 50 < 25)
            put(pixel, colour, 255);
    } else if (state->turn == index) {
        put(pixel, colour, 255 - 3 * (phase < CYCLE - phase ? phase : CYCLE - phase));
    }
}

void draw_state(const state_t *state, uint8_t phase)
{
    strip_clear();
    draw_path(state, phase);
    if (state->take_square != NONE) {
        /* one pulse for each piece to be taken, then a pause */
        const bool on = phase < 16U * state->take_count && phase % 16 < 8;
        put(pixel_at(place_of(state->take_square)), white, on ? 160 : 12);
    }
    for (uint8_t square = 0; square < SQUARES; square++)
        if (state->wrong[square >> 3] & 1 << (square & 7))
            put(pixel_at(place_of(square)), phase % 25 < 13 ? wrong_colour : (pixel_t){ 0 }, 160);
    for (uint8_t index = 0; index < PLAYERS; index++) {
        draw_turn(state, index, phase);
        for (uint8_t place = 0; place < BAR; place++) {
            const uint8_t count = state->reserves[index];
            const uint8_t rounds = (count > place) + (count > place + BAR) + (count > place + 2 * BAR);
            put(BAR_PIXEL + BAR * index + place, colour_of(index), bar_level[rounds]);
        }
    }
}

void draw_self_test(uint8_t phase)
{
    pixel_t colour = { 0 };
    if (phase < 15)
        colour.red = 255;
    else if (phase < 30)
        colour.green = 255;
    else
        colour.blue = 255;
    for (uint8_t pixel = 0; pixel < PIXELS; pixel++)
        put(pixel, colour, 40);
}

void draw_no_host(uint8_t phase, bool lost)
{
    strip_clear();
    put(TURN_PIXEL + phase / 25, no_host_colour, lost ? 120 : 24);
}

bool warning_lit(const state_t *state, uint8_t phase)
{
    return (state->flags & WARNING) || ((state->flags & CAMERA_LOST) && phase < 50);
}
