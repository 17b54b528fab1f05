/* SPDX-License-Identifier: Apache-2.0 */
/* LU of a matrix in tiles: dependencies are tags; the tiles grow in the middle. */
#include "lu.h"

int main(int argc, char **argv)
{
	return factor_main(argc, argv, &lu, factor_grain);
}
