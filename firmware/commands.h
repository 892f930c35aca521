/* What the host asks, and what the board answers. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "link.h"
#include "picture.h"
#include "strip.h"

#define PROTOCOL_VERSION 1
#define FIRMWARE_MAJOR   1
#define FIRMWARE_MINOR   0

enum command {
    HELLO = 0x01,
    PING = 0x02,
    STATE = 0x10,
    BRIGHTNESS = 0x11,
    SELF_TEST_NOW = 0x12,
    PIXELS_TEST = 0x13,
    DARK = 0x14,
    ANSWER = 0x80, /* bit */
    BOOT_NOTICE = 0xC0,
    BUTTON_NOTICE = 0xC1,
};

enum status { DONE = 0, UNKNOWN_COMMAND = 1, BAD_LENGTH = 2, BAD_VALUE = 3 };

enum cue { NO_CUE, CUE_TURN, CUE_PROMPT, CUE_ALERT, CUE_OVER, CUES };

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

/* Does what the frame asks and then answers it. */
void obey(const frame_t *frame);

void notice_boot(void);
void notice_button(void);

/* Of main.c: shows the present phase at once, and makes the clock start anew from it. */
void show_now(void);
void sound(enum cue cue);

#endif
