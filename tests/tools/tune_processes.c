/* SPDX-License-Identifier: Apache-2.0 */
/* Twelve steps of a program that has workers and collectors, as numbers that tunlets may want to change. */
#include <stdio.h>
#include <unistd.h>
int nworkers = 8, ncollectors = 1, load = 100;
__attribute__((noinline)) void begin(int i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}
__attribute__((noinline)) void end(int i)
{
	__asm__ volatile("" : : "r"(i) : "memory");
}
int main(void)
{
	for (int i = 0; i < 12; i++) {
		begin(i);
		usleep(20000);
		end(i);
	}
	printf("%d workers, %d collectors\n", nworkers, ncollectors);
	return 0;
}
