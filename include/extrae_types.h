/* SPDX-License-Identifier: Apache-2.0 */
/* Types of the interface for programs that were written for Extrae: see extrae_user_events.h. */
#ifndef WEFT_EXTRAE_TYPES_H
#define WEFT_EXTRAE_TYPES_H

typedef unsigned extrae_type_t;
typedef unsigned long long extrae_value_t;
typedef unsigned extrae_comm_tag_t, extrae_comm_partner_t, extrae_user_function_t;
typedef long long extrae_comm_id_t;
typedef unsigned extrae_counters_t; /* options of Extrae_set_options are joined by | */

enum {
	EXTRAE_DISABLE_ALL_OPTIONS = 0,
	EXTRAE_CALLER_OPTION = 1 << 0,
	EXTRAE_HWC_OPTION = 1 << 1,
	EXTRAE_MPI_HWC_OPTION = 1 << 2,
	EXTRAE_MPI_OPTION = 1 << 3,
	EXTRAE_OMP_OPTION = 1 << 4,
	EXTRAE_OMP_HWC_OPTION = 1 << 5,
	EXTRAE_UF_HWC_OPTION = 1 << 6,
	EXTRAE_PTHREAD_OPTION = 1 << 7,
	EXTRAE_PTHREAD_HWC_OPTION = 1 << 8,
	EXTRAE_SAMPLING_OPTION = 1 << 9,
	EXTRAE_ENABLE_ALL_OPTIONS = (1 << 10) - 1
};

typedef enum {
	EXTRAE_NOT_INITIALIZED = 0,
	EXTRAE_INITIALIZED_EXTRAE_INIT,
	EXTRAE_INITIALIZED_MPI_INIT,
	EXTRAE_INITIALIZED_SHMEM_INIT
} extrae_init_type_t;

typedef enum { EXTRAE_USER_SEND = 0, EXTRAE_USER_RECV } extrae_user_communication_types_t;

#define EXTRAE_COMM_PARTNER_MYSELF ((extrae_comm_partner_t)0xFFFFFFFF)
enum { EXTRAE_USER_FUNCTION_NONE = -1, EXTRAE_USER_FUNCTION_LEAVE = 0, EXTRAE_USER_FUNCTION_ENTER = 1 };

struct extrae_UserCommunication {
	extrae_user_communication_types_t type;
	extrae_comm_tag_t tag;
	unsigned size; /* bytes */
	extrae_comm_partner_t partner;
	extrae_comm_id_t id; /* tells messages with the same partner and tag apart; 0: they go in order */
};

struct extrae_CombinedEvents {
	int HardwareCounters, Callers, UserFunction;
	unsigned nEvents;
	extrae_type_t *Types;
	extrae_value_t *Values;
	unsigned nCommunications;
	struct extrae_UserCommunication *Communications;
};

typedef struct extrae_UserCommunication extrae_user_communication_t;
typedef struct extrae_CombinedEvents extrae_combined_events_t;

#endif
