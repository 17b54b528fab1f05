/* SPDX-License-Identifier: Apache-2.0 */
/* Names are placed in the order of the alphabet: what a picture shows, and not how it was recorded, decides. */
#include "palette.h"
#include "base/map.h"
#include "weft/states.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TONES = 8 };
static const uint32_t tones[WEFT_STATE_CLASSES][TONES] = {
	[WEFT_STATE_UNKNOWN] = {0x8c8c8c, 0xb3b3b3, 0x6e6e6e, 0xc7c7c7, 0x9a9a9a, 0x7d7d7d, 0xa6a6a6, 0xbdbdbd},
	[WEFT_STATE_RUNNING] = {0x3b76b5, 0x2ba084, 0x7fb8e6, 0x1b5e8c, 0x8fcfb4, 0x5597d3, 0x0f7a63, 0xa9cfee},
	[WEFT_STATE_WAITING] = {0xcf4a3c, 0xe58a7f, 0xa8332a, 0xf0b3ab, 0xdb6a5e, 0x8f2a22, 0xe99f96, 0xbf4236},
	[WEFT_STATE_COMMUNICATING] = {0xe69f00, 0xf3c35c, 0xc47f00, 0xf8dc9c, 0xeeb02e, 0xa66a00, 0xf5cd78, 0xd48f00},
	[WEFT_STATE_SYNCHRONIZING] = {0xcc79a7, 0xe3b0cd, 0xa9568a, 0xf0d0e2, 0xd893b9, 0x8c3f72, 0xeac0d7, 0xba688f},
	[WEFT_STATE_IO] = {0x999933, 0xc4c46a, 0x77771f, 0xd9d99a, 0xaeae4d, 0x66661a, 0xcfcf82, 0x8a8a29},
	[WEFT_STATE_OVERHEAD] = {0x882255, 0xb0608a, 0x6a1842, 0xcf9db8, 0x9c3d6e, 0x561235, 0xc07fa2, 0x77204c},
	[WEFT_STATE_IDLE] = {0xd5d8dc, 0xbfc4ca, 0xe3e5e8, 0xaab0b8, 0xcbd0d5, 0xb4bac1, 0xdcdfe3, 0xc5cad0},
	[WEFT_STATE_MEMORY] = {0x5b4fa8, 0x9a90d6, 0x40358a, 0xc0b9e8, 0x7a6fc0, 0x332a73, 0xada5df, 0x6b60b4},
	[WEFT_STATE_SCHEDULING] = {0x8b5a2b, 0xb98b5e, 0x6e431b, 0xd6b794, 0xa27344, 0x5a3613, 0xc8a178, 0x7d5024},
};

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

int weft_palette_choose(const struct weft_palette_name *names, unsigned n, uint32_t *colour)
{
	uint8_t taken[WEFT_STATE_CLASSES][TONES] = {0};
	struct place *place = calloc(n ? n : 1, sizeof *place);
	if (!place)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++)
		place[i] = (struct place){names[i], i};
	qsort(place, n, sizeof *place, by_name);
	for (unsigned i = 0; i < n; i++) {
		const char *name = place[i].name.name;
		unsigned state = place[i].name.state < WEFT_STATE_CLASSES ? place[i].name.state : WEFT_STATE_UNKNOWN;
		unsigned wanted = (unsigned)(weft_hash(name, strlen(name)) % TONES), best = wanted;
		for (unsigned k = 0; k < TONES; k++)
			if (taken[state][(wanted + k) % TONES] < taken[state][best])
				best = (wanted + k) % TONES;
		taken[state][best]++;
		colour[place[i].index] = tones[state][best];
	}
	free(place);
	return 0;
}
