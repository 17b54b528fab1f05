/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop compiled twice, for any machine of this kind and for those with wider registers. NAME_body is an always-inline function
 * without a result; WEFT_WIDE(NAME, (parameters), (arguments)) defines NAME, which looks at each call which machine this is: a
 * load and a jump, so that it should do a hundred elements at least.
 */
#ifndef WEFT_BASE_WIDE_H
#define WEFT_BASE_WIDE_H

#define WEFT_BODY static inline __attribute__((always_inline)) void

#if defined __x86_64__
#define WEFT_WIDE(name, parameters, arguments) \
	__attribute__((target("avx2"))) static void name##_avx2 parameters \
	{ \
		name##_body arguments; \
	} \
	static void name parameters \
	{ \
		if (__builtin_cpu_supports("avx2")) \
			name##_avx2 arguments; \
		else \
			name##_body arguments; \
	}
/* Three times, for loops that gain from registers of 64 bytes. */
#define WEFT_WIDEST(name, parameters, arguments) \
	__attribute__((target("avx2"))) static void name##_avx2 parameters \
	{ \
		name##_body arguments; \
	} \
	__attribute__((target("arch=x86-64-v4,prefer-vector-width=512"))) static void name##_avx512 parameters \
	{ \
		name##_body arguments; \
	} \
	static void name parameters \
	{ \
		if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && \
		    __builtin_cpu_supports("avx512vl")) \
			name##_avx512 arguments; \
		else if (__builtin_cpu_supports("avx2")) \
			name##_avx2 arguments; \
		else \
			name##_body arguments; \
	}
#else
#define WEFT_WIDE(name, parameters, arguments) \
	static void name parameters \
	{ \
		name##_body arguments; \
	}
#define WEFT_WIDEST WEFT_WIDE
#endif

#endif
