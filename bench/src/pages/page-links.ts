import { isJsonObject } from '@floe/contract/json';
import type { ConsoleSession } from './console-session.ts';

/** A page as a link leads there. */
export interface PageLink {
  readonly name: string;
  readonly path: string;
}

/** What the index of pages cannot know: the links that ask for much. */
const HEAVY_LINKS: readonly (readonly [string, string])[] = [
  ['Overview, 30 days', '/overview?range=30d'],
  ['Requests, 30 days', '/requests?range=30d'],
  ['Requests of a rare model', '/requests?range=30d&model=model-rare'],
  ['Requests of a key, failed', '/requests?range=30d&key=key_0&status=5xx'],
  ['Requests of a metadata value', '/requests?range=30d&metadata.project=project-3'],
  ['Requests of undeclared metadata', '/requests?range=30d&metadata.build=5'],
  ['Analytics, latency by key', '/analytics?metric=latency&by=key'],
  ['Analytics, spend by project', '/analytics?by=metadata.project'],
  ['Analytics, one model by key', '/analytics?model=model-0&by=key'],
  ['Analytics, 7 days by hour', '/analytics?range=7d&interval=hour'],
  ['Analytics, 30 days by hour', '/analytics?interval=hour'],
  ['Monitors failing', '/monitors?status=failing'],
  ['Monitors by name', '/monitors?search=job-99'],
  ['Monitor with a beat a minute', '/monitors/job-1'],
  ['Alerts of a monitor', '/alerts?subject=job-9000'],
  ['Audit of an actor', '/management/audit?actor=key_5'],
];

/** Every page of the console's index, then the heavy links, then the board that strangers see. */
export async function listPageLinks({ ask }: ConsoleSession): Promise<readonly PageLink[]> {
  const index: unknown = await import(
    new URL('../../../packages/console/src/pages/index.ts', import.meta.url).href
  );
  const found: PageLink[] = [];
  for (const page of Object.values(isJsonObject(index) ? index : {}).flat()) {
    if (!isJsonObject(page) || typeof page['path'] !== 'string') continue;
    const path = await resolvePagePath(page['path'], ask);
    found.push({ name: `${String(page['title'])} ${page['path']}`, path: `/o/acme${path}` });
  }
  if (found.length < 20) throw new Error('the index of pages could not be read');
  const heavy = HEAVY_LINKS.map(([name, path]) => ({ name, path: `/o/acme${path}` }));
  return [...found, ...heavy];
}

/** The address of a page; for one about a single thing, of the first such thing that the API lists. */
async function resolvePagePath(path: string, ask: ConsoleSession['ask']): Promise<string> {
  const [list = '', parameter] = path.split('/$', 2);
  if (parameter === undefined) return path;
  const kind = list.split('/').at(-1) ?? '';
  for (const room of ['management', 'monitoring', 'analytics', 'management/relay']) {
    const { body } = await ask('GET', `/api/${room}/${kind}?limit=1`);
    const [row] = Array.isArray(body['data']) ? body['data'] : [];
    if (isJsonObject(row)) return path.replace(/\$[^/]+/, String(row['id'] ?? row['slug']));
  }
  return path.replace(/\$[^/]+/, 'none');
}
