import { startInstance } from '@filepath/testkit';
import { streams } from './gateway/load.ts';
import { ours } from './gateway/targets.ts';
import { startUpstream } from './gateway/upstream.ts';
import { writeFileSync } from 'node:fs';
import WebSocket from 'ws';
const upstream = await startUpstream();
const instance = await startInstance({ FP_INSPECT: '9339', ANTHROPIC_API_KEY: 'key-of-the-bench', ANTHROPIC_BASE_URL: upstream.url, OPENROUTER_BASE_URL: 'http://127.0.0.1:1' }, { home: '/dev/shm/fp-prof' });
try {
const us = await ours(instance);
const wish = { events: 2, gapMs: 5, bytes: 0 };
const lv = { streams: 1, each: 60, spreadMs: 0, pauseMs: 25 };
await streams(us, lv, wish);
const list = await (await fetch('http://127.0.0.1:9339/json')).json() as {webSocketDebuggerUrl:string,title:string}[];
console.log(list.map((l) => l.title + ' ' + l.webSocketDebuggerUrl));
const t = list.find((l) => l.title.includes('filepath') || l.webSocketDebuggerUrl.includes('filepath')) ?? list[0];
const ws = new WebSocket(t!.webSocketDebuggerUrl);
await new Promise((r, j) => { ws.once('open', r); ws.once('error', j); });
let id = 0; const send = (method: string, params = {}) => new Promise<any>((r) => { const my = ++id; const f = (d: Buffer) => { const m = JSON.parse(d.toString()); if (m.id === my) { ws.off('message', f); r(m.result); } }; ws.on('message', f); ws.send(JSON.stringify({ id: my, method, params })); });
await send('Profiler.enable'); await send('Profiler.setSamplingInterval', { interval: 200 }); await send('Profiler.start');
await streams(us, { ...lv, each: 150 }, wish);
const { profile } = await send('Profiler.stop');
writeFileSync('/tmp/g1x/prof.json', JSON.stringify(profile));
const self = new Map<string, number>(); const dt = profile.timeDeltas; const byId = new Map(profile.nodes.map((n: any) => [n.id, n]));
const parent = new Map<number, number>(); for (const n of profile.nodes) for (const c of n.children ?? []) parent.set(c, n.id);
const incl = new Map<string, number>(); let total = 0;
profile.samples.forEach((s: number, i: number) => { const n: any = byId.get(s); const d = dt[i] / 1000; const key = (x: any) => `${x.callFrame.functionName || '(anon)'} ${x.callFrame.url.split('/').pop()}:${x.callFrame.lineNumber}`; if (!/idle/.test(n.callFrame.functionName)) total += d; self.set(key(n), (self.get(key(n)) ?? 0) + d); const seen = new Set<string>(); for (let c: any = n; c; c = byId.get(parent.get(c.id) ?? -1)) { const k = key(c); if (!seen.has(k)) { seen.add(k); incl.set(k, (incl.get(k) ?? 0) + d); } } });
console.log('busy ms per call', (total / 150).toFixed(2));
for (const [title, m] of [['self', self], ['incl', incl]] as const) { console.log('---', title); for (const [k, v] of [...m].sort((a, b) => b[1] - a[1]).slice(0, title === 'self' ? 40 : 90)) console.log((v / 150).toFixed(3), k); }
ws.close();
} finally { await instance[Symbol.asyncDispose](); await upstream.stop(); process.exit(0); }
