/* What the board does now: its mode, the picture of it, and the clock that the picture runs by. */
#ifndef SHOW_H
#define SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "picture.h"
#include "strip.h"

enum mode {
    TESTING,  /* the self test, then back to what was before */
    WAITING,  /* for a first word from a host */
    SHOWING,  /* the host's state */
    ALONE,    /* the host fell silent */
    PAINTING, /* pixels of a wiring test */
    OFF,      /* told to be dark */
};

/* Everything that the board does, told from the clock's point of view. */
typedef struct {
    enum mode mode;
    uint8_t phase;  /* of the picture, 0 to CYCLE - 1 */
    uint8_t silent; /* ticks since the last good frame, at most 255 */
    uint8_t presses;
    uint8_t reset_cause;
    uint16_t uptime; /* seconds */
    bool told;       /* a state, or to be dark, since the start */
    state_t state;
    uint8_t paint_first, paint_count;
    pixel_t paint;
    enum mode after_test;
} board_t;

extern board_t board;

void show_init(void);

/* Enters a mode at its first phase, which is not shown yet. */
void enter(enum mode mode);

/* Shows the present phase. */
void show(void);

/* Shows the present phase at once, out of turn, and makes the clock start anew from it. */
void show_now(void);

/* Whether the next tick of 20 ms has come; true once for each. */
bool tick_is_due(void);

#endif
