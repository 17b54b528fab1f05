/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky of a matrix in tiles: dependencies are tags; the tiles grow in the middle. */
#include "cholesky.h"

int main(int argc, char **argv)
{
	return factor_main(argc, argv, &cholesky, factor_grain);
}
