/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AddressSanitizer ends a program in which anything is loaded in front of its runtime, since that could have taken memory before. We take
 * none; its runtime asks here for defaults, which ASAN_OPTIONS and a function of the program's own go before.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
