// Tier: ci. Signs in with slow password hashes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { CLI_PROGRAM, runProgramToEnd } from './run-program.ts';

const PASSWORD = 'quiet harbour lantern';
const LINK = /\/sign-in#token=([A-Za-z0-9_-]{43})/;

let floe: FloeProcess;
before(async () => {
  floe = await startFloeProcess();
});
after(() => floe.stop());

async function ask(
  method: string,
  path: string,
  options: { body?: object; cookie?: string; origin?: string },
) {
  const { body, cookie, origin = floe.url } = options;
  const answer = await fetch(`${floe.url}${path}`, {
    method,
    headers: {
      origin,
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? null : JSON.parse(text), headers: answer.headers };
}

const setup = (token: string | undefined, email: string) =>
  ask('POST', '/api/session/setup', { body: { token, email, name: 'Mara Koch', password: PASSWORD } });

test('the link of the first start creates the owner, whose cookie opens the API until they sign out', async () => {
  const [, token] = await floe.waitForOutput(LINK);
  const made = await setup(token, 'mara@acme.example');
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const [line = ''] = made.headers.getSetCookie();
  const port = new URL(floe.url).port;
  assert.match(
    line,
    new RegExp(`^floe_session_${port}=[\\w-]{43}; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax$`),
  );
  const cookie = line.split(';')[0] ?? '';
  const me = await ask('GET', '/api/me', { cookie });
  assert.deepEqual([me.body.kind, me.body.member.role], ['member', 'owner']);
  assert.equal(me.body.operator, true, 'the first owner of an installation operates it');
  assert.equal((await ask('POST', '/api/management/cache/purge', { cookie })).status, 204);
  const elsewhere = await ask('POST', '/api/management/cache/purge', {
    cookie,
    origin: 'http://evil.example',
  });
  assert.equal(elsewhere.body.error.code, 'cross_site_request');
  assert.equal((await ask('DELETE', '/api/session', { cookie })).status, 204);
  assert.equal((await ask('GET', '/api/me', { cookie })).body.error.code, 'session_expired');
  for (const secret of [token ?? '', PASSWORD, cookie.split('=')[1] ?? ''])
    assert.equal(floe.output().split(secret).length - 1, secret === token ? 1 : 0, 'no log has it');
});

test('floe owner-link works while the server runs, for an owner who also lost their password', async () => {
  const ownerLink = (...args: readonly string[]) => {
    // The port is the server's affair: whoever runs the command has not its environment.
    return runProgramToEnd(
      CLI_PROGRAM,
      ['owner-link', ...args],
      { FLOE_DATA_DIR: floe.dataDir },
      floe.dataDir,
    );
  };
  const { code, stdout, stderr } = await ownerLink();
  assert.equal(code, 0, stderr);
  assert.ok(stdout.startsWith(`${floe.url}/sign-in#token=`));
  const [, token] = LINK.exec(stdout) ?? [];
  const made = await setup(token, 'mara@acme.example');
  assert.deepEqual([made.status, made.body.role], [200, 'owner']);
  assert.equal((await setup(token, 'eve@acme.example')).body.error.code, 'link_expired');
  const signedIn = made.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  // Another process changes the store: this one reads the session again within two seconds.
  const operates = (wanted: boolean) =>
    eventually(async () =>
      (await ask('GET', '/api/me', { cookie: signedIn })).body.operator === wanted ? true : undefined,
    );
  await operates(true);
  for (const action of ['revoke', 'grant']) {
    const env = { FLOE_DATA_DIR: floe.dataDir };
    const changed = await runProgramToEnd(
      CLI_PROGRAM,
      ['operator', action, 'Mara@acme.example'],
      env,
      floe.dataDir,
    );
    assert.equal(changed.code, 0, changed.stderr);
    await operates(action === 'grant');
  }
  const chain = await ask('GET', '/api/management/audit/chain', { cookie: signedIn });
  assert.equal(chain.body.valid, true, 'the commands of the host write with the key of the chain');
  const unknown = await ownerLink('nowhere');
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /Specify one of these organizations: default\./);
});
