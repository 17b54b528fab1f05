/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by parallel tasks (sched_party.c) and held workers (sched_hold.c): members that meet, and
 * wait.
 */
#ifndef WEFT_RUNTIME_SCHED_PARTY_H
#define WEFT_RUNTIME_SCHED_PARTY_H

#include "sched.h"

struct sched_party {
	struct starpu_task *task; /* NULL: its members are held up until it is `over` */
	int id, size, members[STARPU_NMAXWORKERS];
	pthread_cond_t changed;
	int arrived, done;
	unsigned node;     /* where the data are */
	bool spmd;         /* all run the function */
	bool open;         /* the function may be called */
	bool over;         /* of one without a task */
	const void *owner; /* the thread that holds them up, if it runs meanwhile */
	bool lent;         /* which waits for more, and does not run */
	int holders;       /* references: of its members and of the threads that hold them */
};

extern pthread_mutex_t sched_party_lock; /* of all parties and their members' queues */
/*
 * A party like this one, in the queues of these members; also into *made, if it is not NULL. 0 or
 * -ENOMEM.
 */
int sched_party_enrol(const struct sched_party *like, const int *members, struct sched_party **made) WEFT_MUST_CHECK;
/* Where a worker waits for others and runs nothing, or NULL. With the lock. */
struct sched_party *sched_party_sits(unsigned worker);
/* Members that have not joined must not; another reference is left. With the lock. */
void sched_party_withdraw(struct sched_party *p);
/* Unref. With the lock. */
void sched_party_leave(struct sched_party *p);
/* An id of the calling thread. */
const void *sched_hold_self(void);

#endif
