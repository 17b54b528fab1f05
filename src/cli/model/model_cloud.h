/* SPDX-License-Identifier: Apache-2.0 */
/* Whether values are of one kind or of two. */
#ifndef WEFT_CLI_MODEL_CLOUD_H
#define WEFT_CLI_MODEL_CLOUD_H

#include <stdbool.h>
#include <stddef.h>

struct model_cloud {
	double mean, deviation;
	size_t n;
};
/* Sorts y. False with fewer than eight values. */
bool model_two_clouds(double *y, size_t n, struct model_cloud *low, struct model_cloud *high);

#endif
