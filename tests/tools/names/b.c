/* SPDX-License-Identifier: Apache-2.0 */
/* The other file of a.c. */
static volatile long sink;
__attribute__((noinline)) static void same(int n)
{
	sink += 2 * n;
}
void other(int n)
{
	same(n);
	same(n + 1);
}
