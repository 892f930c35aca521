#include "link.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/crc16.h>

#include "board.h"

uint8_t link_errors;

/* 256 bytes, so that the indices wrap around. Filled by the interrupt (or link_poll), emptied by link_frame. */
static volatile uint8_t ring[256];
static volatile uint8_t ring_in;
static volatile uint8_t ring_out;

static uint8_t stuffed[FRAME_MAX + 1];
static uint8_t stuffed_length;
static bool too_long;

void link_init(void)
{
    UCSR0A = _BV(U2X0); /* before UBRR0, or a simulated UART runs at half speed */
    UBRR0 = (F_CPU / 4 / UART_BAUD - 1) / 2;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

static inline void take_byte(void)
{
    const uint8_t byte = UDR0;
    const uint8_t next = ring_in + 1;
    if (next != ring_out) { /* if full, the byte is lost and the CRC check will fail */
        ring[ring_in] = byte;
        ring_in = next;
    }
}

ISR(USART_RX_vect)
{
    take_byte();
}

void link_poll(void)
{
    if (UCSR0A & _BV(RXC0))
        take_byte();
}

static void count_error(void)
{
    if (link_errors < 255)
        link_errors++;
}

/* Decodes COBS in place; returns the number of bytes, 0 for invalid input. */
static uint8_t unstuff(uint8_t *bytes, uint8_t length)
{
    uint8_t in = 0, out = 0;
    while (in < length) {
        const uint8_t code = bytes[in];
        if (code > length - in)
            return 0;
        for (uint8_t i = 1; i < code; i++)
            bytes[out++] = bytes[in + i];
        in += code;
        if (in < length)
            bytes[out++] = 0;
    }
    return out;
}

static uint16_t crc_of(uint16_t crc, const uint8_t *bytes, uint8_t length)
{
    while (length--)
        crc = _crc_xmodem_update(crc, *bytes++);
    return crc;
}

static bool unpack(frame_t *frame)
{
    const uint8_t length = unstuff(stuffed, stuffed_length);
    if (length < 4 || crc_of(0, stuffed, length) != 0)
        return false;
    frame->seq = stuffed[0];
    frame->command = stuffed[1];
    frame->data = stuffed + 2;
    frame->length = length - 4;
    frame->crc = (uint16_t)stuffed[length - 2] << 8 | stuffed[length - 1];
    return true;
}

bool link_frame(frame_t *frame)
{
    while (ring_out != ring_in) {
        const uint8_t byte = ring[ring_out];
        ring_out++;
        if (byte != 0) {
            if (stuffed_length < sizeof stuffed)
                stuffed[stuffed_length++] = byte;
            else
                too_long = true;
            continue;
        }
        const bool any = stuffed_length != 0;
        const bool good = any && !too_long && unpack(frame);
        stuffed_length = 0;
        too_long = false;
        if (good)
            return true;
        if (any)
            count_error();
    }
    return false;
}

static void send_byte(uint8_t byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

void link_send(uint8_t seq, uint8_t command, const uint8_t *data, uint8_t length)
{
    uint8_t body[FRAME_MAX];
    uint8_t size = 0;
    body[size++] = seq;
    body[size++] = command;
    for (uint8_t i = 0; i < length && i < FRAME_MAX - 4; i++)
        body[size++] = data[i];
    const uint16_t crc = crc_of(0, body, size);
    body[size++] = crc >> 8;
    body[size++] = crc & 255;

    send_byte(0); /* ends any noise before it */
    for (uint8_t from = 0; from <= size;) {
        uint8_t to = from;
        while (to < size && body[to] != 0)
            to++;
        send_byte(to - from + 1);
        while (from < to)
            send_byte(body[from++]);
        from = to + 1; /* skip the zero */
    }
    send_byte(0);
}
