/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a filter: filter_parse.c makes the tree from text, filter_bind.c looks its names up in a trace, filter.c answers.
 *
 *   OR ── AND ── TEST thread=1.2.*        children hang on `child`, siblings on `next`
 *    │     └──── NOT ── TEST size>64K
 *    └─── TEST kind=point
 */
#ifndef WEFT_TRACE_FILTER_PRIV_H
#define WEFT_TRACE_FILTER_PRIV_H

#include "filter.h"
#include "base/arena.h"

#define FILTER_DEPTH_MAX 100 /* of brackets and "not": the tree is walked by recursion */
#define FILTER_VALUES_MAX 4096

enum filter_field {
	FIELD_TIME,
	FIELD_THREAD,
	FIELD_PROCESS,
	FIELD_RANK,
	FIELD_APP,
	FIELD_HOST,
	FIELD_NODE,
	FIELD_CPU,
	FIELD_CLUSTER,
	FIELD_ITERATION,
	FIELD_PHASE,
	FIELD_KIND,
	FIELD_NAME,
	FIELD_REGION,
	FIELD_TYPE,
	FIELD_COUNTER,
	FIELD_ATTR,
	FIELD_STATE,
	FIELD_CATEGORY,
	FIELD_VALUE,
	FIELD_SIZE,
	FIELD_DURATION,
	FIELD_TAG,
	FIELD_PEER,
	FIELD_COMM,
	FILTER_FIELDS
};

/* What the values of a field are. */
enum filter_domain {
	DOMAIN_TIME,    /* ns with unit, or a percentage of the trace */
	DOMAIN_NS,      /* ns with unit */
	DOMAIN_BYTES,   /* bytes with unit */
	DOMAIN_INTEGER, /* whole number */
	DOMAIN_NAME,    /* glob or "text" */
	DOMAIN_ANY,     /* number (with or without unit) or name */
	DOMAIN_KIND,    /* a kind of event, or a group of them */
	FILTER_DOMAINS
};

/* How a field decides. */
enum filter_how {
	HOW_TIME,
	HOW_ROW,   /* by the thread alone: a bit per thread */
	HOW_DEF,   /* by the definition that the event names: a bit per definition, for the classes that have the field */
	HOW_KIND,  /* by the kind: a bit per kind */
	HOW_ALONG, /* by what stands on the thread at that time */
	HOW_PHASE, /* likewise, by its name, too */
	HOW_VALUE,
	HOW_SIZE,
	HOW_DURATION,
	HOW_TAG,
	HOW_PEER,
	FILTER_HOWS
};

struct filter_field_info {
	const char *name;
	enum filter_domain domain;
	enum filter_how how;
};
extern const struct filter_field_info filter_field_info[FILTER_FIELDS];
enum { FILTER_FIELDS_MOST = 64 }; /* of a table of rows, which brings its own (filter_rows.h) */

/* Kinds that go by one word in `kind=`. The kinds' own names are not listed here. */
struct filter_group {
	const char *name;
	uint8_t kind[4]; /* 0 ends */
};
extern const struct filter_group filter_groups[]; /* ends with name NULL */

enum filter_compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE, FILTER_COMPARES };
extern const char *const filter_compare_text[FILTER_COMPARES];

/* One bound of a value. Whole numbers are exact in `i`; `f` is the same, or what `i` cannot say. */
struct filter_number {
	int64_t i;
	double f;
	bool whole;
	bool percent; /* of the trace's length; `i` and `f` are set by bind */
	double share;
};

struct filter_value {
	const char *text; /* as written, without quotes */
	bool quoted;      /* taken literally, else a glob */
	bool number;      /* low and high are set; both missing ends are infinite */
	bool has_low, has_high;
	struct filter_number low, high;
	unsigned column;
};

/* Numbers that pass: a closed range of whole ones, and the same for floating ones, where an end may be open. */
struct filter_span_of {
	int64_t lo, hi;
	double flo, fhi;
	bool flo_open, fhi_open;
};

struct filter_test {
	unsigned field; /* enum filter_field; of rows: the number of the field */
	enum filter_compare compare;
	unsigned column;
	struct filter_value *value;
	uint32_t n_values;
	/* bound to a trace: */
	struct filter_span_of *range; /* one for each value that is a number */
	uint32_t n_ranges;
	uint64_t *rows;               /* HOW_ROW: bits by thread */
	uint64_t *defs[WEFT_CLASSES]; /* HOW_DEF: bits by id; NULL: the class does not have the field */
	uint64_t kinds[4];            /* HOW_KIND: bits by kind */
	uint64_t *strings;            /* HOW_VALUE: bits by string id */
	uint8_t *known;               /* of rows: by the text's id: 0 not asked yet, 1 no, 2 yes */
	uint32_t n_known;
};

enum filter_op { FILTER_OR, FILTER_AND, FILTER_NOT, FILTER_TEST };
struct filter_node {
	enum filter_op op;
	struct filter_node *child, *next;
	struct filter_test *test;
};

/* What stands on a thread, from time[i] on (filter_places.c). */
enum filter_along { ALONG_CPU, ALONG_CLUSTER, ALONG_ITERATION, ALONG_PHASE, FILTER_ALONG };
struct filter_places {
	uint64_t *time;
	int64_t *value; /* negative: not known */
	size_t n, cap;
};

struct weft_filter {
	struct weft_arena arena; /* the tree */
	struct filter_node *root;
	const struct filter_field_info *fields; /* borrowed, or in the arena */
	unsigned n_fields;
	bool uses[FILTER_FIELDS_MOST];
	/* bound to a trace: */
	struct weft_arena bound;
	const struct weft_trace *trace; /* borrowed until the next bind or free */
	uint64_t from, to;
	uint64_t *threads;                          /* bits: those that can pass */
	struct filter_places *places[FILTER_ALONG]; /* by thread; NULL: nobody asks */
	uint32_t n_places;
};

static inline bool filter_bit(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static inline void filter_set_bit(uint64_t *bits, uint64_t i)
{
	bits[i / 64] |= 1ull << (i % 64);
}

bool filter_text_matches(const struct filter_value *v, const char *text);
bool filter_matches_text(const struct filter_test *t, const char *text); /* any of its names */
bool filter_matches_i64(const struct filter_test *t, int64_t x);         /* any of its ranges */
bool filter_matches_f64(const struct filter_test *t, double x);

/* filter_bind.c: the numbers of a test, in what ends at `end`. 0 or -ENOMEM. */
int filter_bind_ranges(struct weft_filter *f, struct filter_test *t, uint64_t end) WEFT_MUST_CHECK;
/* filter_parse.c: a tree over these fields; as weft_filter_new(). */
int filter_parse(struct weft_filter *f, const char *text, struct weft_err *err) WEFT_MUST_CHECK;
/* filter_bind.c: is there a thread or a definition that this value of a bound test (HOW_ROW, HOW_DEF) means? */
bool filter_value_is_known(const struct weft_filter *f, const struct filter_test *t, uint32_t value);

/* filter_places.c: of the fields that are used. 0, -ENOMEM, or what reading says. */
int filter_bind_places(struct weft_filter *f) WEFT_MUST_CHECK;
void filter_unbind_places(struct weft_filter *f);
/* The last at or before that time; negative: there is none. */
int64_t filter_place_at(const struct weft_filter *f, const struct filter_test *t, uint32_t thread, uint64_t time);
/* The trace has nothing of what the test asks for. */
bool filter_place_lacks(const struct weft_filter *f, const struct filter_test *t);

/* filter_parse.c: a bound with its unit; false when `s` is none of this domain. */
bool filter_parse_number(enum filter_domain d, struct weft_str s, struct filter_number *out);
/* A bound of `time`, in a trace of this length. */
uint64_t filter_ns(const struct filter_number *n, uint64_t end);

#endif
