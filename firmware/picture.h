/* From the host's state to pixels. focus_companion/lights/pixels.py computes exactly the same. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "layout.h"

#define CYCLE 100 /* phases of 20 ms, repeating */

enum { WARNING = 1, CAMERA_LOST = 2, OVER = 4, ALL_FLAGS = 7 };

/* The data of the STATE command, byte for byte. */
typedef struct {
    uint8_t turn;  /* player or NONE */
    uint8_t mover; /* player or NONE */
    uint8_t flags;
    uint8_t winners; /* bit per player */
    uint8_t reserves[PLAYERS];
    uint8_t wrong[7];       /* bit per square */
    uint8_t origin, target; /* of the last move; a placed piece has both the same; or NONE */
    uint8_t take_square, take_count;
    uint8_t cue;
} state_t;

_Static_assert(sizeof(state_t) == 20, "the wire has 20 bytes");

/* Whether every value of a STATE is valid. */
bool state_is_valid(const state_t *state);

/* Each draws one phase of a picture into `strip`, at full brightness. */
void draw_state(const state_t *state, uint8_t phase);
void draw_self_test(uint8_t phase); /* phases 0 to SELF_TEST - 1 */
void draw_no_host(uint8_t phase, bool lost);

#define SELF_TEST 45

/* Whether the warning light is lit. */
bool warning_lit(const state_t *state, uint8_t phase);

#endif
