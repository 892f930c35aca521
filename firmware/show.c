#include "show.h"

#include <avr/io.h>

#include "board.h"

#define TICK 5000 /* of timer 1, 4 us each: 20 ms */

board_t board;

static uint16_t last_tick;

void show_init(void)
{
    DDRD |= _BV(WARNING_BIT);
    strip_init();
    TCCR1B = _BV(CS11) | _BV(CS10); /* F_CPU / 64 */
}

void enter(enum mode mode)
{
    board.mode = mode;
    board.phase = 0;
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

void show(void)
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

bool tick_is_due(void)
{
    if ((uint16_t)(TCNT1 - last_tick) < TICK)
        return false;
    last_tick += TICK;
    return true;
}
