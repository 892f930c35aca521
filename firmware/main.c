/*
 * The light board of Focus Companion: 52 squares, 4 turn lights and 4 reserve bars on one chain of pixels,
 * a warning light, a buzzer and a button. The host says what the table means; the patterns run here.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#include "board.h"
#include "commands.h"
#include "link.h"
#include "picture.h"
#include "strip.h"

#define TICK        5000 /* of timer 1, 4 us each: 20 ms */
#define TICKS_A_SECOND 50
#define HOST_LOST   100 /* ticks of silence */

static uint16_t last_tick;

/* Sounds: ticks on, ticks off, how often. */
static const uint8_t sounds[CUES][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 4, 4, 2 }, { 8, 5, 3 }, { 30, 5, 1 } };
static uint8_t sound_of, sound_tick, sound_left;

void sound(enum cue cue)
{
    if (cue == NO_CUE)
        return; /* the one that sounds goes on */
    sound_of = cue;
    sound_tick = 0;
    sound_left = sounds[cue][2];
}

static void drive_buzzer(void)
{
    const uint8_t on = sounds[sound_of][0], off = sounds[sound_of][1];
    if (sound_left && sound_tick < on)
        PORTD |= _BV(BUZZER_BIT);
    else
        PORTD &= ~_BV(BUZZER_BIT);
    if (sound_left && ++sound_tick == on + off) {
        sound_tick = 0;
        sound_left--;
    }
}

static bool draw(void)
{
    switch (board.mode) {
    case TESTING:
        draw_self_test(board.phase);
        return true;
    case WAITING:
        draw_no_host(board.phase, false);
        return false;
    case ALONE:
        draw_no_host(board.phase, true);
        return board.phase < 5;
    case SHOWING:
        draw_state(&board.state, board.phase);
        return warning_lit(&board.state, board.phase);
    case PAINTING:
        strip_clear();
        for (uint8_t i = 0; i < board.paint_count; i++)
            strip[board.paint_first + i] = board.paint;
        return false;
    case OFF:
        strip_clear();
        return false;
    }
    return false;
}

static void show(void)
{
    if (draw())
        PORTD |= _BV(WARNING_BIT);
    else
        PORTD &= ~_BV(WARNING_BIT);
    strip_show();
}

void show_now(void)
{
    last_tick = TCNT1;
    show();
}

static void watch_button(void)
{
    /* Ticks, at most 2: it has to be down for two in a row, counts once, and not when it is stuck from the start. */
    static uint8_t held = 2;
    if (PIND & _BV(BUTTON_BIT)) {
        held = 0;
    } else if (held < 2 && ++held == 2) {
        board.presses++;
        sound(CUE_TURN);
        notice_button();
    }
}

static void tick(void)
{
    static uint8_t ticks;
    if (++ticks == TICKS_A_SECOND) {
        ticks = 0;
        board.uptime++;
    }
    if (++board.phase == CYCLE)
        board.phase = 0;
    if (board.mode == TESTING && board.phase == SELF_TEST) {
        board.mode = board.after_test;
        board.phase = 0;
    }
    if (board.silent < 255)
        board.silent++;
    if (board.mode == SHOWING && board.silent >= HOST_LOST) {
        board.mode = ALONE;
        board.phase = 0;
        board.told = false; /* whoever comes back has to tell the state again */
    }
    show();
    drive_buzzer();
    watch_button();
}

int main(void)
{
    /* First of all: after a watchdog reset it runs on, with its shortest time. */
    board.reset_cause = MCUSR;
    MCUSR = 0;
    wdt_enable(WDTO_500MS);

    PORTD = _BV(BUTTON_BIT);
    DDRD = _BV(WARNING_BIT) | _BV(BUZZER_BIT);
    strip_init();
    link_init();
    TCCR1B = _BV(CS11) | _BV(CS10); /* F_CPU / 64 */
    sei();

    notice_boot();
    board.mode = TESTING;
    board.after_test = WAITING;
    sound(CUE_PROMPT);
    show_now();

    for (;;) {
        frame_t frame = { 0 };
        wdt_reset();
        if (link_frame(&frame))
            obey(&frame);
        if ((uint16_t)(TCNT1 - last_tick) >= TICK) {
            last_tick += TICK;
            tick();
        }
    }
}
