/* SPDX-License-Identifier: Apache-2.0 */
/* C functions that have a name with others: of another file, of variants that are chosen when the program begins, of a library. */
#include <stddef.h>
#include <string.h>
static volatile long sink;
__attribute__((noinline)) static void same(int n)
{
	sink += n;
}
void other(int n);
static void *pick(void);
int chosen(int n) __attribute__((ifunc("pick")));
static int chosen_fast(int n)
{
	sink += n;
	return n;
}
static int chosen_slow(int n)
{
	sink -= n;
	return n;
}
static void *pick(void)
{
	return sink ? (void *)chosen_slow : (void *)chosen_fast;
}
int MPI_a(int), MPI_b(int);
int main(int n, char **argv)
{
	char to[64];
	for (int k = 0; k < 5; k++) {
		same(k);
		chosen(k);
		MPI_a(k);
		sink += (long)strlen(argv[0]);
		memcpy(to, argv[0], strlen(argv[0]));
		sink += to[0];
	}
	for (int k = 0; k < 3; k++) {
		other(k);
		MPI_b(k);
	}
	return 0;
}
