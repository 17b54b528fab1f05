/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are placed in the order of the alphabet: what a picture shows, and not how it was recorded,
 * decides.
 */
#include "palette.h"
#include "base/map.h"
#include "weft/states.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TONES = 8 };
/*
 * Computing is strong; what only passes the time is pale, so that it is seen last although it often
 * fills most of a picture.
 */
static const uint32_t tones[WEFT_STATE_CLASSES][TONES] = {
	[WEFT_STATE_UNKNOWN] = {0x9aa3ad, 0xb5bcc4, 0x7f8994, 0xc9ced4, 0x8d97a2, 0xa8b0b9, 0x737d88, 0xbfc5cc},
	[WEFT_STATE_RUNNING] = {0x2f6fb0, 0x1f9a7c, 0x5fa8dc, 0x164f80, 0x66bfa3, 0x4188c9, 0x0c7059, 0x86c3ea},
	[WEFT_STATE_WAITING] = {0xe98b7f, 0xf2b3aa, 0xdd6f62, 0xf7cdc7, 0xee9e94, 0xd35b4d, 0xf4bfb8, 0xe47d70},
	[WEFT_STATE_COMMUNICATING] = {0xeaa221, 0xf3c46b, 0xd28800, 0xf7d899, 0xeeb145, 0xbb7700, 0xf5ce82, 0xdf9510},
	[WEFT_STATE_SYNCHRONIZING] = {0xe6bdd4, 0xd7a3c2, 0xefd3e2, 0xc98bb0, 0xdeb0cb, 0xebc8db, 0xd097b9, 0xf3dde9},
	[WEFT_STATE_IO] = {0xa3a33b, 0xc4c46a, 0x85852a, 0xd6d692, 0xb3b353, 0x747420, 0xcdcd7e, 0x949432},
	[WEFT_STATE_OVERHEAD] = {0x882255, 0xb0608a, 0x6a1842, 0xc98fae, 0x9c3d6e, 0x561235, 0xbd789c, 0x77204c},
	[WEFT_STATE_IDLE] = {0xd9dde2, 0xcbd1d8, 0xe3e6ea, 0xbfc6ce, 0xd2d7dd, 0xc5ccd3, 0xdee2e6, 0xb8c0c8},
	[WEFT_STATE_MEMORY] = {0x6a5fb5, 0x9a90d6, 0x4c4199, 0xb9b1e4, 0x8277c4, 0x3d3384, 0xaaa1dd, 0x766bbd},
	[WEFT_STATE_SCHEDULING] = {0x9c6b3a, 0xbf9566, 0x7d5226, 0xd6b794, 0xae7f50, 0x69431c, 0xcba67c, 0x8c5f30},
};

/* Where nothing has a class (Paje's states, foreign regions), names are spread over these, as greys would tell nothing apart. */
static const uint8_t spread[] = {WEFT_STATE_RUNNING, WEFT_STATE_COMMUNICATING, WEFT_STATE_IO,      WEFT_STATE_MEMORY,
                                 WEFT_STATE_WAITING, WEFT_STATE_SCHEDULING,    WEFT_STATE_OVERHEAD};
enum { SPREAD = sizeof spread / sizeof *spread };

struct place {
	struct weft_palette_name name;
	unsigned index;
};

static int by_name(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->name.name, y->name.name);
	return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

static unsigned class_of(const struct weft_palette_name *name)
{
	return name->state < WEFT_STATE_CLASSES ? name->state : WEFT_STATE_UNKNOWN;
}

/* The one of n, from `wanted` on, that was taken least. */
static unsigned least_taken(const uint32_t *taken, unsigned n, unsigned wanted)
{
	unsigned best = wanted % n;
	for (unsigned k = 0; k < n; k++)
		if (taken[(wanted + k) % n] < taken[best])
			best = (wanted + k) % n;
	return best;
}

int weft_palette_choose(const struct weft_palette_name *names, unsigned n, uint32_t *color)
{
	uint32_t taken[WEFT_STATE_CLASSES][TONES] = {0}, of_spread[SPREAD] = {0};
	struct place *place = calloc(n ? n : 1, sizeof *place);
	bool any_class = false;
	if (!place)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		place[i] = (struct place){names[i], i};
		any_class |= class_of(&names[i]) != WEFT_STATE_UNKNOWN;
	}
	qsort(place, n, sizeof *place, by_name);
	for (unsigned i = 0; i < n; i++) {
		const char *name = place[i].name.name;
		const uint64_t hash = weft_hash(name, strlen(name));
		unsigned state = class_of(&place[i].name);
		if (!any_class) {
			const unsigned at = least_taken(of_spread, SPREAD, (unsigned)(hash / TONES % SPREAD));
			of_spread[at]++;
			state = spread[at];
		}
		const unsigned tone = least_taken(taken[state], TONES, (unsigned)(hash % TONES));
		taken[state][tone]++;
		color[place[i].index] = tones[state][tone];
	}
	free(place);
	return 0;
}
