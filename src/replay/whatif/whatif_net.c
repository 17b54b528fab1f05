/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of what is between ranks. The network is as its messages show it: of small ones that were waited for the median is the latency, of large
 * ones what is left, by size.
 */
#include "whatif.h"
#include <stdlib.h>

enum { SAMPLES = 4096 };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double median(double *at, unsigned n)
{
	qsort(at, n, sizeof *at, by_value);
	return n ? at[n / 2] : 0;
}

/* From the send's begin, for receivers that were there before: what the message took. */
static bool taken(const struct weft_causal *c, uint64_t message, uint64_t *ns)
{
	uint32_t s = c->send_node[message], r = c->recv_node[message];
	if (s == WEFT_CAUSAL_NONE || r == WEFT_CAUSAL_NONE || c->node[r].begin >= c->node[s].begin ||
	    c->node[r].end <= c->node[s].begin)
		return false;
	*ns = c->node[r].end - c->node[s].begin;
	return true;
}

struct weft_whatif_net weft_whatif_network(const struct weft_causal *c)
{
	enum { SMALL = 4096 };
	struct weft_whatif_net net = {0};
	const struct weft_messages *m = &c->trace->message;
	double *small = malloc(2 * SAMPLES * sizeof *small), *large = small ? small + SAMPLES : NULL;
	unsigned n_small = 0, n_large = 0;
	uint64_t ns = 0;
	for (uint64_t i = 0; small && i < m->n && n_small < SAMPLES; i++)
		if (m->size[i] <= SMALL && taken(c, i, &ns)) {
			small[n_small++] = (double)ns;
			net.n++;
		}
	net.latency_ns = small ? median(small, n_small) : 0;
	for (uint64_t i = 0; small && i < m->n && n_large < SAMPLES; i++)
		if (m->size[i] > SMALL && taken(c, i, &ns)) {
			double left = (double)ns - net.latency_ns;
			large[n_large++] = left > 0 ? left / (double)m->size[i] : 0;
			net.n++;
		}
	net.ns_per_byte = small ? median(large, n_large) : 0;
	free(small);
	return net;
}

static bool is_mpi_meeting(const struct weft_causal *c, uint32_t node)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == WEFT_CAUSAL_JOINS) {
			unsigned why = c->meeting[c->link[k].arg].why;
			return why == WEFT_CAUSAL_COLLECTIVE || why == WEFT_CAUSAL_MPI_BARRIER;
		}
	return false;
}

static bool has_message(const struct weft_causal *c, uint32_t node, uint64_t *bytes)
{
	bool any = false;
	*bytes = 0;
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind <= WEFT_CAUSAL_SENT) {
			any = true;
			*bytes += c->trace->message.size[c->link[k].arg];
		}
	return any;
}

void weft_whatif_ideal(struct weft_whatif *w)
{
	const struct weft_causal *c = w->c;
	uint64_t bytes;
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		uint64_t calls = 0;
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
			if (weft_causal_is_mpi(c, c->part[k].path))
				calls += c->part[k].ns;
		w->burst[i] = w->burst[i] > calls ? w->burst[i] - calls : 0;
		if (has_message(c, i, &bytes) || is_mpi_meeting(c, i))
			w->own[i] = w->after[i] = 0;
	}
}

void weft_whatif_net(struct weft_whatif *w, const struct weft_whatif_net *net, double latency, double per_byte)
{
	const struct weft_causal *c = w->c;
	uint64_t bytes;
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		double factor = latency;
		if (has_message(c, i, &bytes)) {
			double by_size = net->ns_per_byte * (double)bytes, all = net->latency_ns + by_size;
			factor = all > 0 ? (net->latency_ns * latency + by_size * per_byte) / all : 1;
		} else if (!is_mpi_meeting(c, i)) {
			continue;
		}
		w->own[i] = (uint64_t)((double)w->own[i] * factor);
		w->after[i] = (uint64_t)((double)w->after[i] * factor);
	}
}

/* Where an exchange begins: behind a burst that is long for this thread. */
void weft_whatif_overlap(struct weft_whatif *w, const bool *paths)
{
	enum { LONG = 10 };
	const struct weft_causal *c = w->c;
	uint64_t bytes;
	for (uint32_t t = 0; t < c->n_threads; t++) {
		uint32_t first = c->thread[t].first_node, end = first + c->thread[t].n_nodes;
		uint64_t longest = 0, since = 0;
		for (unsigned pass = 0; pass < 2; pass++, since = 0)
			for (uint32_t i = first; i < end; i++) {
				since += w->burst[i];
				if (!has_message(c, i, &bytes) || (paths && !paths[c->node[i].path]))
					continue;
				longest = since > longest ? since : longest;
				if (pass) {
					w->mode[i] |= WEFT_WHATIF_LATER | (since >= longest / LONG ? WEFT_WHATIF_SETTLES : 0);
					w->own[i] = 0;
				}
				since = 0;
			}
	}
}

/* Messages to one receiver that leave one after the other, with nothing that is waited for in between, become the first of them. */
void weft_whatif_merge(struct weft_whatif *w, const struct weft_whatif_net *net, uint64_t *n_merged)
{
	const struct weft_causal *c = w->c;
	const struct weft_messages *m = &c->trace->message;
	*n_merged = 0;
	for (uint32_t t = 0; t < c->n_threads; t++) {
		uint32_t to = WEFT_NONE;
		for (uint32_t i = c->thread[t].first_node; i < c->thread[t].first_node + c->thread[t].n_nodes; i++) {
			uint32_t k = c->node[i].first_link;
			bool sends = c->node[i + 1].first_link == k + 1 && c->link[k].kind == WEFT_CAUSAL_SEND;
			if (!sends) {
				to = c->node[i].kind == WEFT_CAUSAL_POINT ? to : WEFT_NONE;
				continue;
			}
			uint32_t message = c->link[k].arg, receiver = m->recv_thread[message], at = c->recv_node[message];
			if (receiver != WEFT_NONE && receiver == to) {
				++*n_merged;
				w->own[i] = 0;
				if (at != WEFT_CAUSAL_NONE) {
					w->own[at] = 0;
					w->after[at] = w->after[at] > (uint64_t)net->latency_ns
					                       ? w->after[at] - (uint64_t)net->latency_ns
					                       : 0;
				}
			}
			to = receiver;
		}
	}
}
