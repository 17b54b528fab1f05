/* SPDX-License-Identifier: Apache-2.0 */
/* State classes: what a person asks first of a region. The numbers are part of the trace format. */
#ifndef WEFT_STATES_H
#define WEFT_STATES_H

enum weft_state_class {
	WEFT_STATE_UNKNOWN = 0,
	WEFT_STATE_RUNNING = 1,
	WEFT_STATE_WAITING = 2,
	WEFT_STATE_COMMUNICATING = 3,
	WEFT_STATE_SYNCHRONIZING = 4,
	WEFT_STATE_IO = 5,
	WEFT_STATE_OVERHEAD = 6,
	WEFT_STATE_IDLE = 7,
	WEFT_STATE_MEMORY = 8,
	WEFT_STATE_SCHEDULING = 9,
	WEFT_STATE_CLASSES
};

#endif
