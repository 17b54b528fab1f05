/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether events may be stamped by the processor's time stamp counter (TSC): what is known of it, and what follows. For the recorder and
 * for `weft doctor`, which says it.
 */
#ifndef WEFT_RECORD_REC_TRUST_H
#define WEFT_RECORD_REC_TRUST_H

#include <stdbool.h>
#include <stdint.h>

enum rec_hypervisor { REC_HV_NONE, REC_HV_KVM, REC_HV_HYPERV, REC_HV_XEN, REC_HV_VMWARE, REC_HV_OTHER, REC_HYPERVISORS };
enum rec_agree { REC_AGREE_UNKNOWN, REC_AGREE_YES, REC_AGREE_NO };

struct rec_tsc_facts {
	bool there;     /* a processor with a counter that we know */
	bool invariant; /* it runs at one rate in all states of power, says the processor */
	bool readable;  /* by this process (prctl PR_SET_TSC) */
	bool listed;    /* the kernel has it among its clock sources, from which it takes what it has found wrong */
	/* Where it is not listed: */
	enum rec_hypervisor hypervisor;
	bool stable;          /* which says that its clock, made of the counter, is the same on all virtual cpus */
	enum rec_agree agree; /* and so have we found it, against CLOCK_MONOTONIC on each */
};
/* Whether it is used; *why: a text, never NULL. */
bool rec_tsc_trusted(const struct rec_tsc_facts *facts, const char **why);
/* Of this machine. Moves this thread from cpu to cpu for some microseconds each where the hypervisor's word has to be checked. */
void rec_tsc_look(struct rec_tsc_facts *out);

/* One reading on one cpu: both clocks at one instant, give or take `wide` ticks. */
struct rec_reading {
	uint64_t ticks, ns, wide;
};
/*
 * The first and the last of n readings are of one cpu, the others of others: whether all lie on the line through those two, as well as
 * they can be seen.
 */
enum rec_agree rec_tsc_agree(const struct rec_reading *at, unsigned n);

#endif
