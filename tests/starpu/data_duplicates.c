/* SPDX-License-Identifier: Apache-2.0 */
/* Read-only duplicates: of one value there is one, however often it is asked for; after a write there is another. */
#include "data_check.h"

static void add_one(void *buffers[], void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static void look(void *buffers[], void *arg)
{
	*(int *)arg = *(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet adds = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet commutes = {.cpu_funcs = {add_one}, .nbuffers = 1, .modes = {STARPU_RW | STARPU_COMMUTE}};
static struct starpu_codelet looks = {.cpu_funcs = {look}, .nbuffers = 1, .modes = {STARPU_R}};

static int value_of(starpu_data_handle_t h)
{
	int saw = -1;
	submit(&looks, h, &saw);
	starpu_task_wait_for_all();
	return saw;
}

static starpu_data_handle_t dup_of(starpu_data_handle_t h)
{
	starpu_data_handle_t d = NULL;
	CHECK(starpu_data_dup_ro(&d, h) == 0 && d);
	return d;
}

static void check_sharing(starpu_data_handle_t h, int *x)
{
	int base = value_of(h);
	starpu_data_handle_t a = dup_of(h), b = dup_of(h), c = dup_of(a), d = starpu_data_dup_ro_get(c);
	CHECK(a != h && a == b && a == c && a == d);
	submit(&adds, h, NULL);
	starpu_data_handle_t e = dup_of(h), f = dup_of(a);
	CHECK(e != a && e != h && f == a && dup_of(h) == e);
	submit(&adds, h, NULL);
	CHECK(value_of(a) == base && value_of(e) == base + 1 && value_of(h) == base + 2);
	/* The application's writes count, its reads do not. */
	starpu_data_handle_t g = dup_of(h);
	CHECK(starpu_data_acquire(h, STARPU_R) == 0);
	CHECK(*x == base + 2);
	starpu_data_release(h);
	CHECK(dup_of(h) == g && g != e);
	CHECK(starpu_data_acquire(h, STARPU_RW) == 0);
	*x += 10;
	starpu_data_release(h);
	starpu_data_handle_t i = dup_of(h);
	CHECK(i != g && value_of(i) == base + 12 && value_of(g) == base + 2);
	/* As often unregistered as given out: it is there until then. */
	for (int k = 0; k < 5; k++) {
		CHECK(value_of(a) == base);
		if (k % 2)
			starpu_data_unregister(a);
		else
			starpu_data_unregister_submit(a);
	}
	for (int k = 0; k < 2; k++)
		starpu_data_unregister(e);
	for (int k = 0; k < 2; k++)
		starpu_data_unregister_no_coherency(g);
	/* One that has gone is made anew. */
	starpu_data_unregister(i);
	starpu_data_handle_t j = dup_of(h);
	CHECK(value_of(j) == base + 12);
	starpu_data_unregister(j);
}

/* Writes in any order end where they are copied. */
static void check_commuting(starpu_data_handle_t h)
{
	int base = value_of(h);
	starpu_data_handle_t a = dup_of(h);
	for (int i = 0; i < 5; i++)
		submit(&commutes, h, NULL);
	starpu_data_handle_t b = dup_of(h), c = dup_of(h);
	CHECK(b != a && b == c && value_of(a) == base && value_of(b) == base + 5);
	starpu_data_unregister(a);
	starpu_data_unregister(b);
	starpu_data_unregister(c);
}

int main(void)
{
	int x = 3;
	starpu_data_handle_t h;
	begin();
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&x, sizeof x);
	check_sharing(h, &x);
	check_commuting(h);
	/* It outlives the original. */
	starpu_data_handle_t last = dup_of(h), same = dup_of(h);
	int value = x;
	starpu_data_unregister(h);
	CHECK(last == same && value_of(last) == value && dup_of(last) == last);
	for (int i = 0; i < 3; i++)
		starpu_data_unregister(last);
	starpu_shutdown();
	return checks_failed();
}
