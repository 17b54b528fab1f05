/* SPDX-License-Identifier: Apache-2.0 */
/* The library of a.c. */
static volatile int s;
int MPI_a(int n)
{
	return s += n;
}
int MPI_b(int n)
{
	return s -= n;
}
