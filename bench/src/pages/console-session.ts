import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { type BrowserContext, chromium, devices } from 'playwright-core';

/** Signs what the loaded rows contain, such as the audit log. */
export const SECRET_KEY = 'bench secret of the loaded rows 1';
export const PAGES_KEY = `eis_pages${'0'.repeat(32)}`;
const OWNER = { email: 'bench@acme.example', password: 'quiet harbour lantern' };
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Migrating and the first look at a file of some GB may take a while. */
const START_MS = 180_000;
const ON_BOARD = 500;

export type DeviceKind = 'desktop' | 'phone';

/** The real server over the data, with an owner who is signed in. */
export interface ConsoleSession {
  readonly floe: FloeProcess;
  /** Asks the API as the owner; the body as JSON, null when there is none. */
  ask(method: string, path: string, body?: object): Promise<{ readonly status: number; body: JsonObject }>;
  /** The `cookie` header of the owner. */
  cookie(): string;
  /** A browser with a profile of its own: a cache on disk, as a person has. */
  browser(look: DeviceKind): Promise<BrowserContext>;
  close(): Promise<void>;
}

/**
 * @param dataDir made by `bench/rows.mjs --data … --keep`; it is written to
 * @param database a PostgreSQL database that has the rows instead
 */
export async function openConsoleSession(dataDir: string, database?: string): Promise<ConsoleSession> {
  const floe = await startFloeProcess({
    dataDir,
    yaml: JSON.stringify({ ...CONFIG, ...(database && { storage: { database } }) }),
    env: { FLOE_LOG_LEVEL: 'error', FLOE_SECRET_KEY: SECRET_KEY },
    startTimeoutMs: START_MS,
  });
  const profiles = mkdtempSync(join(tmpdir(), 'floe-pages-'));
  let cookie = '';
  const ask: ConsoleSession['ask'] = async (method, path, body) => {
    const headers = {
      origin: floe.url,
      ...(cookie !== '' && { cookie }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const answer = await fetch(floe.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const [set = ''] = answer.headers.getSetCookie();
    if (set !== '') cookie = set.split(';', 1)[0] ?? '';
    const parsed: unknown = text === '' ? null : JSON.parse(text);
    return { status: answer.status, body: isJsonObject(parsed) ? parsed : {} };
  };
  await signIn(floe, ask);
  await addBoard(ask);
  return {
    floe,
    ask,
    cookie: () => cookie,
    async browser(look) {
      const context = await chromium.launchPersistentContext(join(profiles, look), {
        executablePath: browserPath(),
        args: ['--no-sandbox'],
        timezoneId: 'Europe/Riga',
        locale: 'en-GB',
        ...(look === 'phone' ? PHONE : { viewport: { width: 1440, height: 900 } }),
      });
      const [name = '', value = ''] = cookie.split('=', 2);
      await context.addCookies([{ name, value, url: floe.url }]);
      await context.addInitScript({ path: join(import.meta.dirname, 'in-page.js') });
      return context;
    },
    async close() {
      await floe.stop();
      rmSync(profiles, { recursive: true, force: true });
    },
  };
}

/** A copy of the data, made once: the server writes to it. */
export function copyDataDir(from: string, to: string): void {
  if (existsSync(to) && readdirSync(to).some((name) => name === 'floe.db')) return;
  cpSync(from, to, { recursive: true });
}

const { defaultBrowserType: _, ...PHONE } = { ...devices['Pixel 7'], defaultBrowserType: 'chromium' };

function browserPath(): string {
  const found = [process.env['FLOE_CHROMIUM'] ?? '', ...BROWSERS].find(
    (path) => path !== '' && existsSync(path),
  );
  if (!found) throw new Error('No Chromium was found. Install it, or set FLOE_CHROMIUM to its path.');
  return found;
}

async function signIn({ dataDir, configFile, url }: FloeProcess, ask: ConsoleSession['ask']): Promise<void> {
  if ((await ask('POST', '/api/session/password', OWNER)).status === 200) return;
  const program = join(import.meta.dirname, '..', '..', '..', 'packages', 'cli', 'bin', 'floe.mjs');
  const env = {
    PATH: process.env['PATH'],
    FLOE_DATA_DIR: dataDir,
    FLOE_CONFIG: configFile,
    FLOE_SECRET_KEY: SECRET_KEY,
    FLOE_PORT: new URL(url).port,
  };
  const made = await promisify(execFile)(process.execPath, [program, 'owner-link', 'acme'], {
    env,
    cwd: dataDir,
  });
  const [, token] = /#t(?:oken)?=([\w-]{43})/.exec(made.stdout) ?? [];
  const { status, body } = await ask('POST', '/api/session/setup', { ...OWNER, name: 'Bench', token });
  if (status >= 300) throw new Error(`signing in answered ${status}: ${JSON.stringify(body)}`);
}

/** A board of many monitors; one that is there already stays. */
async function addBoard(ask: ConsoleSession['ask']): Promise<void> {
  const monitors = Array.from({ length: ON_BOARD }, (_, n) => `job-${n + 1}`);
  const board = { slug: 'jobs', name: 'Jobs', public: true, groups: [{ name: 'Jobs', monitors }] };
  const { status, body } = await ask('POST', '/api/monitoring/boards', board);
  if (status !== 201 && status !== 409) throw new Error(`the board: ${status} ${JSON.stringify(body)}`);
}

const CONFIG = {
  orgs: [
    {
      id: 'acme',
      name: 'Acme',
      analytics: { metadata_keys: ['project'] },
      keys: [
        { name: 'bench', key: PAGES_KEY, scopes: ['gateway', 'management', 'monitoring', 'read', 'relay'] },
      ],
      teams: [{ id: 'platform', name: 'Platform' }],
      providers: [{ id: 'sandbox', kind: 'sandbox' }],
      routes: [{ model: 'smart', strategy: 'failover', targets: ['sandbox/flaky', 'sandbox/echo'] }],
      limits: [{ name: 'all', scope: 'org', rpm: 1_000_000 }],
      policies: [
        { name: 'long-answers', on: 'request', when: 'request.max_tokens > 1000000', action: 'deny' },
      ],
      relay: { rules: [{ name: 'no-tools', on: 'shell', match: { command: 'tool' }, decision: 'deny' }] },
      budgets: [{ name: 'all', scope: 'org', period: 'month', mode: 'soft', limit_usd: 1_000_000 }],
    },
  ],
};
