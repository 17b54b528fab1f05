/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "sample_tasks.h"
#include "products/products.h"

TEST(products_of_three_tasks)
{
	struct weft_trace *t = sample_tasks_trace();
	struct weft_products_made made;
	struct weft_err err = {0};
	REQUIRE(weft_products_write(&t, 1, &(struct weft_products_how){.folder = "/tmp/pr/three"}, &made, &err) == 0);
	weft_trace_close(t);
}
