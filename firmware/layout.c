#include "layout.h"

#include <avr/pgmspace.h>

#define __ NONE

/* The chain starts at c8 and zigzags, rank by rank, down to c1. */
static const uint8_t pixels[8][8] PROGMEM = {
    { __, __, 0, 1, 2, 3, __, __ },
    { __, 9, 8, 7, 6, 5, 4, __ },
    { 10, 11, 12, 13, 14, 15, 16, 17 },
    { 25, 24, 23, 22, 21, 20, 19, 18 },
    { 26, 27, 28, 29, 30, 31, 32, 33 },
    { 41, 40, 39, 38, 37, 36, 35, 34 },
    { __, 42, 43, 44, 45, 46, 47, __ },
    { __, __, 51, 50, 49, 48, __, __ },
};

static const uint8_t first_square[8] PROGMEM = { 0, 4, 10, 18, 26, 34, 42, 48 };
static const uint8_t first_column[8] PROGMEM = { 2, 1, 0, 0, 0, 0, 1, 2 };

place_t place_of(uint8_t square)
{
    int8_t row = 7;
    while (pgm_read_byte(&first_square[row]) > square)
        row--;
    int8_t column = pgm_read_byte(&first_column[row]) + square - pgm_read_byte(&first_square[row]);
    return (place_t){ row, column };
}

uint8_t pixel_at(place_t place)
{
    return pgm_read_byte(&pixels[place.row][place.column]);
}
