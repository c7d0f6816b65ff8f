import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import {
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject } from '@floe/contract/json';
import { eventually, TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** The console's harness: a real server with rows of a real gateway, a browser, and a member who is signed in. */

export const CONSOLE_KEY = `eis_console${'0'.repeat(32)}`;
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const SCREENSHOTS_DIR = join(import.meta.dirname, 'screenshots');

export type SessionRole = 'owner' | 'admin' | 'member' | 'viewer' | null;

export interface ConsoleHarness {
  readonly floe: FloeProcess;
  /** Ends the server as a crash would; what it wrote stays. */
  crash?(): Promise<void>;
  /** Starts it again, on the same data; whoever goes through the proxy finds it at the same address. */
  restartAfterCrash?(): Promise<void>;
  /** Where the browser goes: the server behind a proxy that signs a member in. */
  readonly url: string;
  /** Who is signed in from now on; null for nobody. */
  signInAs(role: SessionRole): void;
  /** One request through the gateway; resolves to its id. */
  chat(model: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
  browser(): Promise<Browser>;
  /** The cookies of whoever is signed in, where real sessions are used. */
  cookies?(): readonly { readonly name: string; readonly value: string; readonly url: string }[];
  close(): Promise<void>;
}

export interface RestartableHarness extends ConsoleHarness {
  /** Stops the server, does `away` to what it stored, and starts it again on the same data. */
  restart(away: (dataDir: string) => void): Promise<void>;
}

/** Starts everything. `prefix` is a path below which it lies, such as `/floe`; `more` are further sections of the org. */
export async function startConsoleHarness(
  prefix = '',
  more: Readonly<Record<string, unknown>> = {},
): Promise<RestartableHarness> {
  const home = mkdtempSync(join(tmpdir(), 'floe-harness-'));
  const dataDir = join(home, 'data');
  const yaml = JSON.stringify(consoleConfig(prefix, more), null, 2);
  // Each time on a port of its own: what it had may be somebody else's by now.
  const start = () => startFloeProcess({ yaml, dataDir });
  let floe = await start();
  const session: { role: SessionRole } = { role: 'owner' };
  const proxy = createServer((req, res) =>
    proxyRequest(req, res, { url: floe.url, prefix, role: session.role }),
  );
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  let opened: Promise<Browser> | null = null;
  return {
    get floe() {
      return floe;
    },
    async crash() {
      await floe.kill();
    },
    async restartAfterCrash() {
      floe = await start();
    },
    url: `http://127.0.0.1:${portOf(proxy)}${prefix}`,
    async restart(away) {
      await floe.stop();
      away(dataDir);
      floe = await start();
    },
    signInAs(role) {
      session.role = role;
    },
    async chat(model, more = {}) {
      const { key = CONSOLE_KEY, metadata = {}, ...body } = more;
      const answer = await callHttp(`${floe.url}${prefix}/gateway/v1/chat/completions`, {
        headers: { authorization: `Bearer ${String(key)}`, 'x-floe-metadata': JSON.stringify(metadata) },
        body: { model, messages: [{ role: 'user', content: 'Hello' }], ...body },
      });
      return String(answer.headers['x-request-id']);
    },
    browser() {
      opened ??= chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
      return opened;
    },
    async close() {
      await (await opened)?.close();
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await floe.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function consoleConfig(prefix: string, more: Readonly<Record<string, unknown>>) {
  return {
    ...(prefix === '' ? {} : { server: { base_url: `http://127.0.0.1:0${prefix}` } }),
    orgs: [
      {
        id: 'acme',
        name: 'Acme',
        keys: [
          {
            name: 'agents',
            key: CONSOLE_KEY,
            scopes: ['gateway', 'management', 'monitoring', 'read', 'relay'],
          },
          { name: 'ci', key: `eis_second${'0'.repeat(32)}`, scopes: ['gateway'] },
        ],
        providers: [{ id: 'sandbox', kind: 'sandbox' }],
        routes: [
          { model: 'smart', strategy: 'failover', targets: ['sandbox/flaky', 'sandbox/echo'], retries: 0 },
        ],
        limits: [{ scope: 'key', key: 'ci', rpm: 1 }],
        monitors: [{ id: 'nightly-backup', name: 'Nightly backup', expected_interval_minutes: 1440 }],
        ...more,
      },
    ],
  };
}

/** The system's Chromium; says how to get one when there is none, which is a failure, not a skip. */
export function findBrowser(): string {
  const found = [process.env['FLOE_CHROMIUM'] ?? '', ...BROWSERS].find(
    (path) => path !== '' && existsSync(path),
  );
  if (!found)
    throw new Error(
      'No Chromium was found. Install it (Debian: apt-get install chromium) or set FLOE_CHROMIUM to its path.',
    );
  return found;
}

interface ProxiedServer {
  readonly url: string;
  readonly prefix: string;
  /** Of the session that its requests have. */
  readonly role: SessionRole;
}

/** Answers what a session would, and sends everything else on with a platform key where a session would do. */
function proxyRequest(req: IncomingMessage, res: ServerResponse, { url, prefix, role }: ProxiedServer): void {
  const path = (req.url ?? '/').slice(prefix.length);
  if (path.startsWith('/api/session')) return answerSession(req, res, role);
  const headers = {
    ...req.headers,
    ...(path.startsWith('/api') && role ? { 'x-api-key': CONSOLE_KEY } : {}),
  };
  // Only requests with a session may name the organization of the page.
  const target = (req.url ?? '/').replace(/[?&]x-floe-org=[^&]*$/, '');
  const onward = ask(url + target, { method: req.method ?? 'GET', headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
    // Cut off there is cut off here.
    answer.on('error', () => res.destroy());
  });
  onward.on('error', () => res.destroy());
  // Who leaves here leaves there too.
  res.on('close', () => onward.destroy());
  req.pipe(onward);
}

function answerSession(req: IncomingMessage, res: ServerResponse, role: SessionRole): void {
  req.resume();
  res.setHeader('content-type', 'application/json');
  if (req.method === 'DELETE') return void res.writeHead(204).end();
  if (req.url?.includes('/password')) {
    const error = {
      message: 'The email address or password is incorrect.',
      type: 'authentication_error',
      param: null,
      code: 'invalid_credentials',
    };
    return void res.writeHead(401).end(JSON.stringify({ error, request_id: 'exc_stub' }));
  }
  const methods = { password: true, passkey: false, oidc: [{ name: 'corp' }] };
  const org = { id: 'acme', name: 'Acme' };
  const signedIn = {
    state: 'signed_in',
    user: { id: 'usr_1', email: 'mara@acme.example', name: 'Mara Koch' },
    member_id: 'mem_1',
    role,
    team: null,
    org,
    orgs: [org],
    operator: false,
    stepped_up_until: null,
    expires_at: '2030-01-01T00:00:00.000Z',
    methods,
  };
  res.end(JSON.stringify(role ? signedIn : { state: 'signed_out', setup: false, methods }));
}

export interface DisplayMode {
  readonly phone?: boolean;
  readonly dark?: boolean;
}

/** A browser of its own for whoever is signed in now. */
export async function openBrowserContext(
  harness: ConsoleHarness,
  options: DisplayMode = {},
): Promise<BrowserContext> {
  const context = await (await harness.browser()).newContext({
    viewport: options.phone ? { width: 390, height: 844 } : { width: 1440, height: 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    hasTouch: options.phone ?? false,
    timezoneId: 'UTC',
    locale: 'en-GB',
    reducedMotion: 'reduce',
  });
  if (harness.cookies) await context.addCookies([...harness.cookies()]);
  return context;
}

/** A page of the console that fails the test on what must never happen: a broken policy, a script error, a foreign request. */
export async function openConsolePage(
  harness: ConsoleHarness,
  path: string,
  options: DisplayMode = {},
): Promise<{ readonly page: Page; readonly context: BrowserContext; readonly faults: readonly string[] }> {
  const context = await openBrowserContext(harness, options);
  const faults: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(TEST_TIMEOUT_MS);
  const origin = new URL(harness.url).origin;
  await page.exposeFunction('tellFault', (fault: string) => faults.push(fault));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    tellFault('policy broken: ' + event.violatedDirective + ' ' + event.blockedURI))`);
  page.on('pageerror', (error) => faults.push(`script error: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:'))
      faults.push(`foreign request: ${request.url()}`);
  });
  await page.goto(harness.url + path);
  return { page, context, faults };
}

/** Waits until the rows of these requests can be read. */
export async function waitForWrittenRows(
  harness: ConsoleHarness,
  prefix: string,
  count: number,
): Promise<void> {
  await eventually(async () => {
    const answer = await callHttp(`${harness.floe.url}${prefix}/api/analytics/requests?limit=500`, {
      headers: { 'x-api-key': CONSOLE_KEY },
    });
    const body = answer.json();
    const written = isJsonObject(body) && Array.isArray(body['data']) ? body['data'].length : 0;
    return written >= count || undefined;
  });
}
