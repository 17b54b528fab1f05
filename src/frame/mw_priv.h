/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Master/worker, inside: the functions that are measured, under the names of the published specifications, and the variables.
 *
 * The specifications speak of C++ (`_CMaster::_M_SendIteration`). The functions are C; their symbols are what a C++ compiler would
 * make of those names, so that a tunlet finds them in C and in C++ programs alike.
 */
#ifndef WEFT_MW_PRIV_H
#define WEFT_MW_PRIV_H

#include "frame_priv.h"
#include "weft/mw.h"

enum mw_kind { MW_WORK = 1, MW_ANSWER, MW_END };

/* What they mean stands where they are defined (mw_run.c). A macro, since a definition wants the attributes as well. */
#define MW_VARIABLE(name, symbol) extern volatile int name __asm__(symbol) FRAME_VISIBLE
MW_VARIABLE(iteration, "_ZN8_CMaster9iterationE");
MW_VARIABLE(TheWorkUnitBytes, "_ZN8_CMaster16TheWorkUnitBytesE");
MW_VARIABLE(TheNumTuples, "_ZN8_CMaster12TheNumTuplesE");
MW_VARIABLE(TheMaxWorkers, "_ZN8_CMaster13TheMaxWorkersE");
MW_VARIABLE(nw, "_ZN8_CMaster2nwE");
MW_VARIABLE(NOptWorkers, "_ZN8_CMaster11NOptWorkersE");
MW_VARIABLE(globalSizeChunk, "_ZN8_CMaster15globalSizeChunkE");
MW_VARIABLE(workerTID, "_ZN9_CDtaMngM9workerTIDE");
MW_VARIABLE(numtuples, "_ZN9_CDtaMngM9numtuplesE");
MW_VARIABLE(workerTIDr, "_ZN9_CDtaMngM10workerTIDrE");
MW_VARIABLE(nbytes, "_ZN9_CDtaMngM6nbytesE");
MW_VARIABLE(CurrentIteration, "_ZN8_CWorker16CurrentIterationE");
MW_VARIABLE(NroTasks, "_ZN8_CWorker8NroTasksE");

struct mw_master {
	const struct weft_mw *program;
	void *user;
	struct weft_frame_link *link;
	struct weft_mw_work work;
	struct weft_frame_bytes results, message, in;
	size_t sent, received; /* tuples */
	int busy;              /* workers that owe an answer */
	bool *has_shared;      /* of each rank: it has this iteration's */
	double began;
	int rc; /* the first failure: nothing is sent any more */
};

struct mw_worker {
	const struct weft_mw *program;
	void *user;
	struct weft_frame_link *link;
	struct frame_head task;
	struct weft_frame_bytes shared, in, results, message;
	int rc; /* the first failure: nothing is computed any more */
};

int mw_master_run(struct mw_master *m);
int mw_worker_run(struct mw_worker *w);

int mw_send_iteration(struct mw_master *m) __asm__("_ZN8_CMaster16_M_SendIterationEv") FRAME_MEASURED;
int mw_receive_iteration(struct mw_master *m) __asm__("_ZN8_CMaster19_M_ReceiveIterationEv") FRAME_MEASURED;
int mw_send_task(struct mw_master *m, int worker, size_t n) __asm__("_ZN9_CDtaMngM13_DMM_SendTaskEim") FRAME_MEASURED;
int mw_receive_effective(struct mw_master *m) __asm__("_ZN9_CDtaMngM21_DMM_ReceiveEffectiveEv") FRAME_MEASURED;
int mw_do_works(struct mw_worker *w) __asm__("_ZN8_CWorker10_W_DoWorksEv") FRAME_MEASURED;
int mw_send_all(struct mw_worker *w) __asm__("_ZN8_CWorker10_W_SendAllEv") FRAME_MEASURED;

#endif
