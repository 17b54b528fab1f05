/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions as people write them against symbols: C, C++, clones, versions. */
#include "harness.h"
#include "probe/image/probe_image.h"
#include <string.h>

TEST(probe_name_reads_mangled_names)
{
	static const struct {
		const char *symbol, *name;
	} rows[] = {
		{"_Z3fooi", "foo"},
		{"_ZN6Solver4stepEd", "Solver::step"},
		{"_ZNK2ns6Solver4stepEv", "ns::Solver::step"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back"},
		{"_ZN3BoxIN2ns1AELi3EE3getEv", "Box::get"},
		{"_ZN3BoxILm12EE3getEv", "Box::get"},
		{"_ZN3BoxIXadL_Z3fooiEEE3getEv", "Box::get"},
		{"_ZN6SolverC2Ei", "Solver::Solver"},
		{"_ZN6SolverD1Ev", "Solver::~Solver"},
		{"_ZL6statici", "static"},
		{"_ZSt4sortIPiEvT_S1_", "std::sort"},
		{"_ZNSs6appendERKSs", "std::string::append"},
		{"_ZN12_GLOBAL__N_16hiddenEv", "_GLOBAL__N_1::hidden"},
		{"_Z3addIiET_S0_S0_", "add"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char out[200] = "";
		CHECK(probe_name_qualified(rows[i].symbol, strlen(rows[i].symbol), out, sizeof out));
		CHECK_STR(out, rows[i].name);
	}
}

TEST(probe_name_refuses_what_is_not_mangled_or_cut)
{
	static const char *const rows[] = {"foo", "_Z", "_Z9foo", "_ZN6Solver", "_ZN99999999999999999999xE", "_ZNE", "_Z0"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char out[20];
		CHECK(!probe_name_qualified(rows[i], strlen(rows[i]), out, sizeof out));
	}
	char small[6];
	CHECK(!probe_name_qualified("_ZN6Solver4stepEd", 17, small, sizeof small));
	for (unsigned round = 0; round < 100000; round++) {
		char text[24] = "_Z", out[16];
		for (unsigned i = 2; i < sizeof text; i++)
			text[i] = "NIESTLXJFDCK0123459ab_"[test_random() % 22];
		if (probe_name_qualified(text, sizeof text, out, sizeof out))
			CHECK(strlen(out) < sizeof out);
	}
}

TEST(probe_name_matches)
{
	static const struct {
		const char *symbol, *asked;
		enum probe_match match;
		enum probe_clone clone;
	} rows[] = {
		{"work", "work", PROBE_SAME, PROBE_WHOLE},
		{"work2", "work", PROBE_NO, PROBE_WHOLE},
		{"work.isra.0", "work", PROBE_SAME, PROBE_SPECIAL},
		{"work.constprop.0.isra.0", "work", PROBE_SAME, PROBE_SPECIAL},
		{"work.part.0", "work", PROBE_SAME, PROBE_PART},
		{"work.cold", "work", PROBE_SAME, PROBE_COLD},
		{"work.constprop.0.cold", "work", PROBE_SAME, PROBE_COLD},
		{"memcpy@@GLIBC_2.14", "memcpy", PROBE_SAME, PROBE_WHOLE},
		{"_ZN2ns6Solver4stepEd", "ns::Solver::step", PROBE_SAME, PROBE_WHOLE},
		{"_ZN2ns6Solver4stepEd", "Solver::step", PROBE_END, PROBE_WHOLE},
		{"_ZN2ns6Solver4stepEd", "step", PROBE_END, PROBE_WHOLE},
		{"_ZN2ns6Solver4stepEd", "olver::step", PROBE_NO, PROBE_WHOLE},
		{"_ZN6SolverD2Ev", "Solver::~Solver", PROBE_SAME, PROBE_WHOLE},
		{"_ZN6Solver4stepEd", "_ZN6Solver4stepEd", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop4overEi", "shop::over(int)", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop4overEi", "over( int )", PROBE_END, PROBE_WHOLE},
		{"_ZN4shop4overEd", "shop::over(int)", PROBE_NO, PROBE_WHOLE},
		{"_ZN4shop4overEiPKc", "shop::over(int, char const *)", PROBE_SAME, PROBE_WHOLE},
		{"_ZNK3VecplERKS_", "Vec::operator+", PROBE_SAME, PROBE_WHOLE},
		{"_ZNK3VecplERKS_", "Vec::operator+(Vec const&)", PROBE_SAME, PROBE_WHOLE},
		{"_ZNK3VecplERKS_.constprop.0", "Vec::operator+(Vec const&) const", PROBE_SAME, PROBE_SPECIAL},
		{"_ZNK3VecltERKS_", "Vec::operator+", PROBE_NO, PROBE_WHOLE},
		{"_ZNK3VecltERKS_", "operator<", PROBE_END, PROBE_WHOLE},
		{"_ZN3VecclEi", "Vec::operator()", PROBE_SAME, PROBE_WHOLE},
		{"_ZNK3VeccviEv", "Vec::operator int() const", PROBE_SAME, PROBE_WHOLE},
		{"_ZmlRK3VecS1_", "operator*(Vec const&, Vec const&)", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop12_GLOBAL__N_16hiddenEi", "shop::(anonymous namespace)::hidden", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop12_GLOBAL__N_16hiddenEi", "(anonymous namespace)::hidden(int)", PROBE_END, PROBE_WHOLE},
		{"_ZN4shop5twiceIiEET_S1_", "int shop::twice<int>(int)", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop5twiceIiEET_S1_", "shop::twice<int>", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop5twiceIiEET_S1_", "shop::twice<double>", PROBE_NO, PROBE_WHOLE},
		{"_ZN4shop5twiceIiEET_S1_", "shop::twice(int)", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop3BoxIiE3putEi", "shop::Box<int>::put(int)", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop3BoxIiE3putEi", "Box::put(int)", PROBE_END, PROBE_WHOLE},
		{"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop4overEi", "shop::*", PROBE_GLOB, PROBE_WHOLE},
		{"_ZN4shop4overEi", "shop::ov?r", PROBE_GLOB, PROBE_WHOLE},
		{"_ZN4shop4overEPi", "shop::over(int*)", PROBE_SAME, PROBE_WHOLE},
		{"_ZN4shop4overEPci", "shop::over(int*)", PROBE_NO, PROBE_WHOLE},
		{"MPI_Send", "MPI_*", PROBE_GLOB, PROBE_WHOLE},
		{"_start", "*", PROBE_NO, PROBE_WHOLE},
		{"_start", "_st*", PROBE_GLOB, PROBE_WHOLE},
		{"work", "work()", PROBE_SAME, PROBE_WHOLE},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum probe_clone clone;
		bool full = probe_name_is_full(rows[i].asked);
		CHECK_I64((full ? probe_name_match_full : probe_name_match)(rows[i].symbol, rows[i].asked, &clone),
		          rows[i].match);
		CHECK_I64(clone, rows[i].clone);
	}
}
