/* The meaning of each pixel of the chain. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdint.h>

#define SQUARES 52
#define PLAYERS 4 /* red, green, blue, yellow */
#define BAR 6     /* pixels of a reserve bar */

#define TURN_PIXEL SQUARES
#define BAR_PIXEL  (TURN_PIXEL + PLAYERS)
#define PIXELS     (BAR_PIXEL + PLAYERS * BAR)

#define NONE 255 /* no square, no player, no pixel */

/* A place on the 8x8 lattice: row 0 is rank 8, column 0 is file a. */
typedef struct {
    int8_t row, column;
} place_t;

/* Square 0 (c8) to 51 (f1), in the order of the position text. */
place_t place_of(uint8_t square);

/* The pixel under a place; NONE in the cut-off corners. */
uint8_t pixel_at(place_t place);

#endif
