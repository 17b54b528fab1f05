/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a sample of the live channel (src/pulse) by the names of tune/lang/spec_runtime.h. */
#ifndef WEFT_TUNE_RUNTIME_SAMPLE_H
#define WEFT_TUNE_RUNTIME_SAMPLE_H

#include "pulse/pulse_read.h"
#include "tune/lang/spec_runtime.h"

enum { RUNTIME_NO_WORKER = -1 };

/* worker: whose, where it is a worker's and nothing stands behind an @. False: the sample has none such. */
bool runtime_value(const struct pulse_value *sample, const char *path, int worker, double *out);
unsigned runtime_workers(const struct pulse_value *sample);

#endif
