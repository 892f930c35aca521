/* What the board does now: its mode, the picture for it, and the animation's clock. */
#ifndef SHOW_H
#define SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "picture.h"
#include "strip.h"

enum mode {
    TESTING,  /* the self test, then back to the previous mode */
    WAITING,  /* for the first command of a host */
    SHOWING,  /* the host's state */
    ALONE,    /* the host has stopped talking */
    PAINTING, /* pixels of a wiring test */
    OFF,      /* commanded to be dark */
};

/* The board's state, in terms of the clock. */
typedef struct {
    enum mode mode;
    uint8_t phase;  /* of the picture, 0 to CYCLE - 1 */
    uint8_t silent; /* ticks since the last valid frame, at most 255 */
    uint8_t presses;
    uint8_t reset_cause;
    uint16_t uptime; /* seconds */
    bool has_state;  /* received a state, or the command to be dark, since the start */
    state_t state;
    uint8_t paint_first, paint_count;
    pixel_t paint;
    enum mode after_test;
} board_t;

extern board_t board;

void show_init(void);

/* Enters a mode at its first phase, which is not displayed yet. */
void enter(enum mode mode);

/* Displays the current phase. */
void show(void);

/* Displays the current phase at once, between ticks, and restarts the clock from it. */
void show_now(void);

/* Whether the next tick of 20 ms has passed; true once for each. */
bool tick_is_due(void);

#endif
