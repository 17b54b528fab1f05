/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are the same in all traces: of counters, and of what is said of a collective operation. */
#include "prv_counters.h"
#include "trace/store/trace.h"
#include <string.h>

enum { PRESETS = 42000000, USAGE = 45000000, MEMORY = 46000000 };

/* PAPI's, in the order of their numbers. */
static const char *const presets[] = {
	"L1_DCM",  "L1_ICM",  "L2_DCM",  "L2_ICM",  "L3_DCM",  "L3_ICM",  "L1_TCM",  "L2_TCM",  "L3_TCM",  "CA_SNP",  "CA_SHR",
	"CA_CLN",  "CA_INV",  "CA_ITV",  "L3_LDM",  "L3_STM",  "BRU_IDL", "FXU_IDL", "FPU_IDL", "LSU_IDL", "TLB_DM",  "TLB_IM",
	"TLB_TL",  "L1_LDM",  "L1_STM",  "L2_LDM",  "L2_STM",  "BTAC_M",  "PRF_DM",  "L3_DCH",  "TLB_SD",  "CSR_FAL", "CSR_SUC",
	"CSR_TOT", "MEM_SCY", "MEM_RCY", "MEM_WCY", "STL_ICY", "FUL_ICY", "STL_CCY", "FUL_CCY", "HW_INT",  "BR_UCN",  "BR_CN",
	"BR_TKN",  "BR_NTK",  "BR_MSP",  "BR_PRC",  "FMA_INS", "TOT_IIS", "TOT_INS", "INT_INS", "FP_INS",  "LD_INS",  "SR_INS",
	"BR_INS",  "VEC_INS", "RES_STL", "FP_STAL", "TOT_CYC", "LST_INS", "SYC_INS", "L1_DCH",  "L2_DCH",  "L1_DCA",  "L2_DCA",
	"L3_DCA",  "L1_DCR",  "L2_DCR",  "L3_DCR",  "L1_DCW",  "L2_DCW",  "L3_DCW",  "L1_ICH",  "L2_ICH",  "L3_ICH",  "L1_ICA",
	"L2_ICA",  "L3_ICA",  "L1_ICR",  "L2_ICR",  "L3_ICR",  "L1_ICW",  "L2_ICW",  "L3_ICW",  "L1_TCH",  "L2_TCH",  "L3_TCH",
	"L1_TCA",  "L2_TCA",  "L3_TCA",  "L1_TCR",  "L2_TCR",  "L3_TCR",  "L1_TCW",  "L2_TCW",  "L3_TCW",  "FML_INS", "FAD_INS",
	"FDV_INS", "FSQ_INS", "FNV_INS", "FP_OPS",  "SP_OPS",  "DP_OPS",  "VEC_SP",  "VEC_DP",  "REF_CYC",
};

/* What the kernel calls the presets' events, and Weft the others. */
static const struct {
	const char *name;
	uint32_t number;
} known[] = {
	{"cpu-cycles", PRESETS + 59},
	{"cycles", PRESETS + 59},
	{"instructions", PRESETS + 50},
	{"ref-cycles", PRESETS + 107},
	{"branches", PRESETS + 55},
	{"branch-misses", PRESETS + 46},
	{"cache-references", PRESETS + 90},
	{"cache-misses", PRESETS + 8},
	{"L1-dcache-loads", PRESETS + 53},
	{"L1-dcache-stores", PRESETS + 54},
	{"L1-dcache-load-misses", PRESETS},
	{"L1-icache-load-misses", PRESETS + 1},
	{"LLC-loads", PRESETS + 69},
	{"LLC-load-misses", PRESETS + 14},
	{"LLC-store-misses", PRESETS + 15},
	{"dTLB-load-misses", PRESETS + 20},
	{"iTLB-load-misses", PRESETS + 21},
	{"stalled-cycles-frontend", PRESETS + 37},
	{"stalled-cycles-backend", PRESETS + 57},
	{"user-time", USAGE},
	{"system-time", USAGE + 1},
	{"minor-faults", USAGE + 6},
	{"major-faults", USAGE + 7},
	{"blocks-read", USAGE + 9},
	{"blocks-written", USAGE + 10},
	{"voluntary-switches", USAGE + 14},
	{"involuntary-switches", USAGE + 15},
	{"heap", MEMORY + 4},
	{"heap-brk", MEMORY},
	{"heap-mmap", MEMORY + 1},
	{"heap-used", MEMORY + 2},
	{"heap-free", MEMORY + 3},
	{"memory in use", MEMORY + 4},
};

bool prv_papi_number(struct weft_str name, uint32_t *number)
{
	if (name.n < 6 || memcmp(name.at, "PAPI_", 5) != 0)
		return false;
	for (uint32_t i = 0; i < sizeof presets / sizeof *presets; i++)
		if (weft_str_eq(weft_str_n(name.at + 5, name.n - 5), presets[i])) {
			*number = PRESETS + i;
			return true;
		}
	return false;
}

uint32_t prv_counter_fixed(const char *name)
{
	uint32_t number = 0;
	if (prv_papi_number(weft_str(name), &number))
		return number;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i].name, name))
			return known[i].number;
	return 0;
}

uint32_t prv_counter_number(const struct weft_def_table *counters, uint32_t id)
{
	uint32_t fixed = id < counters->n ? prv_counter_fixed(counters->at[id].name) : 0;
	for (uint32_t i = 1; i < id && fixed; i++)
		if (prv_counter_fixed(counters->at[i].name) == fixed)
			fixed = 0;
	return fixed ? fixed : PRV_COUNTERS + id;
}

const uint32_t prv_other_number[PRV_OTHERS_END] = {
	[PRV_COLLECTIVE] = PRV_OTHERS + PRV_COLLECTIVE,
	[PRV_COLLECTIVE_ROOT] = PRV_OTHERS + PRV_COLLECTIVE_ROOT,
	[PRV_COLLECTIVE_SENT] = 50100001,
	[PRV_COLLECTIVE_RECEIVED] = 50100002,
	[PRV_COLLECTIVE_IS_ROOT] = 50100003,
	[PRV_COLLECTIVE_COMM] = 50100004,
	[PRV_DROPPED] = PRV_OTHERS + PRV_DROPPED,
};

uint32_t prv_comm_number(const struct weft_trace *t, uint32_t id)
{
	const struct weft_def_table *comms = &t->def[WEFT_CLASS_COMM];
	uint32_t number = 0;
	for (uint32_t i = 1; i <= id && i < comms->n; i++)
		number += comms->at[i].n_members > 0;
	return id < comms->n && comms->at[id].n_members ? number : 0;
}

bool prv_is_root(const struct weft_trace *t, uint32_t thread, uint32_t comm, int32_t root)
{
	const struct weft_def_table *comms = &t->def[WEFT_CLASS_COMM];
	int32_t rank = t->process[t->thread[thread].process].rank;
	if (comm >= comms->n || root < 0 || rank < 0)
		return false;
	const struct weft_def_row *c = &comms->at[comm];
	return c->n_members ? (uint32_t)root < c->n_members && c->member[root] == (uint64_t)rank : root == rank;
}
