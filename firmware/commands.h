/* The host's commands, and the board's answers. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "link.h"

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

/* Executes the command in the frame and then answers it. */
void obey(const frame_t *frame);

void notice_boot(void);
void notice_button(void);

#endif
