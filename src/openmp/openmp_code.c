/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that the compiler has made of regions and tasks, and what they are called in the trace: a hash table for each kind, which is
 * read without a lock and only grows. An entry's address is stored last.
 */
#include "openmp_priv.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct openmp_code openmp_codes[OPENMP_CODE_KINDS][OPENMP_CODES];
static char *codes_name[OPENMP_CODE_KINDS][OPENMP_CODES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct {
	const char *construct, *body; /* %s: the function */
	enum weft_state_class construct_state;
} kinds[OPENMP_CODE_KINDS] = {
	[OPENMP_PARALLEL] = {"omp parallel in %s", "%s [omp parallel]", WEFT_STATE_SCHEDULING},
	[OPENMP_TEAMS] = {"omp teams in %s", "%s [omp teams]", WEFT_STATE_SCHEDULING},
	[OPENMP_TASK] = {NULL, "%s [omp task]", WEFT_STATE_SCHEDULING},
	[OPENMP_TARGET] = {NULL, "%s [omp target]", WEFT_STATE_SCHEDULING},
};

static void unlock_in_child(void)
{
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, unlock_in_child);
}

__attribute__((format(printf, 1, 0))) static weft_region define(const char *form, const char *function,
                                                                enum weft_state_class state, bool called)
{
	char name[320];
	snprintf(name, sizeof name, form, function);
	return called ? openmp_define_called(name, state) : openmp_define(name, state);
}

/* Several constructs of one function, which only have places: after the first they are numbered, as GCC numbers what it outlines. */
static void make_unique(enum openmp_code_kind kind, char *name, size_t room)
{
	size_t n = strlen(name), length;
	unsigned k = 0;
	for (unsigned i = 0; i < OPENMP_CODES; i++) {
		const char *other = codes_name[kind][i];
		length = other ? strcspn(other, "#") : 0;
		k += other && length == n && memcmp(other, name, n) == 0;
	}
	if (k && !strchr(name, '#'))
		snprintf(name + n, room - n, "#%u", k);
}

static void fill(enum openmp_code_kind kind, struct openmp_code *c, const void *at)
{
	char name[256] = "more functions";
	if (at) {
		(void)openmp_symbol(at, name, sizeof name);
		make_unique(kind, name, sizeof name);
		codes_name[kind][c - openmp_codes[kind]] = strdup(name);
	}
	if (kinds[kind].construct)
		c->construct = define(kinds[kind].construct, name, kinds[kind].construct_state, true);
	else
		c->construct = WEFT_OFF;
	c->body = define(kinds[kind].body, name, WEFT_STATE_RUNNING, kind == OPENMP_TARGET);
	/* After the run the address says the line. */
	if (at)
		weft_define_value(openmp.code, (int64_t)(intptr_t)at, name);
	__atomic_store_n(&c->at, at, __ATOMIC_RELEASE);
}

/* The function's place, or where it would go. A long search would cost each time: so it ends soon. */
static unsigned place_of(const struct openmp_code *table, const void *at)
{
	unsigned i = openmp_code_place(at);
	for (unsigned n = 0; n < 32; n++, i = (i + 1) % (OPENMP_CODES - 1)) {
		const void *there = __atomic_load_n(&table[i].at, __ATOMIC_ACQUIRE);
		if (!there || there == at)
			return i;
	}
	return OPENMP_CODES - 1;
}

unsigned openmp_code_search(enum openmp_code_kind kind, const void *at)
{
	struct openmp_code *table = openmp_codes[kind];
	unsigned i = place_of(table, at);
	if (WEFT_LIKELY(__atomic_load_n(&table[i].at, __ATOMIC_ACQUIRE) == at))
		return i;
	pthread_mutex_lock(&lock);
	i = place_of(table, at);
	if (!table[i].body)
		fill(kind, &table[i], i == OPENMP_CODES - 1 ? NULL : at);
	pthread_mutex_unlock(&lock);
	return i;
}
