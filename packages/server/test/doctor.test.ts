// Tier: ci. Starts the command line, a server, PostgreSQL and Redis.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createMailServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { createCertificateAuthority, issueCertificate } from '@floe/testkit/certificate';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { startDedicatedRedis } from '@floe/testkit/redis';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { createTestDatabaseWithoutTables } from '../src/store/test/postgres-database.ts';
import { CLI_PROGRAM, runProgramToEnd } from './run-program.ts';

interface DoctorReport {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly status: 'ok' | 'warning' | 'error' | 'skipped';
    readonly message: string;
    readonly remedy: string | null;
  }[];
}

interface Installation {
  readonly home: string;
  readonly dataDir: string;
  /** Runs `floe doctor --json`; also checks what is true of every report. */
  examine(env?: Readonly<Record<string, string>>): Promise<DoctorReport>;
  writeConfig(text: string): void;
}

function createInstallation(t: TestContext): Installation {
  const home = mkdtempSync(join(tmpdir(), 'floe-doctor-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const dataDir = join(home, 'data');
  return {
    home,
    dataDir,
    async examine(env = {}) {
      const { code, stdout, stderr } = await runProgramToEnd(
        CLI_PROGRAM,
        ['doctor', '--json'],
        { FLOE_DATA_DIR: dataDir, FLOE_LOG_LEVEL: 'error', ...env },
        home,
      );
      assert.equal(stderr, '');
      const report: DoctorReport = JSON.parse(stdout);
      assert.equal(
        report.ok,
        report.findings.every(({ status }) => status !== 'error'),
      );
      assert.equal(code, report.ok ? 0 : 1);
      for (const finding of report.findings)
        assert.equal(finding.remedy !== null, ['warning', 'error'].includes(finding.status), finding.message);
      return report;
    },
    writeConfig: (text) => writeFileSync(join(home, 'floe.yaml'), text, { mode: 0o600 }),
  };
}

/** Messages of the findings of one check, each with its status. */
function messagesOf({ findings }: DoctorReport, check: string): string[] {
  return findings
    .filter((finding) => finding.check === check)
    .map(({ status, message }) => `${status}: ${message}`);
}

test('before the first start, no problem is found, and nothing is created', async (t) => {
  const { examine, dataDir } = createInstallation(t);
  const report = await examine();
  assert.equal(report.ok, true, JSON.stringify(report.findings));
  assert.deepEqual(messagesOf(report, 'data_directory'), [
    `ok: ${dataDir} will be created at the first start`,
  ]);
  assert.match(messagesOf(await examine(), 'database').join(), /^skipped: .*will be created/);
});

test('a running server is found, and the output lists each finding', async (t) => {
  const { examine, dataDir, home } = createInstallation(t);
  const server = await startFloeProcess({ dataDir });
  t.after(() => server.kill());
  await server.waitForKey();
  const report = await examine();
  assert.deepEqual(messagesOf(report, 'server'), [`ok: the server at ${server.url} is ready`]);
  assert.match(messagesOf(report, 'database').join(), /^ok: SQLite at .*floe\.db is usable$/);
  assert.deepEqual(messagesOf(report, 'secret_key'), [
    `ok: ${join(dataDir, 'secret.key')} is usable`,
    'ok: the database was created with this secret key',
  ]);
  const { stdout, code } = await runProgramToEnd(CLI_PROGRAM, ['doctor'], { FLOE_DATA_DIR: dataDir }, home);
  assert.equal(code, 0);
  assert.match(stdout, /^ok {3}configuration {3}no floe\.yaml; defaults apply$/m);
  assert.match(stdout, /^0 errors, 0 warnings$/m);
  const { code: usage, stderr } = await runProgramToEnd(CLI_PROGRAM, ['doctor', 'now'], {}, home);
  assert.deepEqual([usage, stderr], [2, 'floe: usage: floe doctor [--json]\n']);
});

test('a Node.js version without Argon2 is reported, and logged at the start, unless passwords are disabled', async (t) => {
  const { examine, writeConfig, dataDir } = createInstallation(t);
  const env = {
    NODE_OPTIONS:
      '--import=data:text/javascript,import(%22node:crypto%22).then((c)=>delete(c.default.argon2))',
  };
  const warning = /members cannot sign in with a password, because Node\.js [\d.]+ does not support Argon2/;
  assert.match(messagesOf(await examine(env), 'configuration').join('\n'), warning);
  const server = await startFloeProcess({ dataDir, env });
  t.after(() => server.kill());
  await server.waitForOutput(warning);
  writeConfig('auth: { password: false }\n');
  assert.doesNotMatch(messagesOf(await examine(env), 'configuration').join('\n'), warning);
});

test('mistakes in the configuration and the environment are all listed', async (t) => {
  const { examine, writeConfig } = createInstallation(t);
  writeConfig('server: { port: many }\norgs: [{ id: acme, timezone: Mars/Base }]\n');
  const report = await examine();
  const messages = messagesOf(report, 'configuration');
  assert.equal(messages.length, 2, messages.join('\n'));
  assert.match(messages.join('\n'), /floe\.yaml:1:11: server\.port/);
  assert.match(messages.join('\n'), /floe\.yaml:2:\d+: orgs\[0\]\.timezone/);
  assert.deepEqual(messagesOf(report, 'database'), ['skipped: not checked: the configuration is invalid']);
  assert.match(
    messagesOf(await examine({ FLOE_SECRET_KEY: 'short' }), 'configuration').join(),
    /FLOE_SECRET_KEY/,
  );
});

test('files that others can read or change, a missing key and a pending migration are reported', async (t) => {
  const { examine, writeConfig, dataDir, home } = createInstallation(t);
  const server = await startFloeProcess({ dataDir });
  await server.waitForKey();
  await server.stop();
  writeConfig('orgs: [{ id: acme }]\n');
  chmodSync(join(home, 'floe.yaml'), 0o666);
  chmodSync(dataDir, 0o755);
  const open = await examine();
  assert.match(
    messagesOf(open, 'configuration').join('\n'),
    /^warning: other users .* can change .*floe\.yaml$/m,
  );
  assert.match(messagesOf(open, 'data_directory').join('\n'), /^warning: other users .* can access/);
  chmodSync(join(dataDir, 'secret.key'), 0o644);
  assert.match(messagesOf(await examine(), 'secret_key').join('\n'), /^error: Other users .*secret\.key/);
  chmodSync(join(dataDir, 'secret.key'), 0o600);
  const file = new DatabaseSync(join(dataDir, 'floe.db'));
  file.exec('delete from migrations where number = (select max(number) from migrations)');
  file.close();
  assert.match(
    messagesOf(await examine(), 'database').join('\n'),
    /^warning: migrations are pending: \d+ [a-z-]+$/m,
  );
  rmSync(join(dataDir, 'secret.key'));
  assert.match(
    messagesOf(await examine(), 'secret_key').join('\n'),
    /^error: The secret key for .* is missing/,
  );
});

test('PostgreSQL and Redis are checked for version, latency, clock and eviction policy', async (t) => {
  const { examine } = createInstallation(t);
  const redis = await startDedicatedRedis();
  t.after(() => redis.stop());
  const env = {
    FLOE_DATABASE_URL: await createTestDatabaseWithoutTables(t),
    FLOE_REDIS_URL: redis.url,
    FLOE_SECRET_KEY: 'k'.repeat(40),
  };
  const report = await examine(env);
  assert.match(
    messagesOf(report, 'database').join('\n'),
    /^(ok|warning): PostgreSQL [\d.]+.* is usable, [\d.]+ ms per query$/m,
  );
  assert.match(messagesOf(report, 'database').join('\n'), /^warning: migrations are pending: 1 baseline, /m);
  assert.match(
    messagesOf(report, 'shared_store').join('\n'),
    /^(ok|warning): (Redis|Valkey) [\d.]+ is usable/m,
  );
  assert.match(
    messagesOf(report, 'clock').join('\n'),
    /^ok: the clocks of this machine and the (database|shared store) agree$/,
  );
  const { FLOE_SECRET_KEY: _, ...keyless } = env;
  assert.match(messagesOf(await examine(keyless), 'secret_key').join(), /^error: FLOE_SECRET_KEY is not set/);
  const away = {
    ...env,
    FLOE_DATABASE_URL: 'postgres://floe@127.0.0.1:1/x',
    FLOE_REDIS_URL: 'redis://127.0.0.1:1',
  };
  const failed = await examine(away);
  assert.match(messagesOf(failed, 'database').join(), /^error: Cannot use the database: .*ECONNREFUSED/);
  assert.match(
    messagesOf(failed, 'shared_store').join(),
    /^error: Cannot use the shared store: .*ECONNREFUSED/,
  );
});

test('providers, mail and the certificate of the public URL are tested', async (t) => {
  const { examine, writeConfig } = createInstallation(t);
  const asked: string[] = [];
  const upstream = await startFakeUpstream({
    respond: ({ headers, method }) => {
      asked.push(method);
      return headers['authorization'] === 'Bearer right'
        ? createJsonReply({ object: 'list', data: [{ id: 'm' }] })
        : createJsonReply({ error: { message: 'wrong key' } }, 401);
    },
  });
  t.after(() => upstream.close());
  const authority = createCertificateAuthority('doctor');
  const { cert, key } = issueCertificate('localhost', authority);
  const tls = createTlsServer({ cert, key }, (socket) => socket.end());
  const mail = createMailServer((socket) => socket.on('error', () => undefined).end('554 no\r\n'));
  for (const listener of [tls, mail]) {
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    t.after(() => listener.close());
  }
  const [tlsPort, mailPort] = [tls, mail].map((listener) => {
    const address = listener.address();
    return typeof address === 'object' ? address?.port : undefined;
  });
  writeConfig(`
server: { base_url: "https://127.0.0.1:${tlsPort}" }
smtp: { url: "smtp://127.0.0.1:${mailPort}", from: floe@example.com, require_tls: false }
orgs:
  - id: acme
    providers:
      - { id: good, kind: openai-compatible, base_url: "${upstream.url}/v1", api_key: right }
      - { id: bad, kind: openai-compatible, base_url: "${upstream.url}/v1", api_key: wrong-secret }
      - { id: lent, kind: openai-compatible, base_url: "${upstream.url}/v1", credential_source: caller, models: [m] }
      - { id: sandbox, kind: sandbox }
`);
  const report = await examine();
  const providers = messagesOf(report, 'providers').join('\n');
  assert.match(providers, /^ok: acme\/good, credential default: /m);
  assert.match(providers, /^error: acme\/bad, credential default: .*wrong key/m);
  assert.match(providers, /^skipped: acme\/lent: not tested, because callers send their own credentials$/m);
  assert.match(providers, /^skipped: acme\/sandbox: not tested, because it has no credential$/m);
  assert.deepEqual(asked, ['GET', 'GET'], 'a test lists models and costs nothing');
  assert.doesNotMatch(JSON.stringify(report), /wrong-secret/);
  assert.match(messagesOf(report, 'mail').join(), /^warning: mail server error: /);
  assert.match(
    messagesOf(report, 'certificate').join(),
    /^error: clients will reject the certificate of 127\.0\.0\.1: /,
  );
  const trusted = await examine({ NODE_EXTRA_CA_CERTS: writeAuthority(t, authority.cert) });
  assert.match(
    messagesOf(trusted, 'certificate').join(),
    /^warning: the certificate of 127\.0\.0\.1 expires in 0 days$/,
  );
});

function writeAuthority(t: TestContext, cert: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'floe-ca-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'ca.pem');
  writeFileSync(path, cert);
  return path;
}
