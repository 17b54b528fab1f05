/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where model files lie. They are written below STARPU_PERF_MODEL_DIR, else below $STARPU_HOME/.starpu/sampling (STARPU_HOME is the
 * user's home when it is not set), and read from the first of these folders that has them: STARPU_PERF_MODEL_DIR, the one below
 * STARPU_HOME, those of STARPU_PERF_MODEL_PATH (between colons).
 *
 *     FOLDER/codelets/45/SYMBOL.HOST    FOLDER/codelets/tmp/SYMBOL.out    FOLDER/bus/HOST.bandwidth …    FOLDER/debug
 */
#ifndef WEFT_MODELS_MODEL_PATH_H
#define WEFT_MODELS_MODEL_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum { WEFT_MODEL_PATH = 4096 };

/* This machine as in file names: STARPU_HOSTNAME, else its name up to the first dot. */
void weft_model_host(char *at,
                     size_t n); /* STARPU_HOSTNAME, unless it has a '/', which is no name of a machine; else this one's */
/* Folder `i` of those that are read, from 0, the one that is written to first; false: there are no more. Never one twice. */
bool weft_model_folder(unsigned i, char *at, size_t n);
/* FOLDER/KIND of the folder that is written to; KIND is "codelets/45", "codelets/tmp", "bus" or "debug". */
void weft_model_folder_of(char *at, size_t n, const char *kind);
/* Where a model is written. false: too long. host: NULL for this machine. */
bool weft_model_path(char *at, size_t n, const char *symbol, const char *host);
/* Where it is read from: SYMBOL.HOST, else a file that is called SYMBOL. false: nowhere, and `at` says where it would be. */
bool weft_model_find(char *at, size_t n, const char *symbol, const char *host);
/* Whether a file of such a folder is a model, by its name: not one that was set aside, nor one that is being written. */
bool weft_model_is_name(const char *name);
/* What the file of a damaged model is called when it is set aside: NAME with this behind it. */
#define WEFT_MODEL_ASIDE ".damaged"

#endif
