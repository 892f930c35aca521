#include "strip.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <string.h>

#include "board.h"
#include "link.h"

/* The current model: a pixel draws 1 mA for itself and 20 mA for each channel at 255. */
#define ROOM_MA (BUDGET_MA - PIXELS)
#if BUDGET_MA <= PIXELS
#error "BUDGET_MA does not even feed the dark pixels"
#endif

pixel_t strip[PIXELS];
uint8_t brightness = 96;

void strip_init(void)
{
    DDRD |= _BV(STRIP_BIT);
}

void strip_clear(void)
{
    memset(strip, 0, sizeof strip);
}

static void dim_and_cap(void)
{
    uint8_t *const channels = (uint8_t *)strip;
    uint16_t sum = 0; /* at most 240 * 255, which fits */
    _Static_assert(sizeof strip * 255UL <= 65535UL, "the sum of the channels must fit");
    for (uint8_t i = 0; i < sizeof strip; i++) {
        channels[i] = scaled(channels[i], brightness);
        sum += channels[i];
    }
    const uint16_t drawn = (uint32_t)sum * 20 / 255;
    if (drawn <= ROOM_MA)
        return;
    const uint8_t factor = (uint32_t)ROOM_MA * 256 / drawn; /* below 256, because drawn is above ROOM_MA */
    for (uint8_t i = 0; i < sizeof strip; i++)
        channels[i] = ((uint16_t)channels[i] * factor) >> 8;
}

/* One byte, 20 cycles a bit: high for 6 cycles (375 ns) is a 0, for 13 (812 ns) a 1. */
static inline void send_byte(uint8_t byte, uint8_t high, uint8_t low)
{
    uint8_t bits = 8;
    __asm__ volatile("1: out  %[port], %[high] \n"
                     "   rjmp .+0              \n"
                     "   rjmp .+0              \n"
                     "   sbrs %[byte], 7       \n"
                     "   out  %[port], %[low]  \n" /* 6 cycles after the rise: a 0 */
                     "   lsl  %[byte]          \n"
                     "   rjmp .+0              \n"
                     "   rjmp .+0              \n"
                     "   nop                   \n"
                     "   out  %[port], %[low]  \n" /* 13 cycles after the rise: a 1 */
                     "   rjmp .+0              \n"
                     "   nop                   \n"
                     "   dec  %[bits]          \n"
                     "   brne 1b               \n"
                     : [byte] "+r"(byte), [bits] "+r"(bits)
                     : [port] "I"(_SFR_IO_ADDR(PORTD)), [high] "r"(high), [low] "r"(low));
}

void strip_show(void)
{
    dim_and_cap();
    const uint8_t saved = SREG;
    cli(); /* an interrupt would stretch a bit */
    const uint8_t high = PORTD | _BV(STRIP_BIT);
    const uint8_t low = PORTD & ~_BV(STRIP_BIT);
    for (uint8_t i = 0; i < PIXELS; i++) {
        send_byte(strip[i].green, high, low);
        send_byte(strip[i].red, high, low);
        send_byte(strip[i].blue, high, low);
        /* 30 us a pixel, 87 us a byte of the line: no byte is lost although interrupts are off. */
        link_poll();
    }
    SREG = saved;
}
