/* The chain of WS2812 pixels, and how much current it may draw. */
#ifndef STRIP_H
#define STRIP_H

#include <stdint.h>

#include "layout.h"

typedef struct {
    uint8_t green, red, blue; /* in wire order */
} pixel_t;

extern pixel_t strip[PIXELS];
extern uint8_t brightness; /* of all pixels, 0 to 255 */

void strip_init(void);
void strip_clear(void);

/* value at level 0 to 255 */
static inline uint8_t scaled(uint8_t value, uint8_t level)
{
    return ((uint16_t)value * (level + 1U)) >> 8;
}

/* Dims the picture in `strip`, limits its current and sends it; `strip` then holds what was sent. */
void strip_show(void);

#endif
