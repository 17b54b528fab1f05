/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of events by their numbers: a table that is read without a lock, as each event asks it. Entries never go; where the table is full
 * a type is asked of libweft each time, which takes longer and is as right.
 */
#include "extrae_priv.h"
#include <pthread.h>
#include <stdlib.h>

enum { TYPES = 4096, STACK_MOST = 64 };

struct type_row {
	_Atomic extrae_type_t number; /* 0: free. The type 0 has no row. */
	weft_type type;
	_Atomic bool stacked;
};
static struct type_row rows[TYPES];
static pthread_mutex_t rows_lock = PTHREAD_MUTEX_INITIALIZER;
static weft_category category;

/* What is below the value of a stacked type, in this thread. */
struct stack {
	extrae_type_t type;
	unsigned n, deeper; /* deeper: pushed when it was full */
	int64_t value[STACK_MOST];
	struct stack *next;
};
static __thread struct stack *stacks;
static pthread_key_t stacks_key;

void extrae_begin_types(void)
{
	category = weft_define_category("extrae", 1);
}

/* The row of the number, or the free one where it would stand; NULL: neither. */
static struct type_row *row_find(extrae_type_t number)
{
	for (unsigned i = number * 0x9e3779b1u >> 20, n = 0; n < TYPES; i = (i + 1) % TYPES, n++) {
		extrae_type_t found = rows[i].number;
		if (!found || found == number)
			return &rows[i];
	}
	return NULL;
}

static struct type_row *row_of(extrae_type_t number)
{
	struct type_row *r = number ? row_find(number) : NULL;
	if (!r || r->number == number)
		return r;
	pthread_mutex_lock(&rows_lock);
	r = row_find(number);
	if (r && r->number != number) {
		r->type = weft_define_coded_type(number, "", "", category);
		r->number = number;
	}
	pthread_mutex_unlock(&rows_lock);
	return r;
}

weft_type extrae_type_of(extrae_type_t number)
{
	struct type_row *r = row_of(number);
	return r ? r->type : weft_define_coded_type(number, "", "", category);
}

void extrae_define_type(extrae_type_t number, const char *text)
{
	(void)extrae_type_of(number);
	(void)weft_define_coded_type(number, text ? text : "", "", category);
}

void extrae_stack_type(extrae_type_t number)
{
	struct type_row *r = row_of(number);
	if (r)
		r->stacked = true;
}

static void free_stacks(void *first)
{
	for (struct stack *s = first, *next; s; s = next) {
		next = s->next;
		free(s);
	}
}

static void make_key(void)
{
	(void)pthread_key_create(&stacks_key, free_stacks);
}

static struct stack *stack_of(extrae_type_t type)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	for (struct stack *s = stacks; s; s = s->next)
		if (s->type == type)
			return s;
	struct stack *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	pthread_once(&once, make_key);
	s->type = type;
	s->next = stacks;
	stacks = s;
	pthread_setspecific(stacks_key, s);
	return s;
}

static int64_t stack_value(struct stack *s, int64_t value)
{
	if (value) {
		if (s->n < STACK_MOST)
			s->value[s->n++] = value;
		else
			s->deeper++;
		return value;
	}
	if (s->deeper)
		s->deeper--;
	else if (s->n)
		s->n--;
	return s->n ? s->value[s->n - 1] : 0;
}

struct extrae_event extrae_event_of(extrae_type_t type, extrae_value_t value)
{
	struct type_row *r = row_of(type);
	struct extrae_event e = {r ? r->type : extrae_type_of(type), (int64_t)value};
	if (r && r->stacked) {
		struct stack *s = stack_of(type);
		if (s)
			e.value = stack_value(s, e.value);
	}
	return e;
}
