/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of codelets packed into one piece of memory, and taken out again. The layout is StarPU's, nothing aligned, since
 * programs compute the size of such memory themselves:
 *
 *     int number of arguments | size_t size, bytes | size_t size, bytes | …
 */
#include "runtime/task/complain.h"
#include "pack_args.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 128 };

void starpu_codelet_pack_arg_init(struct starpu_codelet_pack_arg_data *state)
{
	*state = (struct starpu_codelet_pack_arg_data){.arg_buffer_used = RT_PACKED_HEAD_BYTES};
}

void starpu_codelet_pack_arg(struct starpu_codelet_pack_arg_data *state, const void *ptr, size_t ptr_size)
{
	size_t need = state->arg_buffer_used + sizeof ptr_size + ptr_size;
	if (need > state->arg_buffer_size) {
		size_t size = state->arg_buffer_size ? 2 * need : need > FIRST_BYTES ? need : FIRST_BYTES;
		char *more = realloc(state->arg_buffer, size);
		if (!more)
			rt_misuse("no memory for the arguments of a task");
		state->arg_buffer = more;
		state->arg_buffer_size = size;
	}
	char *at = state->arg_buffer + state->arg_buffer_used;
	memcpy(at, &ptr_size, sizeof ptr_size);
	if (ptr_size)
		memcpy(at + sizeof ptr_size, ptr, ptr_size);
	state->arg_buffer_used = need;
	state->nargs++;
}

void starpu_codelet_pack_arg_fini(struct starpu_codelet_pack_arg_data *state, void **cl_arg, size_t *cl_arg_size)
{
	int n = state->nargs;
	*cl_arg = state->arg_buffer;
	if (cl_arg_size)
		*cl_arg_size = state->arg_buffer ? state->arg_buffer_used : 0;
	if (state->arg_buffer)
		memcpy(state->arg_buffer, &n, sizeof n);
	else if (cl_arg_size && n == 0)
		*cl_arg_size = 0;
}

void rt_pack_values(struct starpu_codelet_pack_arg_data *state, va_list ap)
{
	while (va_arg(ap, int) == STARPU_VALUE) {
		const void *ptr = va_arg(ap, const void *);
		starpu_codelet_pack_arg(state, ptr, va_arg(ap, size_t));
	}
}

void starpu_codelet_pack_args(void **arg_buffer, size_t *arg_buffer_size, ...)
{
	struct starpu_codelet_pack_arg_data state;
	va_list ap;
	starpu_codelet_pack_arg_init(&state);
	va_start(ap, arg_buffer_size);
	rt_pack_values(&state, ap);
	va_end(ap);
	starpu_codelet_pack_arg_fini(&state, arg_buffer, arg_buffer_size);
}

void starpu_codelet_unpack_arg_init(struct starpu_codelet_pack_arg_data *state, void *cl_arg, size_t cl_arg_size)
{
	int n = 0;
	if (!cl_arg)
		rt_misuse("starpu_codelet_unpack_arg_init: there are no packed arguments");
	memcpy(&n, cl_arg, sizeof n);
	*state = (struct starpu_codelet_pack_arg_data){.arg_buffer = cl_arg,
	                                               .arg_buffer_size = cl_arg_size,
	                                               .current_offset = sizeof n,
	                                               .nargs = n};
}

/* The next argument where it lies; what comes after it is next. */
static void *next(struct starpu_codelet_pack_arg_data *state, size_t *size)
{
	size_t bytes;
	if (state->nargs <= 0 || state->current_offset + sizeof bytes > state->arg_buffer_size)
		rt_misuse("more arguments are unpacked than were packed");
	memcpy(&bytes, state->arg_buffer + state->current_offset, sizeof bytes);
	void *at = state->arg_buffer + state->current_offset + sizeof bytes;
	state->current_offset += sizeof bytes + bytes;
	state->nargs--;
	*size = bytes;
	return at;
}

void starpu_codelet_unpack_arg(struct starpu_codelet_pack_arg_data *state, void *ptr, size_t size)
{
	size_t packed;
	const void *at = next(state, &packed);
	if (packed != size)
		rt_misuse("an argument of %zu bytes is unpacked, and %zu were packed", size, packed);
	memcpy(ptr, at, packed);
}

void starpu_codelet_dup_arg(struct starpu_codelet_pack_arg_data *state, void **ptr, size_t *size)
{
	const void *at = next(state, size);
	*ptr = malloc(*size ? *size : 1);
	if (!*ptr)
		rt_misuse("no memory for an argument of a task");
	memcpy(*ptr, at, *size);
}

void starpu_codelet_pick_arg(struct starpu_codelet_pack_arg_data *state, void **ptr, size_t *size)
{
	*ptr = next(state, size);
}

void starpu_codelet_unpack_discard_arg(struct starpu_codelet_pack_arg_data *state)
{
	size_t size;
	next(state, &size);
}

void starpu_codelet_unpack_arg_fini(struct starpu_codelet_pack_arg_data *state)
{
	state->arg_buffer = NULL;
}

/* Into the pointers of the list, until one is NULL; what is left is in `state`. */
static void unpack_list(struct starpu_codelet_pack_arg_data *state, va_list ap)
{
	while (state->nargs > 0) {
		void *ptr = va_arg(ap, void *);
		size_t size;
		if (!ptr)
			return;
		const void *at = next(state, &size);
		memcpy(ptr, at, size);
	}
}

void starpu_codelet_unpack_args(void *cl_arg, ...)
{
	struct starpu_codelet_pack_arg_data state;
	va_list ap;
	starpu_codelet_unpack_arg_init(&state, cl_arg, SIZE_MAX);
	va_start(ap, cl_arg);
	unpack_list(&state, ap);
	va_end(ap);
}

void starpu_codelet_unpack_args_and_copyleft(void *cl_arg, void *buffer, size_t buffer_size, ...)
{
	struct starpu_codelet_pack_arg_data state;
	va_list ap;
	starpu_codelet_unpack_arg_init(&state, cl_arg, SIZE_MAX);
	va_start(ap, buffer_size);
	unpack_list(&state, ap);
	va_end(ap);
	int left = state.nargs;
	size_t used = sizeof left;
	if (!buffer || buffer_size < sizeof left)
		return;
	memcpy(buffer, &left, sizeof left);
	const char *from = state.arg_buffer + state.current_offset;
	while (state.nargs > 0) {
		size_t size;
		next(&state, &size);
	}
	size_t bytes = (size_t)(state.arg_buffer + state.current_offset - from);
	if (used + bytes > buffer_size)
		rt_misuse("starpu_codelet_unpack_args_and_copyleft: %zu bytes are left, and there is room for %zu", used + bytes,
		          buffer_size);
	memcpy((char *)buffer + used, from, bytes);
}
