import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import type { Alert } from '../../server/src/alerts/alert.ts';
import { buildAlertLogUrl, buildAlertSubjectUrl } from '../../server/src/alerts/console-links.ts';
import { CONSOLE_KEY, openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

const RELAY = {
  relay: {
    mode: 'enforce',
    approvals: { enabled: true },
    rules: [{ name: 'ask-deploy', on: 'shell', match: { command: 'deploy' }, decision: 'ask' }],
  },
};

/** A receiver of webhooks that keeps the links it is sent, by what they are about. */
const links = new Map<string, string>();
let receiver: Server;
before(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
      links.set(String(type), String(data.link));
      response.end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
});
after(() => {
  receiver.closeAllConnections();
  receiver.close();
});

function receiverUrl(): string {
  const address = receiver.address();
  assert.ok(address && typeof address === 'object');
  return `http://127.0.0.1:${address.port}/`;
}

async function made(
  people: MemberHarness,
  path: string,
  body: object,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await people.ask('POST', path, body);
  assert.ok(answer.status < 300 && isJsonObject(answer.body), JSON.stringify(answer));
  return answer.body;
}

/** Opens a link as somebody who clicks on it, signed in or not, and finds what it is about. */
async function opens(
  people: MemberHarness,
  link: string,
  about: string | RegExp,
  role: 'owner' | null = 'owner',
) {
  people.signInAs(role);
  assert.ok(link.startsWith(`${people.url}/`), link);
  const { page, context } = await openConsolePage(people, link.slice(people.url.length));
  const found = page.getByText(about).first();
  await found.waitFor().catch((cause: unknown) => {
    throw new Error(`${link} does not show ${about}`, { cause });
  });
  await context.close();
  people.signInAs('owner');
}

const common = { orgId: 'acme', idempotencyKey: 'key', at: 0, channels: null } as const;
const breaker: Alert = {
  ...common,
  event: 'breaker',
  subject: { kind: 'breaker', id: 'sandbox/echo@default', name: 'sandbox/echo' },
  fields: { state: 'open', sinceMs: 0 },
};

for (const prefix of ['', '/floe'])
  test(`every link that is sent or printed opens the page it names${prefix && ', below a path too'}`, async () => {
    const people = await startMemberHarness(prefix, RELAY);
    try {
      links.clear();
      await made(people, '/api/monitoring/channels', {
        name: 'ops-room',
        kind: 'webhook',
        url: receiverUrl(),
      });
      await made(people, '/api/monitoring/channels/ops-room/test', {});
      const monitor = { id: 'invoices', name: 'Invoice export', expected_interval_minutes: 60 };
      const { beat_url: beatUrl } = await made(people, '/api/monitoring/monitors', monitor);
      assert.equal((await fetch(String(beatUrl))).status, 200);
      assert.equal((await fetch(`${beatUrl}/fail`)).status, 200);
      const heard = (type: string) => eventually(async () => links.get(type));
      await opens(people, await heard('test'), 'ops-room');
      await opens(people, await heard('monitor_failing'), 'Invoice export');
      assert.equal((await people.ask('DELETE', '/api/monitoring/monitors/invoices')).status, 204);
      await opens(people, await heard('monitor_recovered'), 'Invoice export');
      await opens(people, buildAlertLogUrl('acme', people.url), 'Invoice export');

      const budget = { name: 'agents-month', scope: 'org', limit_usd: 5, period: 'month', mode: 'soft' };
      const { id } = await made(people, '/api/management/budgets', budget);
      const fields = { budgetId: String(id), share: 1, spentNanoUsd: 1, limitNanoUsd: 1, period: 'month' };
      const spent: Alert = {
        ...common,
        event: 'budget',
        subject: { kind: 'budget', id: `b:${id}:month:x:org`, name: 'agents-month' },
        fields: { ...fields, mode: 'soft', resetsAtMs: null },
      };
      await opens(people, buildAlertSubjectUrl(spent, people.url), 'agents-month');
      await opens(people, buildAlertSubjectUrl(breaker, people.url), 'sandbox/echo@default');

      const groups = [{ name: 'Jobs', monitors: ['nightly-backup'] }];
      const board = { slug: 'jobs', name: 'Jobs at night', public: true, groups };
      const { url } = await made(people, '/api/monitoring/boards', board);
      await opens(people, String(url), 'Jobs at night', null);

      const asked = await callHttp(`${people.url}/relay/v1/decisions`, {
        headers: { authorization: `Bearer ${CONSOLE_KEY}` },
        body: {
          event: 'shell',
          session_id: 'ses-1',
          agent: { name: 'claude-code', version: '2.1.0' },
          client: { version: '1.4.0' },
          repository: { remote: 'github.com/acme/app', branch: 'main' },
          shell: { command: 'deploy --now' },
        },
      });
      const { approval } = Object(asked.json());
      await opens(people, String(approval?.url), 'deploy --now');

      const invited = await made(people, '/api/management/invitations', {
        email: 'new@acme.example',
        role: 'member',
      });
      const link = JSON.stringify(invited).match(/https?:[^"]+/)?.[0] ?? '';
      await opens(people, link, /Acme/, null);

      const printed = await ownerLink(people);
      await opens(people, printed, /owner/i, null);
      const first = /https?:\/\/\S+/.exec(/console\s+(\S+)/.exec(people.floe.output())?.[1] ?? '')?.[0];
      if (first) await opens(people, first.replace(/#.*/, ''), /Sign in/, null);
    } finally {
      await people.close();
    }
  });

/** The link of `floe owner-link`, run beside the server with its configuration. */
async function ownerLink({ floe, url }: MemberHarness): Promise<string> {
  const program = join(import.meta.dirname, '..', '..', 'cli', 'bin', 'floe.mjs');
  const env = { PATH: process.env['PATH'], FLOE_DATA_DIR: floe.dataDir, FLOE_BASE_URL: url };
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'owner-link'], {
    env,
    cwd: floe.dataDir,
  });
  const [link] = /https?:\/\/\S+/.exec(stdout) ?? [];
  assert.ok(link, stdout);
  return link;
}
