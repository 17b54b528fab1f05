/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values are cut in two where least is left within the parts, found by sums over the sorted values. They are two clouds when the means of
 * the parts are far apart, for how wide the parts are: cut so, one cloud of any usual shape (normal, uniform, exponential) has a distance
 * below 3.5. Parts of less than a tenth are outliers, and no cloud; nor are means within a tenth of each other.
 */
#include "model_cloud.h"
#include <math.h>
#include <stdlib.h>

enum { LEAST = 8, TENTHS = 10 };
static const double distance = 5, apart = 0.1;

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static struct model_cloud cloud_of(const double *y, size_t n)
{
	struct model_cloud c = {.n = n};
	for (size_t i = 0; i < n; i++)
		c.mean += y[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		c.deviation += (y[i] - c.mean) * (y[i] - c.mean) / (double)n;
	c.deviation = sqrt(c.deviation);
	return c;
}

bool model_two_clouds(double *y, size_t n, struct model_cloud *low, struct model_cloud *high)
{
	double all = 0, left = 0, best = -1;
	size_t at = 1;
	if (n < LEAST)
		return false;
	qsort(y, n, sizeof *y, by_value);
	for (size_t i = 0; i < n; i++)
		all += y[i];
	for (size_t i = 1; i < n; i++) {
		left += y[i - 1];
		double far = left / (double)i - (all - left) / (double)(n - i), between = (double)i * (double)(n - i) * far * far;
		if (between > best) {
			best = between;
			at = i;
		}
	}
	*low = cloud_of(y, at);
	*high = cloud_of(y + at, n - at);
	double wide = sqrt((low->deviation * low->deviation + high->deviation * high->deviation) / 2);
	return at * TENTHS >= n && (n - at) * TENTHS >= n && high->mean > low->mean * (1 + apart) &&
	       high->mean - low->mean > distance * wide;
}
