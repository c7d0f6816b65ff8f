// The commands with which Compose and the Helm chart start Valkey work, and their health checks follow the server.
// Tier: deploy. It needs helm, which `npm run test:deploy` installs.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { eventually } from '../../packages/testkit/src/eventually.ts';
import { findRedis } from '../../packages/testkit/src/redis-programs.ts';
import { root } from '../setup.mjs';
import { KUBERNETES_VERSIONS } from './kubernetes-versions.mjs';
import { ensurePrograms } from './programs.mjs';
import { freePort } from './prometheus-server.mjs';

const PASSWORD = 'only-for-tests-0123456789';
const programs = ensurePrograms();
const redis = findRedis(join(root, '.runtime', 'redis'));

for (const [name, read] of [
  ['Compose', composeCommands],
  ['the Helm chart', chartCommands],
])
  test(`${name}: Valkey requires the password and keeps its data over a restart`, async (t) => {
    const home = mkdtempSync(join(tmpdir(), 'floe-valkey-'));
    t.after(() => rmSync(home, { recursive: true, force: true }));
    const port = await freePort();
    const env = environmentOf(home, port);
    const { start, check } = read((script) =>
      script
        .replaceAll('/run/secrets', `${home}/secrets`)
        .replaceAll('dir /data', `dir ${home}/data\nport ${port}\nbind 127.0.0.1`),
    );
    const isHealthy = () => spawnSync('sh', ['-c', check], { env }).status === 0;
    const cli = (...args) => spawnSync('valkey-cli', args, { env, encoding: 'utf8' }).stdout.trim();
    for (const isFirst of [true, false]) {
      const server = spawn('sh', ['-ec', start], { env, stdio: 'ignore' });
      const ended = once(server, 'exit');
      await eventually(() => isHealthy() || undefined);
      assert.match(cli('ping'), /NOAUTH/);
      if (isFirst) assert.equal(cli('-a', PASSWORD, '--no-auth-warning', 'set', 'counter', '7'), 'OK');
      else assert.equal(cli('-a', PASSWORD, '--no-auth-warning', 'get', 'counter'), '7');
      // The server is the process that the container stops, not a child of its shell.
      server.kill('SIGTERM');
      await ended;
      assert.equal(isHealthy(), false);
    }
  });

/** Programs with the names of Valkey that run the Redis of the tests on a port, and the password as both ways give it. */
function environmentOf(home, port) {
  for (const directory of ['bin', 'data', 'secrets']) mkdirSync(join(home, directory));
  writeFileSync(join(home, 'secrets/valkey_password'), `${PASSWORD}\n`);
  const cli = ['redis-cli', 'valkey-cli'].map((name) => join(dirname(redis.path), name)).find(existsSync);
  assert.ok(cli, `no redis-cli beside ${redis.path}`);
  writeFileSync(join(home, 'bin/valkey-server'), `#!/bin/sh\nexec '${redis.path}' "$@"\n`, { mode: 0o755 });
  writeFileSync(join(home, 'bin/valkey-cli'), `#!/bin/sh\nexec '${cli}' -p ${port} "$@"\n`, { mode: 0o755 });
  const libraries = redis.libraries === null ? {} : { LD_LIBRARY_PATH: redis.libraries };
  return { PATH: `${home}/bin:/usr/bin:/bin`, VALKEY_PASSWORD: PASSWORD, ...libraries };
}

function composeCommands(adapt) {
  const { valkey } = parse(readFileSync(join(root, 'deploy/compose/compose.yaml'), 'utf8'), {
    merge: true,
  }).services;
  // Compose writes a dollar sign as two.
  const scriptOf = (text) => adapt(text.replaceAll('$$', '$'));
  assert.deepEqual([valkey.command.slice(0, 2), valkey.healthcheck.test[0]], [['sh', '-ec'], 'CMD-SHELL']);
  return { start: scriptOf(valkey.command[2]), check: scriptOf(valkey.healthcheck.test[1]) };
}

function chartCommands(adapt) {
  const values = ['--values', join(root, 'deploy/helm/ci/bundled.yaml')];
  const args = ['template', 'floe', join(root, 'deploy/helm/floe'), '--kube-version', KUBERNETES_VERSIONS[0]];
  const { stdout } = spawnSync(programs.helm, [...args, ...values], { encoding: 'utf8' });
  const workload = parseAllDocuments(stdout)
    .map((document) => document.toJS())
    .find((object) => object?.kind === 'StatefulSet' && object.metadata.name === 'floe-valkey');
  const [{ command, readinessProbe }] = workload.spec.template.spec.containers;
  assert.deepEqual(
    [command.slice(0, 2), readinessProbe.exec.command.slice(0, 2)],
    [
      ['sh', '-ec'],
      ['sh', '-c'],
    ],
  );
  return { start: adapt(command[2]), check: readinessProbe.exec.command[2] };
}
