/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of as many arguments as a call of MPI has, to be declared and to be passed on: words, whatever they are. */
#ifndef WEFT_MPI_ARGUMENTS_H
#define WEFT_MPI_ARGUMENTS_H

#define TAKE_0 void
#define TAKE_1 mpi_word a0
#define TAKE_2 TAKE_1, mpi_word a1
#define TAKE_3 TAKE_2, mpi_word a2
#define TAKE_4 TAKE_3, mpi_word a3
#define TAKE_5 TAKE_4, mpi_word a4
#define TAKE_6 TAKE_5, mpi_word a5
#define TAKE_7 TAKE_6, mpi_word a6
#define TAKE_8 TAKE_7, mpi_word a7
#define TAKE_9 TAKE_8, mpi_word a8
#define TAKE_10 TAKE_9, mpi_word a9
#define TAKE_11 TAKE_10, mpi_word a10
#define TAKE_12 TAKE_11, mpi_word a11
#define TAKE_13 TAKE_12, mpi_word a12
#define LIST_0
#define LIST_1 a0
#define LIST_2 LIST_1, a1
#define LIST_3 LIST_2, a2
#define LIST_4 LIST_3, a3
#define LIST_5 LIST_4, a4
#define LIST_6 LIST_5, a5
#define LIST_7 LIST_6, a6
#define LIST_8 LIST_7, a7
#define LIST_9 LIST_8, a8
#define LIST_10 LIST_9, a9
#define LIST_11 LIST_10, a10
#define LIST_12 LIST_11, a11
#define LIST_13 LIST_12, a12

#endif
