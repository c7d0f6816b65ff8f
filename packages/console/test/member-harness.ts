import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { type Browser, chromium } from 'playwright-core';
import { CONSOLE_KEY, type ConsoleHarness, findBrowser, type SessionRole } from './console-harness.ts';
import { startReverseProxy } from './reverse-proxy.ts';

/** A real server with real members: each signed in by what the console itself would send. */

export const MEMBER_PASSWORD = 'quiet harbour lantern';
const LINK = /#t(?:oken)?=([\w-]{43})/;

export interface MemberHarness extends ConsoleHarness {
  /** Asks the API as whoever is signed in; the body as JSON, null when there is none. */
  ask(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ readonly status: number; readonly body: unknown }>;
}

/**
 * Starts a server with an owner, an admin, a member and a viewer. `prefix` puts it behind nginx, below that path; `more`
 * are further sections of the org.
 */
export async function startMemberHarness(
  prefix = '',
  more: Readonly<Record<string, unknown>> = {},
): Promise<MemberHarness> {
  const front = prefix === '' ? null : await startReverseProxy(prefix);
  const floe = await startFloeProcess({ yaml: yamlOf(front && `${front.origin}${prefix}`, more) });
  await front?.routeTo(floe.url);
  const origin = front?.origin ?? floe.url;
  const url = `${origin}${prefix}`;
  const cookies = new Map<SessionRole, string>();
  let now: SessionRole = 'owner';
  const send = async (method: string, path: string, body?: object) => {
    const cookie = cookies.get(now);
    const headers = {
      origin,
      ...(cookie && { cookie }),
      ...(body && { 'content-type': 'application/json' }),
    };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    const [set = ''] = answer.headers.getSetCookie();
    return { status: answer.status, body: parsedOf(text), cookie: set.split(';', 1)[0] ?? '' };
  };
  const [, token] = LINK.exec(await ownerLink(floe)) ?? [];
  const owner = { token, email: 'mara@acme.example', name: 'Mara Koch', password: MEMBER_PASSWORD };
  cookies.set('owner', (await send('POST', '/api/session/setup', owner)).cookie);
  for (const role of ['admin', 'member', 'viewer'] as const) {
    const email = `${role}@acme.example`;
    const made = JSON.stringify((await send('POST', '/api/management/invitations', { email, role })).body);
    const taken = { token: LINK.exec(made)?.[1], name: `Some ${role}`, password: MEMBER_PASSWORD };
    // As somebody who is not signed in: the session that takes an invitation is replaced by the new one.
    now = null;
    cookies.set(role, (await send('POST', '/api/session/invitation', taken)).cookie);
    now = 'owner';
  }
  let opened: Promise<Browser> | null = null;
  return {
    floe,
    url,
    signInAs: (role) => {
      now = role;
    },
    ask: send,
    cookies() {
      const [name = '', value = ''] = (cookies.get(now) ?? '').split('=', 2);
      return name === '' ? [] : [{ name, value, url: origin }];
    },
    chat: (model, { key = CONSOLE_KEY } = {}) => chat(url, model, String(key)),
    browser() {
      opened ??= chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
      return opened;
    },
    async close() {
      await (await opened)?.close();
      await front?.close();
      await floe.stop();
    },
  };
}

/** As if everybody had signed in a while ago: what wants a fresh sign-in asks for it. */
export function expireStepUp({ dataDir }: FloeProcess): void {
  const database = new DatabaseSync(join(dataDir, 'floe.db'), { timeout: 5000 });
  database.exec('update sessions set stepped_up_until = 0');
  database.close();
}

function parsedOf(text: string): unknown {
  return text === '' ? null : JSON.parse(text);
}

/** The id of the request. */
async function chat(url: string, model: string, key: string): Promise<string> {
  const answer = await callHttp(`${url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${key}` },
    body: { model, messages: [{ role: 'user', content: 'Hello' }] },
  });
  return String(answer.headers['x-request-id']);
}

/** The link that makes an owner, as the command line makes it beside a running server. */
async function ownerLink({ dataDir, url }: FloeProcess): Promise<string> {
  const program = join(import.meta.dirname, '..', '..', 'cli', 'bin', 'floe.mjs');
  const env = { PATH: process.env['PATH'], FLOE_DATA_DIR: dataDir, FLOE_PORT: new URL(url).port };
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'owner-link'], {
    env,
    cwd: dataDir,
  });
  return stdout;
}

/** Over several lines, as people write it: what the console says of lines is worth reading. */
function yamlOf(baseUrl: string | null, more: Readonly<Record<string, unknown>>): string {
  const config = {
    ...(baseUrl && { server: { base_url: baseUrl, trusted_proxies: ['127.0.0.1'] } }),
    orgs: [
      {
        id: 'acme',
        name: 'Acme',
        keys: [
          {
            name: 'agents',
            key: CONSOLE_KEY,
            scopes: ['gateway', 'management', 'monitoring', 'relay', 'read'],
          },
        ],
        teams: [{ id: 'platform', name: 'Platform' }],
        providers: [{ id: 'sandbox', kind: 'sandbox' }],
        routes: [{ model: 'smart', strategy: 'failover', targets: ['sandbox/flaky', 'sandbox/echo'] }],
        limits: [{ scope: 'key', key: 'agents', rpm: 600 }],
        bodies: { keep: false },
        monitors: [{ id: 'nightly-backup', name: 'Nightly backup', expected_interval_minutes: 1440 }],
        ...more,
      },
    ],
  };
  return JSON.stringify(config, null, 2);
}
