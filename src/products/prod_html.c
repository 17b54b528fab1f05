/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.html: how tasks flow through the program, as an animation: submitted, ready, in the policy (in each component of a modular one, which are drawn as
 * a tree, with a line where a task has just been pushed or pulled), on a worker, done. `#500` behind its name shows the middle. A page that needs
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
	"const stations=[];\n"
	"function add(name,row){stations.push({name,row});return stations.length-1;}\n"
	"const SUBMITTED=add('submitted',0),READY=add('ready',0),modular=components.length>0;\n"
	"const POLICY=modular?READY:add('policy',0);\n"
	"const depth=modular?Math.max(...components.map(c=>c[1]))+1:0;\n"
	"const component=components.map(c=>add(c[0],1+c[1]));\n"
	"const worker=workers.map(name=>add(name,modular?depth+1:0)),DONE=add('done',modular?depth+2:0);\n"
	"const rows=stations[DONE].row+1;\n"
	"let end=1;\n"
	"for(const t of tasks){\n"
	"  let at=0;\n"
	"  for(let i=0;i<5;i++)if(t[i]>=0)t[i]=at+=t[i];\n"
	"  end=Math.max(end,at);\n"
	"  at=0;\n"
	"  for(let i=0;i<t[7].length;i+=2)t[7][i]=at+=t[7][i];\n"
	"}\n"
	"const begin=tasks.length?Math.min(...tasks.map(t=>t.slice(0,5).filter(x=>x>=0)[0])):0;\n"
	"function steps(t,now){\n"
	"  let n=0;\n"
	"  while(2*n<t[7].length&&t[7][2*n]<=now)n++;\n"
	"  return n;\n"
	"}\n"
	"function station(t,now){\n"
	"  if(t[4]>=0&&now>=t[4])return DONE;\n"
	"  if(t[3]>=0&&now>=t[3])return worker[t[5]];\n"
	"  const n=steps(t,now);\n"
	"  if(n)return component[t[7][2*n-1]];\n"
	"  if(t[2]>=0&&now>=t[2])return POLICY;\n"
	"  if(t[1]>=0&&now>=t[1])return READY;\n"
	"  return t[0]<0||now>=t[0]?SUBMITTED:-1;\n"
	"}\n"
	"const canvas=document.getElementById('flow'),at=document.getElementById('at');\n"
	"function places(width,height){\n"
	"  const of=Array.from({length:rows},()=>[]);\n"
	"  stations.forEach((s,i)=>of[s.row].push(i));\n"
	"  of.forEach((row,y)=>row.forEach((i,x)=>{\n"
	"    const s=stations[i];\n"
	"    s.w=width/row.length;s.x=s.w*x;s.h=height/rows;s.y=s.h*y;\n"
	"  }));\n"
	"}\n"
	"function draw(){\n"
	"  const now=begin+(end-begin)*at.value/1000,width=canvas.width=canvas.clientWidth,height=canvas.height=canvas.clientHeight;\n"
	"  const c=canvas.getContext('2d'),n=stations.map(()=>0),soon=(end-begin)/200;\n"
	"  c.font='12px sans-serif';\n"
	"  places(width,height);\n"
	"  c.strokeStyle='#ddd';\n"
	"  if(modular)stations.forEach(s=>c.strokeRect(s.x+.5,s.y+.5,s.w,s.h));\n"
	"  for(const t of tasks){\n"
	"    const s=station(t,now);\n"
	"    if(s<0)continue;\n"
	"    const p=stations[s],k=n[s]++,across=Math.max(1,Math.floor((p.w-12)/6)),y=p.y+p.h-8-6*Math.floor(k/across);\n"
	"    const last=steps(t,now)-1;\n"
	"    if(last>0&&now-t[7][2*last]<soon){\n"
	"      const a=stations[component[t[7][2*last-1]]],b=stations[component[t[7][2*last+1]]];\n"
	"      c.strokeStyle='#888';\n"
	"      c.beginPath();c.moveTo(a.x+a.w/2,a.y+a.h/2);c.lineTo(b.x+b.w/2,b.y+b.h/2);c.stroke();\n"
	"    }\n"
	"    if(y<p.y+18)continue;\n"
	"    c.fillStyle='hsl('+t[6]*47%360+',70%,45%)';\n"
	"    c.fillRect(p.x+6+6*(k%across),y,5,5);\n"
	"  }\n"
	"  c.fillStyle='#111';\n"
	"  stations.forEach((s,i)=>c.fillText(s.name+': '+n[i],s.x+6,s.y+14,Math.max(1,s.w-8)));\n"
	"  document.getElementById('now').textContent=(now/1000).toFixed(3)+' ms';\n"
	"  document.getElementById('counts').textContent=stations.map((s,i)=>s.name+' '+n[i]).join(', ');\n"
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
	"if(location.hash)at.value=+location.hash.slice(1)||0;\n"
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

/* Where it was among the components of a modular scheduler: [since the step before, component...] */
static void put_steps(struct prod_set *s, const struct prod_trace *t, uint32_t *step, uint32_t task, uint32_t first)
{
	struct export_out *o = prod_out(s, PROD_HTML);
	uint64_t last = 0;
	while (*step < t->tasks.n_steps && t->tasks.step[*step].task < task)
		++*step;
	for (; *step < t->tasks.n_steps && t->tasks.step[*step].task == task; ++*step) {
		put_since(o, t->tasks.step[*step].time, t->shift, &last);
		export_u64(o, first + t->tasks.step[*step].to);
		export_char(o, ',');
	}
}

struct first { /* of a trace, among all */
	uint32_t worker, component, step;
};

/* [submitted, ready, pushed, begun, ended, worker, number of its kind, [steps]] */
static void put_task(struct prod_set *s, const struct prod_trace *t, uint32_t row, struct first *first)
{
	const struct weft_tasks_task *task = &t->tasks.task[row];
	struct export_out *o = prod_out(s, PROD_HTML);
	uint64_t last = 0;
	export_char(o, '[');
	put_since(o, task->submit, t->shift, &last);
	put_since(o, task->ready, t->shift, &last);
	put_since(o, task->push, t->shift, &last);
	put_since(o, task->start, t->shift, &last);
	put_since(o, task->end, t->shift, &last);
	export_u64(o, task->worker == WEFT_TASKS_NO_ONE ? 0 : first->worker + task->worker);
	export_char(o, ',');
	export_u64(o, task->region);
	PUT(o, ",[");
	put_steps(s, t, &first->step, row, first->component);
	PUT(o, "]],\n");
}

/* In a text of the page's script: what could end it goes. */
static void put_name(struct export_out *o, const char *prefix, const char *z)
{
	char name[64];
	size_t n = 0;
	for (; *z && n + 1 < sizeof name; z++)
		if ((unsigned char)*z >= 0x20 && *z != '\\' && *z != '\'' && *z != '<')
			name[n++] = *z;
	name[n] = '\0';
	export_char(o, '\'');
	export_text(o, prefix);
	export_text(o, name);
	export_char(o, '\'');
}

/* ['name', how deep] */
static void put_components(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_HTML);
	PUT(o, "const components=[");
	for (uint32_t i = 0; i < s->n_traces; i++) {
		const struct weft_tasks *k = &s->trace[i].tasks;
		for (uint32_t c = 0; c < k->n_components && k->n_steps; c++) {
			const struct prod_program *p = prod_program_of(s, &s->trace[i], k->component[c].process);
			uint32_t depth = 0;
			for (uint32_t up = k->component[c].parent; up != WEFT_TASKS_NO_ONE && depth < k->n_components; depth++)
				up = k->component[up].parent;
			export_char(o, '[');
			put_name(o, p ? p->prefix : "", k->component[c].name);
			export_char(o, ',');
			export_u64(o, depth);
			PUT(o, "],");
		}
	}
	PUT(o, "];\n");
}

static void put_workers(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_HTML);
	PUT(o, "];\nconst workers=[");
	for (uint32_t i = 0; i < s->n_traces; i++) {
		const struct prod_trace *t = &s->trace[i];
		for (uint32_t k = 0; k < t->tasks.n_workers; k++) {
			const struct prod_program *p = prod_program_of(s, t, t->tasks.worker[k].process);
			put_name(o, p->prefix, t->tasks.worker[k].name);
			export_char(o, ',');
		}
	}
	PUT(o, "];\n");
}

void prod_html_write(struct prod_set *s)
{
	struct export_out *o = prod_out(s, PROD_HTML);
	PUT(o, page_head);
	uint32_t left = TASKS_MOST;
	struct first first = {0};
	for (uint32_t i = 0; i < s->n_traces; i++) {
		const struct prod_trace *t = &s->trace[i];
		first.step = 0;
		for (uint32_t k = 0; k < t->tasks.n && left; k++, left--)
			put_task(s, t, k, &first);
		first.worker += t->tasks.n_workers;
		first.component += t->tasks.n_steps ? t->tasks.n_components : 0;
	}
	put_workers(s);
	put_components(s);
	PUT(o, page_tail);
}
