/* The serial line: bytes in and out, frames with COBS and CRC-16/XMODEM. See docs/light-protocol.md. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME_MAX 64 /* bytes of a frame before COBS, CRC included */

typedef struct {
    uint8_t seq, command, length; /* length of data */
    uint16_t crc;
    const uint8_t *data; /* valid until the next link_frame() */
} frame_t;

extern uint8_t link_errors; /* bad frames since the start, at most 255 */

void link_init(void);

/* Reads a byte that is waiting in the UART; for use while interrupts are off. */
void link_poll(void);

/* The next valid frame, if one is complete. Never blocks. */
bool link_frame(frame_t *frame);

/* Sends a frame; blocks until its last byte is in the UART. */
void link_send(uint8_t seq, uint8_t command, const uint8_t *data, uint8_t length);

#endif
