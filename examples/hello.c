/* SPDX-License-Identifier: Apache-2.0 */
/* The least there is. cc hello.c $(pkg-config --cflags --libs weft) -o hello && weft record -- ./hello && weft stat hello.weft */
#include <stdio.h>
#include <weft/record.h>

WEFT_REGION(greet, "greet", WEFT_STATE_IO);

int main(void)
{
	weft_enter(greet);
	puts("hello");
	weft_leave(greet);
	return 0;
}
