/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as they are: copies, changes, their end. How they are made: program_build.c. */
#include "program.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *const weft_replay_fault_texts[WEFT_REPLAY_FAULTS] = {
	[WEFT_REPLAY_UNSENT] = "messages are received that nobody sends",
	[WEFT_REPLAY_UNRECEIVED] = "messages are sent that nobody receives",
	[WEFT_REPLAY_BACKWARD] = "messages are received before they are sent: clocks differ",
	[WEFT_REPLAY_PARTIAL] = "collective operations are not called by all members of their communicator",
	[WEFT_REPLAY_MIXED] = "members of a communicator call different collective operations at the same point",
	[WEFT_REPLAY_OUTSIDE] = "messages or collective operations stand outside of all calls",
	[WEFT_REPLAY_TRUNCATED] = "threads end inside of a call",
	[WEFT_REPLAY_STRANGER] = "threads call a collective operation of a communicator that they are no member of",
};

static struct weft_replay_op *map_ops(uint64_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

int weft_replay_program_copy(struct weft_replay_program **out, const struct weft_replay_program *of, bool share)
{
	struct weft_replay_program *p = malloc(sizeof *p);
	*out = NULL;
	if (!p)
		return -ENOMEM;
	*p = *of;
	p->of = of;
	p->op_bytes = 0;
	memset(&p->arena, 0, sizeof p->arena);
	if (!share && of->n_ops) {
		p->op_bytes = of->n_ops * sizeof *of->op;
		p->op = map_ops(p->op_bytes);
		if (!p->op) {
			free(p);
			return -ENOMEM;
		}
		memcpy(p->op, of->op, p->op_bytes);
	}
	*out = p;
	return 0;
}

void weft_replay_program_free(struct weft_replay_program *p)
{
	if (!p)
		return;
	if (p->op_bytes)
		munmap(p->op, p->op_bytes);
	if (!p->of || p->is_part) {
		free(p->thread);
		free(p->message);
		free(p->part);
		free(p->gather);
	}
	if (!p->of) {
		free(p->edge_op);
		free(p->rank);
		free(p->comm);
		free(p->member);
		free(p->place);
	}
	weft_arena_fini(&p->arena);
	free(p);
}

uint64_t weft_replay_program_scale(struct weft_replay_program *p, const bool *which, uint32_t rank, double factor)
{
	uint64_t n = 0;
	for (uint32_t t = 0; t < p->n_threads; t++) {
		const struct weft_replay_thread *thread = &p->thread[t];
		if (rank != WEFT_NONE && thread->rank != rank)
			continue;
		for (uint64_t i = thread->first_op; i < thread->first_op + thread->n_ops; i++)
			if (p->op[i].kind == WEFT_REPLAY_BURST && (!which || which[p->op[i].place])) {
				p->op[i].ns *= factor;
				n++;
			}
	}
	return n;
}

uint32_t weft_replay_place_find(const struct weft_replay_program *p, const char *name)
{
	for (uint32_t i = 1; i < p->n_places; i++)
		if (strcmp(p->place[i], name) == 0)
			return i;
	return 0;
}
