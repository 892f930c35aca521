/* The buzzer: a short tune for each cue. */
#ifndef SOUND_H
#define SOUND_H

enum cue { NO_CUE, CUE_TURN, CUE_PROMPT, CUE_ALERT, CUE_OVER, CUES };

void sound_init(void);

/* Starts the tune of a cue, interrupting any other; NO_CUE does nothing. */
void sound(enum cue cue);

/* Advances the tune; to be called every tick of 20 ms. */
void sound_tick(void);

#endif
