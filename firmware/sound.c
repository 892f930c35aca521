#include "sound.h"

#include <avr/io.h>
#include <stdint.h>

#include "board.h"

/* Sounds: ticks on, ticks off, repetitions. */
static const uint8_t sounds[CUES][3] = { { 0, 0, 0 }, { 1, 1, 1 }, { 4, 4, 2 }, { 8, 5, 3 }, { 30, 5, 1 } };
static uint8_t playing, ticks, left;

void sound_init(void)
{
    DDRD |= _BV(BUZZER_BIT);
}

void sound(enum cue cue)
{
    if (cue == NO_CUE)
        return; /* the current one continues */
    playing = cue;
    ticks = 0;
    left = sounds[cue][2];
}

void sound_tick(void)
{
    const uint8_t on = sounds[playing][0], off = sounds[playing][1];
    if (left && ticks < on)
        PORTD |= _BV(BUZZER_BIT);
    else
        PORTD &= ~_BV(BUZZER_BIT);
    if (left && ++ticks == on + off) {
        ticks = 0;
        left--;
    }
}
