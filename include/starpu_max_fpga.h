/* SPDX-License-Identifier: Apache-2.0 */
/* FPGA. This is a build without it: nothing is declared. */
