/* SPDX-License-Identifier: Apache-2.0 */
/* A program that was written for Extrae: what it tells is known, and record_extrae.t holds the trace to it. */
#include <extrae_user_events.h>
#include <stdio.h>

__attribute__((noinline)) void inner(unsigned n)
{
	Extrae_user_function(1);
	Extrae_event(1000, n);
	Extrae_event(1000, 0);
	Extrae_user_function(0);
}

__attribute__((noinline)) void helper(unsigned enter)
{
	Extrae_user_function_at_level(enter, 1);
}

void outer(void)
{
	helper(1);
	Extrae_event(1000, 9);
	helper(0);
}

static void define_phases(void)
{
	extrae_type_t type = 2000;
	unsigned n = 2;
	extrae_value_t value[] = {1, 2};
	char *label[] = {"one", "two"};
	Extrae_define_event_type(&type, "Phase", &n, value, label);
}

static void tell_messages(void)
{
	struct extrae_UserCommunication c[2];
	struct extrae_CombinedEvents e;
	Extrae_init_UserCommunication(&c[0]);
	c[0].type = EXTRAE_USER_SEND;
	c[0].tag = 7;
	c[0].size = 128;
	c[0].partner = EXTRAE_COMM_PARTNER_MYSELF;
	c[0].id = 9;
	c[1] = c[0];
	c[1].type = EXTRAE_USER_RECV;
	Extrae_init_CombinedEvents(&e);
	e.nCommunications = 2;
	e.Communications = c;
	Extrae_emit_CombinedEvents(&e);
}

int main(void)
{
	extrae_type_t type[3] = {10, 11, 12};
	extrae_value_t value[3] = {1, 2, 3};
	if (!Extrae_event) {
		puts("no Extrae");
		return 0;
	}
	Extrae_init();
	Extrae_event(2000, 1);
	define_phases();
	for (unsigned i = 1; i < 4; i++)
		inner(i);
	outer();
	Extrae_event(2000, 2);
	Extrae_register_stacked_type(3000);
	Extrae_event(3000, 5);
	Extrae_event(3000, 6);
	Extrae_event(3000, 0);
	Extrae_event(3000, 0);
	Extrae_nevent(3, type, value);
	tell_messages();
	printf("recording: %d\n", Extrae_is_initialized() != EXTRAE_NOT_INITIALIZED);
	Extrae_shutdown();
	Extrae_event(1000, 77);
	printf("recording: %d\n", Extrae_is_initialized() != EXTRAE_NOT_INITIALIZED);
	Extrae_restart();
	Extrae_event(1000, 78);
	Extrae_fini();
	return 0;
}
