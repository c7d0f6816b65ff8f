import { Agent, request } from 'node:http';
import { isJsonObject } from '@floe/contract/json';
import { delay } from '../processes.ts';
import { type ConsoleSession, type DeviceKind, PAGES_KEY } from './console-session.ts';
import type { FigureStore } from './figure-store.ts';
import { type FrameFigures, measureFrames, scroll } from './frames.ts';
import type { Visitor } from './visit.ts';

export interface LiveFigures extends FrameFigures {
  /** Requests that were answered. */
  readonly rows: number;
  readonly perSecond: number;
  readonly heapBeforeMb: number;
  readonly heapAfterMb: number;
  /** Answered and not in the API afterwards. */
  readonly lostInApi: number;
  /** Answered and not in the list, walked from its top to its end. */
  readonly lostInList: number;
}

const PER_SECOND = 500;
const SECONDS = 10;
const CONNECTIONS = 32;
/** After this a list that was flooded has been read anew. */
const SETTLED_MS = 5_000;
const BODY = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello' }] });

/** A flood while one looks at the top of the list, and another while one scrolls in it. */
export async function measureLive(
  visitor: Visitor,
  house: ConsoleSession,
  look: DeviceKind,
  kept: FigureStore,
): Promise<void> {
  for (const name of ['at the top', 'scrolling'] as const) {
    await visitor.page.mouse.move(5, 5);
    await visitor.open({ name, path: '/o/acme/requests' });
    await delay(2_000);
    const heapBeforeMb = await heapMb(visitor);
    let flood: Flooded = { ids: [], seconds: 0 };
    const from = Date.now();
    const frames = await measureFrames(visitor, async () => {
      const flooding = flooded(house.floe.url);
      let isOver = false;
      const ended = flooding.finally(() => {
        isOver = true;
      });
      for (let step = 0; name === 'scrolling' && !isOver; step += 1)
        await scroll(visitor, step % 2 === 0 ? 2_000 : -1_000, 1_500);
      flood = await ended;
    });
    await delay(SETTLED_MS);
    const heapAfterMb = await heapMb(visitor);
    const inApi = await idsInApi(house, from);
    const inList = await idsInList(visitor, new Set(flood.ids));
    const done: LiveFigures = {
      ...frames,
      rows: flood.ids.length,
      perSecond: flood.ids.length / flood.seconds,
      heapBeforeMb,
      heapAfterMb,
      lostInApi: flood.ids.filter((id) => !inApi.has(id)).length,
      lostInList: flood.ids.filter((id) => !inList.has(id)).length,
    };
    kept.all.live[look][name] = done;
    kept.save();
    process.stderr.write(`${look} live, ${name}: ${JSON.stringify(done)}\n`);
  }
}

interface Flooded {
  readonly ids: readonly string[];
  readonly seconds: number;
}

/** Requests through the gateway, on time whatever the answers do; the ids of those that were answered. */
async function flooded(url: string): Promise<Flooded> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const ids: string[] = [];
  const headers = {
    authorization: `Bearer ${PAGES_KEY}`,
    'content-type': 'application/json',
    'content-length': BODY.length,
  };
  const one = () =>
    new Promise<void>((resolve) => {
      const out = request(
        `${url}/gateway/v1/chat/completions`,
        { agent, method: 'POST', headers },
        (answer) => {
          answer.resume().on('close', () => {
            if (answer.statusCode === 200) ids.push(String(answer.headers['x-request-id']));
            resolve();
          });
        },
      );
      out.on('error', () => resolve());
      out.end(BODY);
    });
  const under: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; n < PER_SECOND * SECONDS; ) {
    const due = ((performance.now() - begun) / 1000) * PER_SECOND;
    for (; n < Math.min(PER_SECOND * SECONDS, due); n += 1) under.push(one());
    await delay(5);
  }
  await Promise.all(under);
  agent.destroy();
  return { ids, seconds: (performance.now() - begun) / 1000 };
}

async function heapMb({ cdp }: Visitor): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
}

async function idsInApi({ ask }: ConsoleSession, from: number): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const since = new Date(from - 1_000).toISOString();
  let cursor = '';
  do {
    const more = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await ask('GET', `/api/analytics/requests?from=${since}&limit=500${more}`);
    for (const row of Array.isArray(body['data']) ? body['data'] : [])
      if (isJsonObject(row)) ids.add(String(row['id']));
    cursor = typeof body['next_cursor'] === 'string' ? body['next_cursor'] : '';
  } while (cursor !== '');
  return ids;
}

/** Ids of the list, from its top, until all that are wanted were seen, or so many others that they are not there. */
async function idsInList({ page }: Visitor, wanted: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const waiting = page.getByRole('button', { name: /^\d+ new$/ });
  if (await waiting.isVisible()) await waiting.click();
  await page.evaluate(`document.querySelector('[data-scroll]').scrollTop = 0, 0`);
  await delay(3_000);
  const seen = new Set<string>();
  const left = new Set(wanted);
  for (let standing = 0; left.size > 0 && standing < 30 && seen.size < 2 * wanted.size; standing += 1) {
    const ids: readonly string[] = await page.evaluate(STEP);
    for (const id of ids) {
      if (!seen.has(id)) standing = 0;
      seen.add(id);
      left.delete(id);
    }
    await delay(20);
  }
  return seen;
}

/** The ids that are in the document, and then on by less than what is in view, until that is drawn. */
const STEP = `(async () => {
  const ids = [...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row);
  document.querySelector('[data-scroll]').scrollTop += innerHeight / 2;
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  return ids;
})()`;
