/* The wiring. */
#ifndef BOARD_H
#define BOARD_H

#include <avr/io.h>

/* All parts on port D; the numbers are those printed on an Uno or Nano too. */
#define STRIP_BIT   6 /* WS2812 data */
#define WARNING_BIT 5 /* warning light, active high */
#define BUZZER_BIT  4 /* active buzzer, active high */
#define BUTTON_BIT  2 /* to ground, internal pull-up */

#ifndef BUDGET_MA
#define BUDGET_MA 400 /* a USB port gives 500 */
#endif

#define UART_BAUD 115200UL

#endif
