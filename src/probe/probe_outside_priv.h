/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks from registers and bytes that the kernel has put aside (probe_outside_stack.c). */
#ifndef WEFT_PROBE_OUTSIDE_PRIV_H
#define WEFT_PROBE_OUTSIDE_PRIV_H

#include "probe_outside.h"
#include <stddef.h>

enum { OUTSIDE_REGISTERS = 17 };                  /* DWARF's: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip */
#define OUTSIDE_REGS (UINT64_C(0x1ff) | 0xff0000) /* perf's bits for them */

struct outside_registers {
	uint64_t r[OUTSIDE_REGISTERS];
	const uint8_t *stack; /* from rsp on */
	size_t stack_bytes;
	/* Where the kernel has put an address of its own in the place of a return address, as it watches the return. */
	const struct outside_return *replaced;
	size_t n_replaced;
};
struct outside_return {
	uint64_t at, address;
};
/* What perf writes: abi, registers, size of the stack, its bytes, how many of these are it. False: there is none. */
bool outside_registers_read(const uint8_t *at, size_t n, struct outside_registers *out);

struct outside_stack;
/* Fills the module's build id in. */
int outside_stack_new(struct outside_stack **out, pid_t pid, const char *path, struct probe_outside_module *module,
                      struct weft_err *err) WEFT_MUST_CHECK;
void outside_stack_free(struct outside_stack *s);
/* How many addresses, one at least. *cut: it goes on beyond them; *lost: nobody knows how. */
uint32_t outside_stack_walk(struct outside_stack *s, pid_t tid, const struct outside_registers *r, uint64_t *out, uint32_t most,
                            bool *cut, bool *lost);
/* Where in the file an address of it lies. */
bool outside_offset(const struct outside_stack *s, uint64_t addr, uint64_t *offset);

#endif
