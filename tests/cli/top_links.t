## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug timeout=60
## needs: gcc
## weft top: what goes between memories, in the samples of a program with two of them. So many bytes as the program has moved, by pair and direction.
$ cat >moves.c <<'END'
> #include <starpu_top.h>
> enum { N = 1000, TIMES = 5 };
> static void touch(void *b[], void *a) { (void)a; ((int *)STARPU_VECTOR_GET_PTR(b[0]))[0]++; }
> static struct starpu_codelet writes = {.cpu_funcs = {touch}, .nbuffers = 1, .modes = {STARPU_RW}};
> int main(void)
> {
> 	static int v[N];
> 	starpu_data_handle_t h;
> 	struct starpu_profiling_bus_info info;
> 	if (starpu_init(NULL))
> 		return 1;
> 	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)v, N, sizeof v[0]);
> 	for (int i = 0; i < TIMES; i++) {
> 		starpu_task_insert(&writes, STARPU_RW, h, STARPU_EXECUTE_ON_WORKER, 1, 0);
> 		starpu_task_wait_for_all();
> 		if (i == 1)
> 			starpu_bus_get_profiling_info(starpu_bus_get_id(0, 1), &info); /* which begins anew then: not what others see */
> 		starpu_data_acquire(h, i == TIMES - 1 ? STARPU_R : STARPU_RW);
> 		starpu_data_release(h);
> 	}
> 	starpu_bus_get_profiling_info(starpu_bus_get_id(0, 1), &info);
> 	printf("%lld bytes, %d transfers\n", info.transferred_bytes, info.transfer_count);
> 	fflush(stdout);
> 	starpu_top_init_and_wait("moves");
> 	starpu_data_unregister(h);
> 	starpu_shutdown();
> 	return v[0] != TIMES;
> }
> END
$ gcc moves.c -I"$WEFT_SOURCE/include" "$WEFT_BUILD/libstarpu-1.4.so" -Wl,-rpath,"$WEFT_BUILD" -o moves
$ export WEFT_LIVE="$PWD/live" HWLOC_SYNTHETIC='numa:2 core:1 pu:1' STARPU_USE_NUMA=1 STARPU_NCPU=2 STARPU_NOPENCL=0 STARPU_SILENT=1; mkdir -m 700 live
$ ./moves >said & subject=$!; until weft top --once --json $subject 2>/dev/null >sample && jq -e '.waits_for_start' sample >/dev/null; do :; done; cat said; jq -c '.links[] | [.from, .to, .bytes, .transfers]' sample; jq -r '.links[0].name' sample
12000 bytes, 3 transfers
[0,1,20000,5]
[1,0,20000,5]
NUMA 0 -> NUMA 1
$ weft top --csv --once $subject | grep weft_link_[bt] | cut -d, -f2-
weft_link_bytes_total,"link=NUMA 0 -> NUMA 1",20000
weft_link_bytes_total,"link=NUMA 1 -> NUMA 0",20000
weft_link_transfers_total,"link=NUMA 0 -> NUMA 1",5
weft_link_transfers_total,"link=NUMA 1 -> NUMA 0",5
$ weft top --once $subject | grep -A2 'between memories' | sed 's/  */ /g'
 between memories MB MB/s transfers busy
 NUMA 0 -> NUMA 1 0.0 0.0 5 0 %
 NUMA 1 -> NUMA 0 0.0 0.0 5 0 %
$ weft top --start $subject; wait $subject; echo $?
0
