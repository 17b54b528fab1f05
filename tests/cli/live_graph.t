## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## needs: gcc
## The live graph of tasks: what waits for what, what each is at; breaks before a codelet and a task, step, go on. A conversation over a channel, as pages have it.
$ cat >diamond.c <<'END'
> #include <starpu_top.h>
> #include <unistd.h>
> static void work(void *b[], void *a) { (void)b, (void)a; usleep(100); }
> #define CODELET(z) {.cpu_funcs = {work}, .name = z, .nbuffers = STARPU_VARIABLE_NBUFFERS}
> static struct starpu_codelet top = CODELET("top"), side = CODELET("left or right"), bottom = CODELET("bottom");
> int main(void)
> {
> 	int x[3];
> 	starpu_data_handle_t h[3];
> 	if (starpu_init(NULL))
> 		return 1;
> 	for (int i = 0; i < 3; i++)
> 		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&x[i], sizeof x[i]);
> 	starpu_top_init_and_wait("a subject");
> 	starpu_task_insert(&top, STARPU_W, h[0], 0);
> 	starpu_task_insert(&side, STARPU_R, h[0], STARPU_W, h[1], 0);
> 	starpu_task_insert(&side, STARPU_R, h[0], STARPU_W, h[2], 0);
> 	starpu_task_insert(&bottom, STARPU_R, h[1], STARPU_R, h[2], STARPU_W, h[0], 0);
> 	starpu_task_wait_for_all();
> 	starpu_top_init_and_wait("more");
> 	for (int i = 0; i < 3; i++)
> 		starpu_data_unregister(h[i]);
> 	starpu_shutdown();
> 	return 5;
> }
> END
$ gcc diamond.c -I"$WEFT_SOURCE/include" "$WEFT_BUILD/libstarpu-1.4.so" -Wl,-rpath,"$WEFT_BUILD" -o diamond
$ export WEFT_LIVE="$PWD/live" STARPU_NCPU=2 STARPU_NOPENCL=0 STARPU_SILENT=1; mkdir -m 700 live; mkfifo say
$ ./diamond & program=$!; until weft top --list | grep -q diamond; do :; done; weft top --relay diamond <say >heard & exec 3>say

## Who does not watch has no graph. Asked for once, it is kept from then on.
$ ask() { n=$(grep -c '"done"' heard); echo "$*" >&3; until [ "$(grep -c '"done"' heard)" -gt "$n" ]; do :; done; grep '"done"' heard | tail -n 1; }
$ ask graph 0
{"done":false,"error":"the graph is there while somebody watches"}
$ ask watch 20; ask graph 0; ask break codelet left or right
{"done":true}
{"seq":0,"paused":false,"breaks":[],"held":[],"tasks":[],"done":true}
{"done":true}

## Both sides of the diamond are stood before; the bottom waits for both.
$ until [ "$(ask graph 0 | jq '.held | length')" = 2 ]; do weft top --start diamond 2>/dev/null || :; done
$ ask graph 0 >graph; jq -c '.tasks[] | [.[1], .[3]]' graph
["done","top"]
["held","left or right"]
["held","left or right"]
["submitted","bottom"]
$ jq -c '(.tasks | map({(.[0]): .[3]}) | add) as $name | .tasks[] | [.[3], (.[8] | map($name[.] // "?"))]' graph
["top",[]]
["left or right",["top"]]
["left or right",["top"]]
["bottom",["left or right","left or right"]]
$ jq -c '[.paused, .breaks, (.held | map(.[0]) | sort), (.tasks[0][6] | endswith("diamond.c")), .tasks[3][9]]' graph
[false,[{"codelet":"left or right"}],[0,1],true,0]

## What has changed since comes alone, and without what stays. A step lets one go; all others stand from then on. The task that is left is named.
$ seq=$(jq .seq graph); ask step; until [ "$(ask graph "$seq" | jq -c '.tasks | map(.[1])')" = '["done"]' ]; do :; done; ask graph "$seq" | jq -c '[.paused, (.held | length), (.tasks[0] | length)]'
{"done":true}
[true,1,3]
$ ask break task "$(jq -r '.tasks[3][0]' graph)"; ask go; until [ "$(ask graph 0 | jq '.tasks[3][1] == "held"')" = true ]; do :; done; ask graph 0 | jq -c '[.paused, (.breaks | length), (.held | length)]'
{"done":true}
{"done":true}
[false,2,1]
$ ask break none; ask break codelet; ask break x; ask step 7; ask graph x; ask step
{"done":true}
{"done":false,"error":"usage: break codelet NAME, break task REF, or break none"}
{"done":false,"error":"usage: break codelet NAME, break task REF, or break none"}
{"done":false,"error":"worker 7 does not stand before a task"}
{"done":false,"error":"graph wants the number of the last answer, or 0"}
{"done":true}
$ until [ "$(ask graph 0 | jq 'all(.tasks[]; .[1] == "done")')" = true ]; do :; done; ask step; ask go
{"done":false,"error":"no worker stands before a task"}
{"done":true}

## Who goes away leaves nobody standing: the rest of the program runs, and ends as it would have.
$ ask pause; exec 3>&-; until weft top --start diamond 2>/dev/null; do kill -0 $program 2>/dev/null || break; done; wait $program; echo $?; ls live
{"done":true}
5
