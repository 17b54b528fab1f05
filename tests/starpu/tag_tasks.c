/* SPDX-License-Identifier: Apache-2.0 */
/* The task of a tag: from its submission on, for as long as the task exists; of several, the last that was submitted with the tag. */
#include "starpu_check.h"

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet cl = {.cpu_funcs = {nothing}};

static struct starpu_task *tagged(starpu_tag_t id)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	t->use_tag = 1;
	t->tag_id = id;
	t->destroy = 0;
	t->detach = 0;
	return t;
}

int main(void)
{
	begin_on_cpus(2);
	struct starpu_task *one = tagged(1), *two = tagged(1);
	CHECK(!starpu_tag_get_task(1));
	CHECK(starpu_task_submit(one) == 0 && starpu_task_wait(one) == 0);
	CHECK(starpu_tag_get_task(1) == one);
	starpu_tag_wait(1);
	CHECK(starpu_tag_get_task(1) == one);
	/* Again, and with another tag. */
	one->detach = 0;
	CHECK(starpu_task_submit(one) == 0 && starpu_task_wait(one) == 0);
	CHECK(starpu_tag_get_task(1) == one);
	one->tag_id = 2;
	CHECK(starpu_task_submit(one) == 0 && starpu_task_wait(one) == 0);
	CHECK(starpu_tag_get_task(2) == one && !starpu_tag_get_task(1));
	/* Another takes it. */
	one->tag_id = 1;
	CHECK(starpu_task_submit(one) == 0 && starpu_task_wait(one) == 0);
	CHECK(starpu_task_submit(two) == 0 && starpu_task_wait(two) == 0);
	CHECK(starpu_tag_get_task(1) == two);
	starpu_task_destroy(one);
	CHECK(starpu_tag_get_task(1) == two);
	starpu_task_destroy(two);
	CHECK(!starpu_tag_get_task(1));
	/* One that goes by itself, and a tag that goes before its task. */
	struct starpu_task *own = tagged(3), *kept = tagged(4);
	own->destroy = 1;
	CHECK(starpu_task_submit(own) == 0 && starpu_task_submit(kept) == 0 && starpu_task_wait(own) == 0);
	CHECK(!starpu_tag_get_task(3));
	CHECK(starpu_task_wait(kept) == 0);
	starpu_tag_remove(4);
	CHECK(!starpu_tag_get_task(4));
	starpu_task_destroy(kept);
	starpu_shutdown();
	return checks_failed();
}
