/* SPDX-License-Identifier: Apache-2.0 */
/* The cheap time is the kernel's, goes on while its stretches change, and never runs away from it; on several threads, too. */
#include "harness.h"
#include "runtime/meter/instant.h"
#include "base/clock.h"
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, SLACK_NS = 20000, LONG_NS = 300000000 };

struct looker {
	unsigned wrong, backwards, looks;
};

/* Between two looks at the kernel's clock it says what lies between them. */
static void *look(void *arg)
{
	struct looker *l = arg;
	uint64_t last = 0, end = weft_monotonic_ns() + LONG_NS;
	for (uint64_t before; (before = weft_monotonic_ns()) < end; l->looks++) {
		uint64_t now = rt_instant_ns(), after = weft_monotonic_ns();
		l->wrong += now + SLACK_NS < before || now > after + SLACK_NS;
		l->backwards += now + SLACK_NS < last;
		last = now;
	}
	return NULL;
}

TEST(time_is_that_of_the_kernel)
{
	pthread_t thread[THREADS];
	struct looker l[THREADS] = {0};
	rt_instant_begin();
	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, look, &l[i]));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		CHECK(l[i].looks > 0);
		CHECK(l[i].wrong == 0);
		CHECK(l[i].backwards == 0);
	}
}
