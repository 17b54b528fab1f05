/* SPDX-License-Identifier: Apache-2.0 */
/* A tunlet that benchmarks of the tree share: a master m begins and ends iterations, each worker w says how long it computed. */
#ifndef WEFT_BENCH_TUNLET_TEXT_H
#define WEFT_BENCH_TUNLET_TEXT_H

/* Up to the iteration; name and least, the least number of workers, are string literals. */
#define TUNLET_OF_WORKERS(name, least) \
	"TUNLET\nid: " name "\nunit: ms\ninclude: math.h\nMEASURE POINTS\nVARIABLES AND VALUES\n" \
	"variable\nid: iteration\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n" \
	"variable\nid: iterationW\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n" \
	"variable\nid: knob\nsource: asVarValue\ntype: double\nactorId: m\nendvariable\nEVENTS\n" \
	"event\nid: B\nactorId: m\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: iteration\nendevent\n" \
	"event\nid: E\nactorId: m\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: iteration\nendevent\n" \
	"event\nid: S\nactorId: w\ncontroliter: no\nutility: always\nmethod: w\nplace: entry\nATTRS\nid: iterationW\nendevent\n" \
	"event\nid: F\nactorId: w\ncontroliter: eval\nutility: always\nmethod: w\nplace: exit\nATTRS\nid: iterationW\nendevent\n" \
	"ACTORS\nactor\nid: m\nmin: 1\nmax: 1\ncompletion: /# comp == 1 #/\nexe: m\nATTRS\n" \
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# m[0].comp = 1; #/\ndependency: E\nendactor\n" \
	"actor\nid: w\nmin: " least "\nmax: 20000\ncompletion: /# comp == 1 #/\nexe: w\nATTRS\n" \
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# w[F.id].comp = 1; #/\ndependency: F\n" \
	"id: t0\ntype: double\ninic: /# t0 = 0; #/\nvalue: /# w[S.id].t0 = S.timestamp; #/\ndependency: S\n" \
	"id: c\ntype: double\ninic: /# c = 0; #/\nvalue: /# w[F.id].c = F.timestamp - w[F.id].t0; #/\ndependency: F\nendactor\n"

/* The sum of what they computed, and of its squares. */
#define TUNLET_SUMS \
	"id: C\ntype: double\ninic: /# C = 0; #/\nvalue: /# C = 0; for (int i = 0; i < count(w); i++) C += w[i].c; #/\ndependency: none\n" \
	"id: Q\ntype: double\ninic: /# Q = 0; #/\nvalue: /# Q = 0; for (int i = 0; i < count(w); i++) Q += pow(w[i].c, 2); #/\n" \
	"dependency: none\n"

#endif
