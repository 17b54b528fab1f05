/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and names that the reader and the writer of .prv share. */
#include "prv_names.h"
#include "base/str.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct prv_state prv_states[PRV_STATES] = {
	{"Idle", 117, 195, 255},
	{"Running", 0, 0, 255},
	{"Not created", 255, 255, 255},
	{"Waiting a message", 255, 0, 0},
	{"Blocking Send", 255, 0, 174},
	{"Synchronization", 179, 0, 0},
	{"Test/Probe", 0, 255, 0},
	{"Scheduling and Fork/Join", 255, 255, 0},
	{"Wait/WaitAll", 235, 0, 0},
	{"Blocked", 0, 162, 0},
	{"Immediate Send", 255, 0, 255},
	{"Immediate Receive", 100, 100, 177},
	{"I/O", 172, 174, 41},
	{"Group Communication", 255, 144, 26},
	{"Tracing Disabled", 2, 255, 177},
	{"Others", 192, 224, 0},
	{"Send Receive", 66, 66, 66},
	{"Memory transfer", 255, 0, 96},
	{"Profiling", 169, 169, 169},
	{"On-line analysis", 169, 0, 0},
	{"Remote memory access", 0, 109, 255},
	{"Atomic memory operation", 200, 61, 68},
	{"Memory ordering operation", 200, 66, 0},
	{"Distributed locking", 0, 41, 0},
	{"Overhead", 139, 121, 177},
	{"One-sided op", 116, 116, 116},
	{"Startup latency", 200, 50, 89},
	{"Waiting links", 255, 171, 98},
	{"Data copy", 0, 68, 189},
	{"RTT", 52, 43, 0},
	{"Allocating memory", 255, 46, 0},
	{"Freeing memory", 100, 216, 32},
	{"Configuring accelerator", 118, 185, 0},
	{"Stream Registration", 80, 185, 160},
};

/* By state class; a communicating region may say more by its name. */
static const uint32_t state_of_class[WEFT_STATE_CLASSES] = {
	[WEFT_STATE_UNKNOWN] = UINT32_MAX, [WEFT_STATE_RUNNING] = 1,       [WEFT_STATE_WAITING] = 3,
	[WEFT_STATE_COMMUNICATING] = 13,   [WEFT_STATE_SYNCHRONIZING] = 5, [WEFT_STATE_IO] = 12,
	[WEFT_STATE_OVERHEAD] = 24,        [WEFT_STATE_IDLE] = 0,          [WEFT_STATE_MEMORY] = 17,
	[WEFT_STATE_SCHEDULING] = 7,
};

/* The first that the name (in lower case) has in it. */
static const struct {
	const char *part;
	uint32_t state;
} communicating[] = {
	{"sendrecv", 16}, {"isend", 10}, {"irecv", 11}, {"send", 4}, {"recv", 3},
	{"receive", 3},   {"wait", 8},   {"probe", 6},  {"test", 6},
};

uint32_t prv_state_of_region(const struct weft_def_row *region)
{
	if (region->state >= WEFT_STATE_CLASSES)
		return UINT32_MAX;
	if (region->state != WEFT_STATE_COMMUNICATING)
		return state_of_class[region->state];
	char low[64];
	size_t n = 0;
	for (; n < sizeof low - 1 && region->name[n]; n++)
		low[n] = region->name[n] >= 'A' && region->name[n] <= 'Z' ? (char)(region->name[n] | 0x20) : region->name[n];
	low[n] = 0;
	for (size_t i = 0; i < sizeof communicating / sizeof *communicating; i++)
		if (strstr(low, communicating[i].part))
			return communicating[i].state;
	return state_of_class[region->state];
}

uint32_t prv_state_outside(const struct weft_trace *t, uint32_t thread)
{
	return weft_outside_is_useful(t, thread) ? PRV_STATE_RUNNING : PRV_STATE_OTHERS;
}

int64_t prv_millionths(double v)
{
	double scaled = rint(v * 1e6);
	if (scaled >= 9223372036854775807.0)
		return INT64_MAX;
	return scaled <= -9223372036854775808.0 ? INT64_MIN : (int64_t)scaled;
}

uint32_t prv_type_number(const struct weft_def_row *d, uint32_t id)
{
	return d->code > 0 && d->code <= UINT32_MAX ? (uint32_t)d->code : PRV_TYPES + id;
}

const char *const prv_other_names[PRV_OTHERS_END] = {
	[PRV_COLLECTIVE] = "Collective operation",
	[PRV_COLLECTIVE_ROOT] = "Root of the collective operation",
	[PRV_COLLECTIVE_SENT] = "Send Size in MPI Global OP",
	[PRV_COLLECTIVE_RECEIVED] = "Recv Size in MPI Global OP",
	[PRV_DROPPED] = "Events that were dropped",
	[PRV_COLLECTIVE_IS_ROOT] = "Root in MPI Global OP",
	[PRV_COLLECTIVE_COMM] = "Communicator in MPI Global OP",
};

const char *prv_with_unit(struct weft_buf *z, const struct weft_def_row *d)
{
	z->n = 0;
	weft_buf_puts(z, d->name);
	if (*d->unit)
		weft_buf_printf(z, " [%s]", d->unit);
	return z->failed ? d->name : z->at;
}

char *prv_unnamed_type(uint32_t number, char *out)
{
	snprintf(out, PRV_NAME, "type %u", number);
	return out;
}

char *prv_unnamed_state(uint32_t number, char *out)
{
	snprintf(out, PRV_NAME, "Unknown state %u", number);
	return out;
}

char *prv_beside(const char *path, const char *suffix)
{
	static const char *const ends[] = {".prv", ".prv.gz", ".prv.zst"};
	size_t n = strlen(path), cut = n, more = strlen(suffix);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t k = strlen(ends[i]);
		if (n > k && !strcmp(path + n - k, ends[i]))
			cut = n - k;
	}
	char *out = malloc(cut + more + 1);
	if (out) {
		memcpy(out, path, cut);
		memcpy(out + cut, suffix, more + 1);
	}
	return out;
}

char *prv_precision_unit(uint32_t precision, char *out)
{
	snprintf(out, PRV_NAME, "1e-%u", precision);
	return out;
}

uint32_t prv_unit_precision(const char *unit)
{
	uint64_t n;
	if (strncmp(unit, "1e-", 3) != 0 || weft_parse_u64(weft_str(unit + 3), &n) || n > 18)
		return 0;
	return (uint32_t)n;
}
