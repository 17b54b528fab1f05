/* SPDX-License-Identifier: Apache-2.0 */
/* LU of a matrix in tiles: dependencies come from the data. */
#include "lu.h"

int main(int argc, char **argv)
{
	return factor_main(argc, argv, &lu, factor_implicit);
}
