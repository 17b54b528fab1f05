/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.html: how tasks flow through the program, as an animation: submitted, ready, in the policy, on a worker, done. A page that needs
 * nothing from elsewhere: the tasks' times stand in it as numbers, in microseconds, each but the first as the difference to the one before.
 * What was not recorded stands as -1, and the task passes by there.
 */
#include "prod_walk.h"

enum { TASKS_MOST = 20000 }; /* of the page: what a browser moves smoothly */

static const char page_head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>flow of tasks</title>\n<style>\n"
	"body{font:14px sans-serif;margin:1em;background:#fff;color:#111}\n"
	"canvas{width:100%;height:60vh;border:1px solid #bbb;display:block;margin:.5em 0}\n"
	"input[type=range]{width:50%;vertical-align:middle}\n</style>\n</head>\n<body>\n<h1>Flow of tasks</h1>\n"
	"<p><button id=\"run\">Run</button> <input id=\"at\" type=\"range\" min=\"0\" max=\"1000\" value=\"0\" aria-label=\"time\">"
	" <output id=\"now\"></output> <label>lasts <input id=\"seconds\" type=\"number\" min=\"1\" max=\"600\" value=\"20\"> s</label></p>\n"
	"<canvas id=\"flow\"></canvas>\n<p id=\"counts\"></p>\n<script>\n\"use strict\";\nconst tasks=[\n";

static const char page_tail[] =
	"const stations=['submitted','ready','policy',...workers,'done'];\n"
	"let end=1;\n"
	"for(const t of tasks){let at=0;for(let i=0;i<5;i++)if(t[i]>=0)t[i]=at+=t[i];end=Math.max(end,at);}\n"
	"const begin=tasks.length?Math.min(...tasks.map(t=>t.slice(0,5).filter(x=>x>=0)[0])):0;\n"
	"function station(t,now){\n"
	"  if(t[4]>=0&&now>=t[4])return stations.length-1;\n"
	"  if(t[3]>=0&&now>=t[3])return 3+t[5];\n"
	"  if(t[2]>=0&&now>=t[2])return 2;\n"
	"  if(t[1]>=0&&now>=t[1])return 1;\n"
	"  return t[0]<0||now>=t[0]?0:-1;\n"
	"}\n"
	"const canvas=document.getElementById('flow'),at=document.getElementById('at');\n"
	"function draw(){\n"
	"  const now=begin+(end-begin)*at.value/1000,width=canvas.width=canvas.clientWidth,height=canvas.height=canvas.clientHeight;\n"
	"  const c=canvas.getContext('2d'),column=width/stations.length,n=stations.map(()=>0);\n"
	"  c.font='12px sans-serif';\n"
	"  for(const t of tasks){\n"
	"    const s=station(t,now);\n"
	"    if(s<0)continue;\n"
	"    const k=n[s]++,across=Math.max(1,Math.floor((column-12)/6)),y=height-8-6*Math.floor(k/across);\n"
	"    if(y<26)continue;\n"
	"    c.fillStyle='hsl('+t[6]*47%360+',70%,45%)';\n"
	"    c.fillRect(column*s+6+6*(k%across),y,5,5);\n"
	"  }\n"
	"  c.fillStyle='#111';\n"
	"  stations.forEach((name,s)=>c.fillText(name+': '+n[s],column*s+6,16,column-8));\n"
	"  document.getElementById('now').textContent=(now/1000).toFixed(3)+' ms';\n"
	"  document.getElementById('counts').textContent=stations.map((name,s)=>name+' '+n[s]).join(', ');\n"
	"}\n"
	"let running=false,last=0;\n"
	"function step(time){\n"
	"  if(!running)return;\n"
	"  const by=1000*(time-last)/1000/Math.max(1,document.getElementById('seconds').value);\n"
	"  if(by>=1){at.value=Math.min(1000,+at.value+by);last=time;draw();}\n"
	"  if(+at.value>=1000)running=false;\n"
	"  requestAnimationFrame(step);\n"
	"}\n"
	"document.getElementById('run').onclick=()=>{running=!running;last=performance.now();\n"
	"  if(running&&+at.value>=1000)at.value=0;requestAnimationFrame(step);};\n"
	"at.oninput=draw;\nonresize=draw;\ndraw();\n</script>\n</body>\n</html>\n";

static void put_since(struct export_out *o, uint64_t time, uint64_t shift, uint64_t *last)
{
	if (time == WEFT_NEVER) {
		PUT(o, "-1,");
		return;
	}
	uint64_t us = (time + shift) / 1000;
	export_u64(o, us > *last ? us - *last : 0);
	*last = us > *last ? us : *last;
	export_char(o, ',');
}

/* [submitted, ready, pushed, begun, ended, worker, number of its kind] */
static void put_task(struct prod_set *s, const struct prod_trace *t, const struct weft_tasks_task *task, uint32_t first_worker)
{
	struct export_out *o = prod_out(s, PROD_HTML);
	uint64_t last = 0;
	export_char(o, '[');
	put_since(o, task->submit, t->shift, &last);
	put_since(o, task->ready, t->shift, &last);
	put_since(o, task->push, t->shift, &last);
	put_since(o, task->start, t->shift, &last);
	put_since(o, task->end, t->shift, &last);
	export_u64(o, task->worker == WEFT_TASKS_NO_ONE ? 0 : first_worker + task->worker);
	export_char(o, ',');
	export_u64(o, task->region);
	PUT(o, "],\n");
}

static void put_workers(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_HTML);
	PUT(o, "];\nconst workers=[");
	for (uint32_t i = 0; i < s->n_traces; i++) {
		const struct prod_trace *t = &s->trace[i];
		for (uint32_t k = 0; k < t->tasks.n_workers; k++) {
			const struct prod_program *p = prod_program_of(s, t, t->tasks.worker[k].process);
			char name[64];
			size_t n = 0;
			for (const char *z = t->tasks.worker[k].name; *z && n + 1 < sizeof name; z++)
				if ((unsigned char)*z >= 0x20 && *z != '\\' && *z != '\'' && *z != '<')
					name[n++] = *z;
			name[n] = '\0';
			export_char(o, '\'');
			export_text(o, p->prefix);
			export_text(o, name);
			PUT(o, "',");
		}
	}
	PUT(o, "];\n");
}

void prod_html_write(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_HTML);
	PUT(o, page_head);
	uint32_t left = TASKS_MOST, first_worker = 0;
	for (uint32_t i = 0; i < s->n_traces; i++) {
		const struct prod_trace *t = &s->trace[i];
		for (uint32_t k = 0; k < t->tasks.n && left; k++, left--)
			put_task(s, t, &t->tasks.task[k], first_worker);
		first_worker += t->tasks.n_workers;
	}
	put_workers(s);
	PUT(o, page_tail);
}
