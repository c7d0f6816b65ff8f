import { allRecordings, dialectOf } from './recordings.ts';
const c:any={}; for (const r of allRecordings()!) { const d=dialectOf(r)??'none'; (c[d]??=[]).push(r.name+' '+r.status+' '+r.stream+' '+(r.request?'req':'-')+' '+r.body.length); }
for (const k in c) console.log(k,c[k].length); console.log(c.none.join('\n'));
