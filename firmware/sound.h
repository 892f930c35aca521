/* The buzzer: a short tune for each kind of news. */
#ifndef SOUND_H
#define SOUND_H

enum cue { NO_CUE, CUE_TURN, CUE_PROMPT, CUE_ALERT, CUE_OVER, CUES };

void sound_init(void);

/* Begins the tune of a cue, whatever sounds; NO_CUE leaves it alone. */
void sound(enum cue cue);

/* Moves the tune on; to be called every tick of 20 ms. */
void sound_tick(void);

#endif
