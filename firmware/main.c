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
#include "show.h"
#include "sound.h"

#define TICKS_A_SECOND 50
#define HOST_LOST      100 /* ticks of silence */

static void watch_button(void)
{
    /* Debounce: a press counts once, after two ticks in a row, and not if the button is stuck from the start. */
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
    if (board.mode == TESTING && board.phase == SELF_TEST)
        enter(board.after_test);
    if (board.silent < 255)
        board.silent++;
    if (board.mode == SHOWING && board.silent >= HOST_LOST) {
        enter(ALONE);
        board.has_state = false; /* a returning host must send the state again */
    }
    show();
    sound_tick();
    watch_button();
}

int main(void)
{
    /* First of all: after a watchdog reset the watchdog keeps running, with its shortest timeout. */
    board.reset_cause = MCUSR;
    MCUSR = 0;
    wdt_enable(WDTO_500MS);

    PORTD = _BV(BUTTON_BIT);
    show_init();
    sound_init();
    link_init();
    sei();

    notice_boot();
    enter(TESTING);
    board.after_test = WAITING;
    sound(CUE_PROMPT);
    show_now();

    for (;;) {
        frame_t frame = { 0 };
        wdt_reset();
        if (link_frame(&frame))
            obey(&frame);
        if (tick_is_due())
            tick();
    }
}
