/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's own account of each thread that ends (taskstats, over generic netlink): its CPU time and how it ended. Whoever may
 * administrate the network gets it of all threads of the machine; in a container, or where the kernel was built without, there is none.
 *
 * A thread's account is sent before the record of its end is written into a ring of perf: what the rings told is in the socket already.
 */
#include "record_watch_taskstats.h"
#include "base/vec.h"
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/taskstats.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ROOM_BYTES (4 << 20) /* some 8000 threads between two looks */
#define MESSAGE_BYTES 4096
#define US_NS UINT64_C(1000)

struct record_taskstats {
	int fd;
	uint16_t family;
	WEFT_VEC(struct record_account) account;
	WEFT_VEC(uint32_t) unused;  /* places in `account` */
	struct weft_map account_of; /* tid -> place */
};

/* ---- messages ---- */

struct message {
	struct nlmsghdr head;
	struct genlmsghdr generic;
	uint8_t body[256];
};

/* The first attribute of that kind in [at, at + n); NULL: none. */
static const struct nlattr *find(const uint8_t *at, size_t n, unsigned kind)
{
	while (n >= sizeof(struct nlattr)) {
		const struct nlattr *a = (const void *)at;
		size_t step = NLA_ALIGN(a->nla_len);
		if (a->nla_len < sizeof *a || a->nla_len > n)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == kind)
			return a;
		if (step > n)
			return NULL;
		at += step;
		n -= step;
	}
	return NULL;
}

static const uint8_t *body_of(const struct nlattr *a, size_t *n)
{
	*n = a->nla_len - NLA_HDRLEN;
	return (const uint8_t *)a + NLA_HDRLEN;
}

/* One command with one text. */
static int ask(int fd, uint16_t family, uint8_t command, uint16_t kind, const char *text)
{
	size_t n = strlen(text) + 1;
	struct message m = {.generic = {.cmd = command, .version = 1}};
	struct nlattr a = {.nla_len = (uint16_t)(NLA_HDRLEN + n), .nla_type = kind};
	if (NLA_HDRLEN + n > sizeof m.body)
		return -EINVAL;
	memcpy(m.body, &a, sizeof a);
	memcpy(m.body + NLA_HDRLEN, text, n);
	m.head = (struct nlmsghdr){.nlmsg_len = (uint32_t)(NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(NLA_HDRLEN + n)),
	                           .nlmsg_type = family,
	                           .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK};
	return send(fd, &m, m.head.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* The answer to `ask`: 0, or what the kernel has against it. The body of what it sent before that, where it is the family. */
static int wait_answer(int fd, uint16_t *family)
{
	_Alignas(8) uint8_t at[MESSAGE_BYTES];
	for (;;) {
		ssize_t n = recv(fd, at, sizeof at, 0);
		if (n < 0)
			return -errno;
		for (const struct nlmsghdr *h = (const void *)at; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_type == NLMSG_ERROR)
				return ((const struct nlmsgerr *)NLMSG_DATA(h))->error;
			const uint8_t *body = (const uint8_t *)NLMSG_DATA(h) + GENL_HDRLEN;
			const struct nlattr *id = find(body, h->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN), CTRL_ATTR_FAMILY_ID);
			if (id && family)
				memcpy(family, (const uint8_t *)id + NLA_HDRLEN, sizeof *family);
		}
	}
}

/* ---- */

static int connect_kernel(struct record_taskstats *t)
{
	char cpus[32];
	struct sockaddr_nl to = {.nl_family = AF_NETLINK};
	int room = ROOM_BYTES;
	struct timeval patience = {.tv_sec = 1};
	t->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	if (t->fd < 0 || connect(t->fd, (struct sockaddr *)&to, sizeof to))
		return -errno;
	if (setsockopt(t->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room))
		(void)setsockopt(t->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	(void)setsockopt(t->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	int rc = ask(t->fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
	if (!rc)
		rc = wait_answer(t->fd, &t->family);
	snprintf(cpus, sizeof cpus, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
	if (!rc)
		rc = ask(t->fd, t->family, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
	return rc ? rc : wait_answer(t->fd, NULL);
}

int record_taskstats_open(struct record_taskstats **out)
{
	struct record_taskstats *t = calloc(1, sizeof *t);
	*out = NULL;
	if (!t)
		return -ENOMEM;
	int rc = connect_kernel(t);
	if (rc) {
		record_taskstats_close(t);
		return rc;
	}
	*out = t;
	return 0;
}

static void keep(struct record_taskstats *t, pid_t tid, const struct record_account *a)
{
	uint32_t place = t->unused.n ? t->unused.at[t->unused.n - 1] : (uint32_t)t->account.n;
	uint64_t old;
	if (weft_map_get(&t->account_of, (uint64_t)tid, &old)) {
		t->account.at[old] = *a;
		return;
	}
	if (weft_map_put(&t->account_of, (uint64_t)tid, place))
		return;
	if (t->unused.n)
		t->account.at[place] = *a;
	else if (weft_vec_push(&t->account, *a))
		weft_map_del(&t->account_of, (uint64_t)tid);
	t->unused.n -= t->unused.n > 0;
}

/* Of a thread; that of a whole process, which follows the last of them, has other things. */
static void take(struct record_taskstats *t, const uint8_t *body, size_t n)
{
	struct taskstats s = {0};
	const struct nlattr *of = find(body, n, TASKSTATS_TYPE_AGGR_PID), *stats;
	size_t bytes;
	if (!of)
		return;
	body = body_of(of, &n);
	stats = find(body, n, TASKSTATS_TYPE_STATS);
	if (!stats)
		return;
	body = body_of(stats, &bytes);
	memcpy(&s, body, bytes < sizeof s ? bytes : sizeof s);
	struct record_account a = {
		.cpu = {RECORD_CPU_OF_THREAD, true, s.cpu_run_virtual_total, s.ac_utime * US_NS, s.ac_stime * US_NS},
		.status = (int)s.ac_exitcode,
	};
	keep(t, (pid_t)s.ac_pid, &a);
}

void record_taskstats_fetch(struct record_taskstats *t)
{
	_Alignas(8) uint8_t at[MESSAGE_BYTES];
	for (;;) {
		ssize_t n = recv(t->fd, at, sizeof at, MSG_DONTWAIT);
		if (n < 0 && (errno == ENOBUFS || errno == EINTR))
			continue; /* threads whose account is lost have none */
		if (n <= 0)
			return;
		for (const struct nlmsghdr *h = (const void *)at; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n))
			if (h->nlmsg_type == t->family && h->nlmsg_len >= NLMSG_LENGTH(GENL_HDRLEN))
				take(t, (const uint8_t *)NLMSG_DATA(h) + GENL_HDRLEN, h->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN));
	}
}

bool record_taskstats_take(struct record_taskstats *t, pid_t tid, struct record_account *out)
{
	uint64_t place;
	if (!weft_map_get(&t->account_of, (uint64_t)tid, &place))
		return false;
	*out = t->account.at[place];
	weft_map_del(&t->account_of, (uint64_t)tid);
	if (weft_vec_push(&t->unused, (uint32_t)place))
		return true; /* its place is not used again */
	return true;
}

void record_taskstats_close(struct record_taskstats *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	free(t->account.at);
	free(t->unused.at);
	weft_map_fini(&t->account_of);
	free(t);
}
