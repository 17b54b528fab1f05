/* SPDX-License-Identifier: Apache-2.0 */
/* What parallel tasks (sched_party.c) and workers that are held up (sched_hold.c) share: members who meet, and wait. */
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
	int holders;       /* who still looks at it: its members, and who holds them up */
};

extern pthread_mutex_t sched_party_lock; /* of all parties, and of who sits where */
/* A party like this one, in the queues of these members; also into *made, if it is not NULL. 0 or -ENOMEM. */
int sched_party_enrol(const struct sched_party *like, const int *members, struct sched_party **made) WEFT_MUST_CHECK;
/* Where a worker waits for others and runs nothing, or NULL. With the lock. */
struct sched_party *sched_party_sits(unsigned worker);
/* Members who have not come shall not; some other holder is left. With the lock. */
void sched_party_withdraw(struct sched_party *p);
/* One of the holders looks at it no more. With the lock. */
void sched_party_leave(struct sched_party *p);
/* What names the calling thread. */
const void *sched_hold_self(void);

#endif
