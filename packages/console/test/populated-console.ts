import assert from 'node:assert/strict';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import * as pages from '../src/pages/index.ts';
import { CONSOLE_KEY } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** An installation in which every page has something to show: of the file and of the console, well and not. */

const SECTIONS = {
  bodies: { keep: true },
  routes: [
    { model: 'smart', strategy: 'failover', targets: ['sandbox/flaky', 'sandbox/echo'] },
    { model: 'fast', strategy: 'weighted', targets: ['sandbox/echo', 'sandbox/slow'] },
  ],
  limits: [{ name: 'agents-rpm', scope: 'key', key: 'agents', rpm: 6000 }],
  budgets: [{ name: 'org-month', scope: 'org', period: 'month', limit_usd: 500 }],
  policies: [
    { name: 'cap-output', on: 'request', when: 'request.max_tokens > 8000', action: 'deny', mode: 'enforce' },
    { name: 'mails', on: 'request', detect: { pii: ['email'] }, action: 'flag' },
  ],
  channels: [{ name: 'ops', kind: 'webhook', url: 'http://127.0.0.1:9/hook' }],
  boards: [
    {
      slug: 'status',
      name: 'Status',
      public: true,
      groups: [{ name: 'Jobs', monitors: ['nightly-backup'] }],
    },
  ],
  relay: {
    mode: 'enforce',
    approvals: { enabled: true },
    rules: [
      {
        name: 'no-force-push',
        on: 'shell',
        match: { command: 'git', subcommand: 'push', any_flag: ['-f', '--force'] },
        decision: 'deny',
        message: { user: 'Force-pushes are not for agents.', agent: 'Push to a branch instead.' },
      },
      { name: 'prod-db', on: 'shell', match: { command: 'psql', args: 'prod*' }, decision: 'ask' },
    ],
  },
};

/** Pages that lie over others, and the parts of those that have several. */
const OVERLAY_PATHS: readonly string[] = [
  '/requests?open={request}',
  '/management/limits?open=new',
  '/management/budgets?open=new',
  '/channels?open=new',
  '/maintenance?open=new',
  ...['gateway', 'data', 'monitoring', 'configuration', 'account', 'appearance'].map(
    (section) => `/management/settings/${section}`,
  ),
];

/** Every page of the index and what lies over some, below `/o/acme`: `/requests/$request`. */
export const CONSOLE_PATHS: readonly string[] = [
  ...Object.values(pages)
    .flat()
    .map(({ path }) => path),
  ...OVERLAY_PATHS,
];

export interface PopulatedConsole extends MemberHarness {
  /** Where each of `CONSOLE_PATHS` is, with the ids of real things. */
  readonly pageUrls: ReadonlyMap<string, string>;
  /** A request whose bodies are kept, with this secret in them. */
  readonly loggedRequestId: string;
}

export const SECRET_WORD = 'marzipan-lighthouse';

/** @param prefix the path it lies below, behind nginx */
export async function startPopulatedConsole(prefix = ''): Promise<PopulatedConsole> {
  const harness = await startMemberHarness(prefix, SECTIONS);
  await populate(harness);
  const request = await sendTraffic(harness);
  const found = CONSOLE_PATHS.map(async (path) => {
    const place = OVERLAY_PATHS.includes(path)
      ? path.replace('{request}', request)
      : await resolvePageUrl(harness, path);
    return [path, place] as const;
  });
  return Object.assign(harness, { pageUrls: new Map(await Promise.all(found)), loggedRequestId: request });
}

async function populate(harness: MemberHarness): Promise<void> {
  const make = async (path: string, body: object) => {
    const { status, body: answer } = await harness.ask('POST', `/api/${path}`, body);
    assert.ok(status === 200 || status === 201, `${path}: ${status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const hour = 3_600_000;
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  await make('management/routes', { model: 'careful', strategy: 'failover', targets: ['sandbox/echo'] });
  await make('management/limits', { name: 'ci-rpm', scope: 'org', rpm: 12_000 });
  await make('management/budgets', {
    name: 'agents-day',
    scope: 'key',
    key: 'agents',
    period: 'day',
    limit_usd: 5,
  });
  await make('management/keys', { name: 'ci', scopes: ['gateway', 'beat'], expires_at: at(96 * hour) });
  await make('monitoring/channels', { name: 'chat', kind: 'webhook', url: 'http://127.0.0.1:9/chat' });
  await make('monitoring/monitors', {
    id: 'invoices',
    name: 'Invoice export',
    expected_interval_minutes: 60,
  });
  await make('monitoring/monitors', { id: 'report', name: 'Report renderer', expected_interval_minutes: 60 });
  await make('monitoring/maintenance', {
    id: 'move',
    name: 'Database move',
    starts_at: at(hour),
    ends_at: at(3 * hour),
    monitors: ['nightly-backup'],
    show_on_boards: true,
  });
  for (const [id, tail] of [
    ['nightly-backup', ''],
    ['invoices', ''],
    ['invoices', '/fail'],
  ] as const)
    await beat(harness, id, tail);
}

async function beat(harness: MemberHarness, id: string, tail: string): Promise<void> {
  const { body } = await harness.ask('GET', `/api/monitoring/monitors/${id}`);
  const address = isJsonObject(body) ? String(body['beat_url']) : '';
  assert.equal((await callHttp(`${address}${tail}`, { body: { host: 'db-3' } })).status, 200, address + tail);
}

/** Requests that went well and that did not, and what agents asked for; the id of the last request. */
async function sendTraffic(harness: MemberHarness): Promise<string> {
  const headers = { authorization: `Bearer ${CONSOLE_KEY}` };
  for (const model of ['sandbox/echo', 'smart', 'smart', 'fast', 'sandbox/none']) await harness.chat(model);
  for (const command of ['npm test', 'git push -f origin main', 'psql prod-main'])
    await callHttp(`${harness.url}/relay/v1/decisions`, {
      headers,
      body: {
        event: 'shell',
        session_id: 'ses-1',
        agent: { name: 'claude-code', version: '2.1.0' },
        client: { version: '1.4.0' },
        repository: { remote: 'github.com/acme/app', branch: 'main' },
        shell: { command },
      },
    });
  const answer = await callHttp(`${harness.url}/gateway/v1/chat/completions`, {
    headers,
    body: { model: 'smart', messages: [{ role: 'user', content: `Say ${SECRET_WORD}` }] },
  });
  const id = String(answer.headers['x-request-id']);
  // Its row is the last.
  await eventually(
    async () => (await harness.ask('GET', `/api/analytics/requests/${id}`)).status === 200 || undefined,
  );
  return id;
}

/** The address of a page; for one about a single thing, of the first such thing that the API lists. */
async function resolvePageUrl(harness: MemberHarness, path: string): Promise<string> {
  const [list = '', parameter] = path.split('/$', 2);
  if (parameter === undefined) return path;
  if (list === '/management/settings') return `${list}/organization`;
  if (list === '/connect') return `${list}/claude-code`;
  const kind = list.split('/').at(-1) ?? '';
  for (const area of ['management', 'monitoring', 'analytics', 'management/relay']) {
    const { body } = await harness.ask('GET', `/api/${area}/${kind}`);
    const [row] = isJsonObject(body) && Array.isArray(body['data']) ? body['data'] : [];
    if (isJsonObject(row))
      return path.replace(/\$[^/]+/, encodeURIComponent(String(row['slug'] ?? row['id'])));
  }
  throw new Error(`Nothing is listed for ${path}`);
}
