/*
 * A light board without hardware: runs the firmware in libsimavr and tells what its pins do. A test tool only.
 *
 *   harness ELF < script     lockstep: simulated time alone counts; every run gives the same lines
 *   harness --pty ELF        real time, the serial line on a pty; ends when standard input does
 *
 * Script lines are "T_US rx HEX", "T_US press", "T_US release", "T_US hang" (the program is caught in an endless
 * loop), "T_US end", times rising. With --pty the same words without time, and "unplug", "plug".
 *
 * Output lines, T in microseconds of simulated time:
 *   T tx HEX                    a byte that the firmware sent
 *   T pixels BEGIN HEX Z Z O O P P   a latched picture (data low for 300 us), RGB by pixel; its first edge; then in
 *                               cycles the least and greatest high of zeros and of ones, and bit period in a byte
 *   T broken BITS               a latched picture of no whole number of pixels
 *   T warning V, T buzzer V     a pin's new value
 *   T dropped N                 bytes lost so far because the UART's three places were full
 *   T ended REASON
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <avr_ioport.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>

#define HZ          16000000ULL
#define US          (HZ / 1000000)
#define BYTE_CYCLES 1360 /* 10 bits of 136 cycles: what 115200 baud is on this chip */
#define LATCH       (300 * US)
#define UART_PLACES 3    /* two in the FIFO, one in the shift register */

static avr_t *avr;
static avr_uart_t *uart;

/* --- what the pins do ------------------------------------------------------------------------------------- */

static uint8_t bits[256 * 24];
static unsigned bit_count;
static avr_cycle_count_t first_edge, last_edge, rise;
static uint64_t least[3], most[3]; /* of zeros, ones, periods */

static double now_us(void)
{
    return (double)avr->cycle / US;
}

static void widen(int which, uint64_t cycles)
{
    if (cycles < least[which])
        least[which] = cycles;
    if (cycles > most[which])
        most[which] = cycles;
}

static void data_pin(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    if (value) {
        if (bit_count == 0) {
            first_edge = avr->cycle;
            for (int i = 0; i < 3; i++)
                least[i] = UINT64_MAX, most[i] = 0;
        } else if (bit_count % 8) {
            widen(2, avr->cycle - rise);
        }
        rise = avr->cycle;
    } else if (rise) {
        const uint64_t high = avr->cycle - rise;
        const bool one = high >= 10;
        widen(one, high);
        if (bit_count < sizeof bits)
            bits[bit_count++] = one;
    }
    last_edge = avr->cycle;
}

static void print_range(int which)
{
    if (most[which])
        printf(" %llu %llu", (unsigned long long)least[which], (unsigned long long)most[which]);
    else
        printf(" 0 0");
}

static void look_for_latch(void)
{
    if (bit_count == 0 || avr->cycle - last_edge < LATCH)
        return;
    const double when = (double)(last_edge + LATCH) / US;
    if (bit_count % 24) {
        printf("%.3f broken %u\n", when, bit_count);
    } else {
        printf("%.3f pixels %.3f ", when, (double)first_edge / US);
        static const int order[3] = { 1, 0, 2 }; /* the wire has green first */
        for (unsigned pixel = 0; pixel < bit_count; pixel += 24)
            for (int channel = 0; channel < 3; channel++) {
                unsigned value = 0;
                for (int bit = 0; bit < 8; bit++)
                    value = value << 1 | bits[pixel + order[channel] * 8 + bit];
                printf("%02x", value);
            }
        for (int i = 0; i < 3; i++)
            print_range(i);
        printf("\n");
    }
    bit_count = 0;
}

static void lamp(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq;
    printf("%.3f %s %u\n", now_us(), (const char *)param, value);
}

/* --- the serial line -------------------------------------------------------------------------------------- */

static uint8_t *queue;
static size_t queue_in, queue_out, queue_size;
static avr_cycle_count_t line_free; /* when the next byte from the host may be complete */
static unsigned dropped;
static avr_irq_t *to_uart;
static int master = -1, slave = -1;

static void host_bytes(const uint8_t *bytes, size_t count)
{
    if (queue_out == queue_in) {
        queue_in = queue_out = 0;
        if (line_free < avr->cycle + BYTE_CYCLES)
            line_free = avr->cycle + BYTE_CYCLES;
    }
    if (queue_in + count > queue_size) {
        queue_size = 2 * (queue_in + count);
        queue = realloc(queue, queue_size);
        if (!queue)
            abort();
    }
    memcpy(queue + queue_in, bytes, count);
    queue_in += count;
}

static void deliver(void)
{
    if (queue_out == queue_in || avr->cycle < line_free)
        return;
    line_free = avr->cycle + BYTE_CYCLES;
    const uint8_t byte = queue[queue_out++];
    const unsigned pending = (uart->input.write - uart->input.read) & (uart_fifo_fifo_size - 1);
    if (pending >= UART_PLACES)
        printf("%.3f dropped %u\n", now_us(), ++dropped);
    else
        avr_raise_irq(to_uart, byte);
}

static void from_uart(avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    const uint8_t byte = value;
    printf("%.3f tx %02x\n", now_us(), byte);
    /* When nobody reads, a USB converter loses bytes too. */
    if (master >= 0 && write(master, &byte, 1) != 1 && errno != EAGAIN)
        perror("harness: pty");
}

static void plug(void)
{
    struct termios raw;
    master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0 || grantpt(master) || unlockpt(master)) {
        perror("harness: pty");
        exit(2);
    }
    /* Kept open, or reads would fail while no host is there. */
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0 || tcgetattr(slave, &raw)) {
        perror("harness: pty");
        exit(2);
    }
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    printf("0 pty %s\n", ptsname(master));
}

static void unplug(void)
{
    close(master);
    close(slave);
    master = slave = -1;
    queue_in = queue_out = 0;
}

/* --- the chip --------------------------------------------------------------------------------------------- */

static int hung; /* flash address of the endless loop, 0 for none */
static uint16_t hung_word;

static void hang(void)
{
    hung = avr->pc;
    memcpy(&hung_word, avr->flash + hung, 2);
    memcpy(avr->flash + hung, "\xff\xcf", 2); /* rjmp to itself */
}

static int button_up = 1;

static void button(int up)
{
    avr_irq_t *const pin = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 2);
    avr_ioport_external_t outside = { .name = 'D', .mask = 1 << 2, .value = up << 2 };
    button_up = up;
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('D'), &outside); /* or each write to the port pulls it up */
    /* Both ways, because simavr forgets the pin at a reset but filters a value that it has seen. */
    avr_raise_irq(pin, !up);
    avr_raise_irq(pin, up);
}

static void command(char *word, char *rest)
{
    if (!strcmp(word, "rx")) {
        static uint8_t bytes[1 << 16];
        size_t count = 0;
        unsigned byte;
        for (char *at = rest; at && count < sizeof bytes && sscanf(at, "%2x", &byte) == 1; at += 2)
            bytes[count++] = byte;
        host_bytes(bytes, count);
    } else if (!strcmp(word, "press")) {
        button(0);
    } else if (!strcmp(word, "release")) {
        button(1);
    } else if (!strcmp(word, "hang")) {
        hang();
    } else if (!strcmp(word, "unplug")) {
        unplug();
    } else if (!strcmp(word, "plug")) {
        avr_reset(avr); /* the cable brings the power too */
        plug();
    } else {
        fprintf(stderr, "harness: no such word: %s\n", word);
        exit(2);
    }
}

static void silent(avr_t *chip, const int level, const char *format, va_list arguments)
{
    (void)chip;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, arguments);
}

static void no_sleep(avr_t *chip, avr_cycle_count_t cycles)
{
    (void)chip, (void)cycles;
}

static void make_chip(const char *path)
{
    elf_firmware_t firmware = { 0 };
    avr_global_logger_set(silent);
    if (elf_read_firmware(path, &firmware)) {
        fprintf(stderr, "harness: %s is no firmware\n", path);
        exit(2);
    }
    avr = avr_make_mcu_by_name("atmega328p");
    if (!avr || avr_init(avr))
        exit(2);
    avr->sleep = no_sleep;
    firmware.frequency = HZ;
    avr_load_firmware(avr, &firmware);
    avr->frequency = HZ;
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        if (!strcmp(io->kind, "uart") && ((avr_uart_t *)io)->name == '0')
            uart = (avr_uart_t *)io;
    if (!uart)
        exit(2);
    uint32_t flags = 0; /* no console, no sleeping when polled */
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    to_uart = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), from_uart, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 6), data_pin, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 5), lamp, "warning");
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 4), lamp, "buzzer");
    button(1);
}

static bool step(void)
{
    /* simavr counts a parity bit that is not there */
    if (uart->cycles_per_byte)
        uart->cycles_per_byte = BYTE_CYCLES;
    deliver();
    const int state = avr_run(avr);
    if (avr->pc == 0) { /* a reset */
        button(button_up);
        if (hung)
            memcpy(avr->flash + hung, &hung_word, 2);
        hung = 0;
    }
    if (bit_count)
        look_for_latch();
    if (state == cpu_Done || state == cpu_Crashed) {
        printf("%.3f ended crashed\n", now_us());
        return false;
    }
    return true;
}

static int lockstep(void)
{
    static char line[1 << 18];
    while (fgets(line, sizeof line, stdin)) {
        char *save, *when = strtok_r(line, " \n", &save), *word = strtok_r(NULL, " \n", &save);
        if (!when || !word)
            continue;
        const avr_cycle_count_t until = strtoull(when, NULL, 10) * US;
        while (avr->cycle < until)
            if (!step())
                return 1;
        if (!strcmp(word, "end"))
            break;
        command(word, strtok_r(NULL, " \n", &save));
    }
    printf("%.3f ended script\n", now_us());
    return 0;
}

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

/* Reads the words that have come; false when standard input ends. */
static bool hear(void)
{
    struct pollfd in = { .fd = 0, .events = POLLIN };
    while (poll(&in, 1, 0) > 0) {
        static char line[256];
        static size_t length;
        if (read(0, line + length, 1) != 1)
            return false;
        if (line[length] == '\n') {
            line[length] = 0;
            length = 0;
            command(line, NULL);
        } else if (++length == sizeof line) {
            return false;
        }
    }
    return true;
}

static int real_time(void)
{
    double base = wall() - now_us() / 1e6;
    plug();
    for (;;) {
        const avr_cycle_count_t until = avr->cycle + 500 * US;
        while (master >= 0 && avr->cycle < until)
            if (!step())
                return 1;
        fflush(stdout);
        if (!hear())
            return 0;
        if (master >= 0) {
            uint8_t bytes[512];
            const ssize_t count = read(master, bytes, sizeof bytes);
            if (count > 0)
                host_bytes(bytes, count);
        }
        const double ahead = base + now_us() / 1e6 - wall();
        if (master < 0 || ahead > 0.5)
            usleep(1000);
        else if (ahead > 0)
            usleep(ahead * 1e6);
        /* An overloaded machine is not caught up with: racing would make the firmware's own times short. */
        if (master < 0 || ahead < -0.02)
            base = wall() - now_us() / 1e6;
    }
}

int main(int count, char **words)
{
    const bool pty = count == 3 && !strcmp(words[1], "--pty");
    if (!pty && count != 2) {
        fprintf(stderr, "usage: harness [--pty] ELF\n");
        return 2;
    }
    make_chip(words[count - 1]);
    return pty ? real_time() : lockstep();
}
