/* SPDX-License-Identifier: Apache-2.0 */
/* Communications that the program tells: messages of a communicator of their own. */
#include "extrae_priv.h"
#include <pthread.h>
#include <stdlib.h>

static const uint64_t world_key = 0x657874726165u;
static weft_comm world = WEFT_OFF;
static unsigned (*ask_rank)(void), (*ask_ranks)(void);
static int launcher_rank = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void extrae_ask_ranks(unsigned (*rank)(void), unsigned (*n)(void))
{
	ask_rank = rank ? rank : ask_rank;
	ask_ranks = n ? n : ask_ranks;
	if (ask_rank && ask_ranks)
		weft_set_rank((int)ask_rank(), (int)ask_ranks());
}

static void find_rank(void)
{
	static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
	for (unsigned i = 0; i < sizeof variables / sizeof *variables && launcher_rank < 0; i++) {
		const char *z = getenv(variables[i]);
		launcher_rank = z && *z ? atoi(z) : -1;
	}
	if (launcher_rank < 0) {
		launcher_rank = 0;
		if (!ask_rank)
			weft_set_rank(0, 1);
	}
	world = weft_define_comm("user communications", world_key, NULL, 0);
}

int extrae_rank(void)
{
	pthread_once(&once, find_rank);
	return ask_rank ? (int)ask_rank() : launcher_rank;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

/* The ids that the program gave pair two ends, whatever the order. */
void extrae_message(const struct extrae_UserCommunication *c)
{
	int own = extrae_rank(), peer = c->partner == EXTRAE_COMM_PARTNER_MYSELF ? own : (int)c->partner;
	bool send = c->type == EXTRAE_USER_SEND;
	uint64_t ends = send ? (uint64_t)(unsigned)own << 32 | (unsigned)peer : (uint64_t)(unsigned)peer << 32 | (unsigned)own;
	uint64_t key = c->id ? mix(mix(mix(world_key, ends), c->tag), (uint64_t)c->id) | 1 : 0;
	uint64_t w[4] = {weft_pair_word(peer, (int32_t)c->tag), c->size, 0, key};
	weft_record(world, (send ? WEFT_HEAD_SEND & 0xff : WEFT_HEAD_RECV & 0xff) | 4 << 8, 4, w);
}
