#include "commands.h"

#include <string.h>

#include "board.h"
#include "show.h"
#include "sound.h"

/* The last command executed: if its answer is lost, the host resends it, and it must not be executed twice. */
static bool any_done;
static uint8_t done_seq;
static uint16_t done_crc;

#define GREETING 10

static void greeting(uint8_t *to)
{
    const uint8_t bytes[GREETING] = {
        PROTOCOL_VERSION, FIRMWARE_MAJOR, FIRMWARE_MINOR,
        0,      0x3F, /* capabilities: squares, turns, reserves, warning, buzzer, button */
        PIXELS, BAR,
        BUDGET_MA >> 8, BUDGET_MA & 255,
        board.reset_cause,
    };
    memcpy(to, bytes, sizeof bytes);
}

static void turn_to(enum mode mode)
{
    enter(mode);
    show_now();
}

static enum status show_state(const frame_t *frame)
{
    state_t state;
    if (frame->length != sizeof state)
        return BAD_LENGTH;
    memcpy(&state, frame->data, sizeof state);
    if (!state_is_valid(&state) || state.cue >= CUES)
        return BAD_VALUE;
    board.state = state;
    board.has_state = true;
    turn_to(SHOWING);
    sound(state.cue);
    return DONE;
}

static enum status paint(const frame_t *frame)
{
    if (frame->length != 5)
        return BAD_LENGTH;
    if (frame->data[0] > PIXELS || frame->data[1] > PIXELS - frame->data[0])
        return BAD_VALUE;
    board.paint_first = frame->data[0];
    board.paint_count = frame->data[1];
    board.paint = (pixel_t){ .red = frame->data[2], .green = frame->data[3], .blue = frame->data[4] };
    turn_to(PAINTING);
    return DONE;
}

static enum status act(const frame_t *frame)
{
    switch (frame->command) {
    case STATE:
        return show_state(frame);
    case PIXELS_TEST:
        return paint(frame);
    case BRIGHTNESS:
        if (frame->length != 1)
            return BAD_LENGTH;
        brightness = frame->data[0];
        show_now();
        return DONE;
    case SELF_TEST_NOW:
        if (frame->length != 0)
            return BAD_LENGTH;
        if (board.mode != TESTING)
            board.after_test = board.mode;
        turn_to(TESTING);
        return DONE;
    case DARK:
        if (frame->length != 0)
            return BAD_LENGTH;
        board.has_state = true;
        turn_to(OFF);
        return DONE;
    }
    return UNKNOWN_COMMAND;
}

void obey(const frame_t *frame)
{
    uint8_t answer[1 + GREETING] = { DONE };
    uint8_t length = 1;

    board.silent = 0;
    switch (frame->command) {
    case HELLO:
        any_done = false; /* another host may start from the same sequence number */
        greeting(answer + 1);
        length += GREETING;
        break;
    case PING:
        answer[1] = board.has_state;
        answer[2] = board.presses;
        answer[3] = link_errors;
        answer[4] = board.uptime >> 8;
        answer[5] = board.uptime & 255;
        length += 5;
        break;
    default:
        if (any_done && frame->seq == done_seq && frame->crc == done_crc)
            break; /* already executed: only the answer was lost */
        answer[0] = act(frame);
        any_done = answer[0] == DONE;
        done_seq = frame->seq;
        done_crc = frame->crc;
    }
    /* Only now that the pixels show it, so that a host that waits for this never runs ahead of us. */
    link_send(frame->seq, frame->command | ANSWER, answer, length);
}

void notice_boot(void)
{
    uint8_t bytes[GREETING];
    greeting(bytes);
    link_send(0, BOOT_NOTICE, bytes, GREETING);
}

void notice_button(void)
{
    link_send(0, BUTTON_NOTICE, &board.presses, 1);
}
