/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user's program, free of races, that does with libweft all that it may: for ThreadSanitizer, which is to find nothing. Threads that
 * record more than a stream's free pages hold, so that pages change hands; that define the same things at once; that come and go, have
 * names, switch, stop, start, save and ask; signal handlers that record; children that record.
 */
#include <weft/record.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 8, EVENTS = 900, SHORT = 20, CHILDREN = 4 };

WEFT_REGION(whole, "whole", WEFT_STATE_RUNNING);
static weft_type from_handler = WEFT_OFF;
static weft_category noise = WEFT_OFF;
static _Atomic int ready;

static void handler(int sig)
{
	(void)sig;
	weft_point(from_handler, 1);
	weft_enter(whole);
	weft_leave(whole);
}

static void *long_one(void *arg)
{
	char name[40];
	snprintf(name, sizeof name, "long %d", *(int *)arg);
	weft_name_thread(name);
	weft_region r = weft_define_region("round", WEFT_STATE_RUNNING, noise);
	weft_type t = weft_define_type("number", "", 0);
	weft_comm world = weft_define_comm("world", 1, NULL, 0);
	weft_flow flow = weft_define_flow("arrow", 0);
	weft_counter counter = weft_define_counter("counter", "", 0);
	weft_set set = weft_define_set("set", &counter, 1, 0);
	atomic_fetch_add(&ready, 1);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t value = (uint64_t)i;
		for (int k = 0; k < EVENTS; k++) {
			uint64_t began = weft_ticks();
			weft_enter_flow(r, flow, (uint64_t)k);
			weft_point(t, k);
			weft_send_since(world, 0, 1, 8, began);
			weft_recv_since(world, 0, 1, 8, began);
			weft_count_set(set, &value, 1);
			weft_leave(r);
		}
		pthread_kill(pthread_self(), SIGUSR1);
		weft_define_string(name);
	}
	return NULL;
}

static void *short_one(void *arg)
{
	weft_region r = weft_define_region("short", WEFT_STATE_RUNNING, 0);
	for (int i = 0; i < 700; i++) {
		weft_enter(r);
		weft_leave(r);
	}
	return arg;
}

static void *comes_and_goes(void *arg)
{
	for (int i = 0; i < SHORT; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, short_one, arg))
			abort();
		pthread_join(thread, NULL);
	}
	return NULL;
}

static void *controls(void *arg)
{
	struct weft_status s;
	while (atomic_load(&ready) < THREADS)
		usleep(1000);
	for (int i = 0; i < 20; i++) {
		weft_get_status(&s);
		weft_switch(noise, i % 2);
		weft_flush();
		if (i == 5)
			(void)weft_save(NULL);
		if (i == 10) {
			weft_stop();
			(void)weft_start(NULL);
		}
		weft_name_process(i % 2 ? "one" : "two");
		weft_set_rank(0, 1);
		weft_sync((uint64_t)i, 100);
		usleep(2000);
	}
	return arg;
}

static void fork_once(void)
{
	pid_t child = fork();
	if (child == 0) {
		weft_region r = weft_define_region("child", WEFT_STATE_RUNNING, 0);
		for (int i = 0; i < 3000; i++) {
			weft_enter(r);
			weft_leave(r);
		}
		exit(0);
	}
	int status = -1;
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		abort();
}

int main(int argc, char **argv)
{
	struct sigaction on_signal = {.sa_handler = handler, .sa_flags = SA_RESTART};
	pthread_t thread[THREADS + 2];
	int number[THREADS];
	if (argc > 1 && weft_start(argv[1]))
		return 3;
	noise = weft_define_category("noise", 1);
	from_handler = weft_define_type("from a handler", "", 0);
	sigaction(SIGUSR1, &on_signal, NULL);
	weft_enter(whole);
	for (int i = 0; i < THREADS; i++) {
		number[i] = i;
		pthread_create(&thread[i], NULL, long_one, &number[i]);
	}
	pthread_create(&thread[THREADS], NULL, comes_and_goes, NULL);
	pthread_create(&thread[THREADS + 1], NULL, controls, NULL);
	for (int i = 0; i < THREADS + 2; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < CHILDREN; i++)
		fork_once();
	weft_leave(whole);
	puts("ended");
	return 0;
}
