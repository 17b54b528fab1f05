/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call stacks of a process from outside, by libdw: from its registers and a copy of the top of its stack, with the tables of the program's
 * file, be they sorted or (static programs) not. Memory but that copy is not read: what is deeper is cut off.
 */
#include "probe_outside_priv.h"
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct outside_stack {
	Dwfl *dwfl;
	Elf *elf;
	int fd;
	pid_t tid; /* whose stack is walked */
	const struct outside_registers *registers;
	uint64_t *out;
	uint32_t n, most;
	bool cut, beyond; /* beyond: memory was wanted that was not copied */
};

/* ---- what perf writes ---- */

bool outside_registers_read(const uint8_t *at, size_t n, struct outside_registers *out)
{
	/* By DWARF's number, the place among those that perf writes, which are in the order of its bits. */
	static const uint8_t place[OUTSIDE_REGISTERS] = {0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8};
	uint64_t word[1 + OUTSIDE_REGISTERS + 1], bytes;
	if (n < 8)
		return false;
	memcpy(word, at, 8);
	if (!word[0] || n < sizeof word) /* no registers of the program: a thread of the kernel's */
		return false;
	memcpy(word, at, sizeof word);
	for (unsigned i = 0; i < OUTSIDE_REGISTERS; i++)
		out->r[i] = word[1 + place[i]];
	bytes = word[1 + OUTSIDE_REGISTERS];
	out->stack = at + sizeof word;
	out->stack_bytes = out->n_replaced = 0;
	if (bytes && bytes <= n - sizeof word - 8) {
		uint64_t there;
		memcpy(&there, out->stack + bytes, 8);
		out->stack_bytes = there < bytes ? (size_t)there : (size_t)bytes;
	}
	return true;
}

/* ---- libdw's callbacks ---- */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct outside_stack *s = arg;
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = s;
	return s->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *out, void *arg)
{
	struct outside_stack *s = arg;
	const struct outside_registers *r = s->registers;
	uint64_t offset = at - r->r[7];
	(void)dwfl;
	if (offset > r->stack_bytes || r->stack_bytes - offset < sizeof *out) {
		s->beyond = true;
		return false;
	}
	memcpy(out, r->stack + offset, sizeof *out);
	for (size_t i = 0; i < r->n_replaced; i++)
		if (r->replaced[i].at == at)
			*out = r->replaced[i].address;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct outside_stack *s = arg;
	Dwarf_Word word[OUTSIDE_REGISTERS];
	for (unsigned i = 0; i < OUTSIDE_REGISTERS; i++)
		word[i] = s->registers->r[i];
	return dwfl_thread_state_registers(thread, 0, OUTSIDE_REGISTERS, word);
}

static int see_frame(Dwfl_Frame *frame, void *arg)
{
	struct outside_stack *s = arg;
	Dwarf_Addr pc;
	bool exact;
	if (!dwfl_frame_pc(frame, &pc, &exact) || !pc)
		return DWARF_CB_ABORT;
	if (s->n == s->most) {
		s->cut = true;
		return DWARF_CB_ABORT;
	}
	s->out[s->n] = pc + (exact && s->n);
	s->n++;
	return DWARF_CB_OK;
}

/* ---- begin, walk, end ---- */

static void read_build_id(struct outside_stack *s, struct probe_outside_module *out)
{
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(s->elf, &id);
	if (n > 0 && (size_t)n <= sizeof out->build_id) {
		memcpy(out->build_id, id, (size_t)n);
		out->build_id_bytes = (size_t)n;
	}
}

static int begin_dwfl(struct outside_stack *s, pid_t pid)
{
	static char *no_debug = NULL;
	static const Dwfl_Callbacks files = {.find_elf = dwfl_linux_proc_find_elf,
	                                     .find_debuginfo = dwfl_standard_find_debuginfo,
	                                     .debuginfo_path = &no_debug};
	static const Dwfl_Thread_Callbacks threads = {.next_thread = next_thread,
	                                              .get_thread = get_thread,
	                                              .memory_read = read_memory,
	                                              .set_initial_registers = set_registers};
	s->dwfl = dwfl_begin(&files);
	if (!s->dwfl)
		return -ENOMEM;
	dwfl_report_begin(s->dwfl);
	if (dwfl_linux_proc_report(s->dwfl, pid) || dwfl_report_end(s->dwfl, NULL, NULL))
		return -EIO;
	return dwfl_attach_state(s->dwfl, s->elf, pid, &threads, s) ? 0 : -EIO;
}

int outside_stack_new(struct outside_stack **out, pid_t pid, const char *path, struct probe_outside_module *module,
                      struct weft_err *err)
{
	struct outside_stack *s = calloc(1, sizeof *s);
	*out = s;
	if (!s)
		return weft_err_set(err, -ENOMEM, "out of memory");
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	elf_version(EV_CURRENT);
	s->elf = s->fd < 0 ? NULL : elf_begin(s->fd, ELF_C_READ_MMAP, NULL);
	if (!s->elf)
		return weft_err_set(err, -EIO, "cannot read '%s'", path);
	read_build_id(s, module);
	return begin_dwfl(s, pid) ? weft_err_set(err, -EIO, "cannot read the tables of '%s': %s", path, dwfl_errmsg(-1)) : 0;
}

void outside_stack_free(struct outside_stack *s)
{
	if (!s)
		return;
	dwfl_end(s->dwfl);
	elf_end(s->elf);
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

uint32_t outside_stack_walk(struct outside_stack *s, pid_t tid, const struct outside_registers *r, uint64_t *out, uint32_t most,
                            bool *cut, bool *lost)
{
	s->tid = tid;
	s->registers = r;
	s->out = out;
	s->n = 0;
	s->most = most;
	s->cut = s->beyond = false;
	int rc = dwfl_getthread_frames(s->dwfl, tid, see_frame, s); /* what it has seen until it failed stands */
	if (!s->n)
		out[s->n++] = r->r[16];
	*cut = s->cut || s->beyond;
	*lost = rc < 0 && !*cut;
	return s->n;
}

bool outside_offset(const struct outside_stack *s, uint64_t addr, uint64_t *offset)
{
	size_t n = 0;
	GElf_Phdr h;
	if (elf_getphdrnum(s->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(s->elf, (int)i, &h) || h.p_type != PT_LOAD || addr < h.p_vaddr ||
		    addr - h.p_vaddr >= h.p_filesz)
			continue;
		*offset = addr - h.p_vaddr + h.p_offset;
		return true;
	}
	return false;
}
