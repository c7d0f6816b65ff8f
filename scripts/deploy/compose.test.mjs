// The Compose files fit Floe, and their nginx and health checks work with real processes.
// Tier: deploy. It needs nginx, which `npm run test:deploy` installs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { checkConfigFile } from '../../packages/server/src/config/check-config.ts';
import { readEnvironment } from '../../packages/server/src/config/environment.ts';
import { findConfigIssues } from '../../packages/server/src/management/config/find-config-issues.ts';
import { startFloeProcess } from '../../packages/testkit/src/floe-process.ts';
import { root } from '../setup.mjs';
import { COMPOSE, copyCompose, startStack, writeNginxConfig } from './compose-stack.mjs';
import { ensurePrograms } from './programs.mjs';

const programs = ensurePrograms();
const HOST = 'floe.example.com';
const compose = parse(readFileSync(join(COMPOSE, 'compose.yaml'), 'utf8'), { merge: true });
/** The services that `docker compose up` starts. */
const services = Object.entries(compose.services).filter(([, { profiles }]) => profiles === undefined);
const floes = services.filter(([name]) => name.startsWith('floe-'));
const [, floe] = floes[0];

test('two Floe processes have the same settings and a data volume each', () => {
  assert.equal(floes.length, 2);
  const [one, other] = floes.map(([, { volumes: _, networks: __, ...settings }]) => settings);
  assert.deepEqual(one, other);
  const volumes = floes.map(
    ([, { volumes }]) => volumes.find((volume) => volume.endsWith(':/data')).split(':')[0],
  );
  assert.equal(new Set(volumes).size, 2);
  for (const volume of volumes) assert.ok(volume in compose.volumes, volume);
  assert.deepEqual([one.user, one.read_only, one.cap_drop], ['65532:65532', true, ['ALL']]);
});

test('every argument of a command is text', () => {
  for (const [name, { command = [], healthcheck }] of services)
    for (const part of [...command, ...healthcheck.test]) assert.equal(typeof part, 'string', name);
});

test('every service has a pinned image, a health check, a restart policy and a grace period', () => {
  for (const [name, service] of services) {
    assert.match(service.image, /:[\w.-]*\d[\w.-]*\}?$/, name);
    assert.ok(service.healthcheck.test.length > 1, name);
    assert.equal(service.restart, 'unless-stopped', name);
    assert.ok(seconds(service.stop_grace_period) >= 30, name);
    for (const [dependency, { condition }] of Object.entries(service.depends_on ?? {})) {
      assert.equal(condition, 'service_healthy', name);
      assert.ok(compose.services[dependency].healthcheck, name);
    }
  }
});

test('the grace period of Floe is longer than the documented shutdown delay and drain timeout', () => {
  const page = readFileSync(join(root, 'docs/reference/configuration/installation.md'), 'utf8');
  const limit = ['shutdown_delay_ms', 'drain_timeout_ms']
    .map(
      (field) => Number(new RegExp(`^\\| \`${field}\` \\| [^|]+ \\| \`(\\d+)\``, 'm').exec(page)[1]) / 1000,
    )
    .reduce((sum, value) => sum + value);
  assert.ok(limit >= 900);
  assert.ok(seconds(floe.stop_grace_period) > limit);
});

test('every FLOE_ variable is documented', () => {
  const page = readFileSync(join(root, 'docs/reference/environment-variables.md'), 'utf8');
  const names = Object.keys(floe.environment);
  assert.ok(names.length > 5);
  for (const name of names) assert.ok(page.includes(`| \`${name}\` |`), name);
});

test('floe.yaml is valid and trusts the address of nginx alone', () => {
  const text = readFileSync(join(COMPOSE, 'config/floe.yaml'), 'utf8');
  const options = { env: readEnvironment({}), text, path: 'floe.yaml', validateSemantics: findConfigIssues };
  const { ok, lines } = checkConfigFile({ ...options, allowUnset: true });
  assert.ok(ok, lines?.join('\n'));
  const { ipv4_address: address } = compose.services.nginx.networks.edge;
  assert.deepEqual(parse(text).server.trusted_proxies, [`${address}/32`]);
});

test('nginx sends requests to the addresses of both processes', () => {
  const text = readFileSync(join(COMPOSE, 'nginx.conf'), 'utf8');
  for (const [name, { networks }] of floes)
    assert.ok(text.includes(`server ${networks.edge.ipv4_address}:${floe.environment.FLOE_PORT} `), name);
});

test('create-secrets.sh creates every secret once', (t) => {
  const { home, created, remove } = copyCompose(HOST);
  t.after(remove);
  const first = created();
  assert.equal(first.status, 0, first.stderr);
  for (const { file } of Object.values(compose.secrets)) {
    assert.ok(readFileSync(join(home, file), 'utf8').trim().length >= 32, file);
    // The users of the containers read the files; on the host, the directory is closed.
    assert.equal(statSync(join(home, file)).mode & 0o777, 0o444, file);
  }
  assert.deepEqual(
    readdirSync(join(home, 'secrets')).sort(),
    Object.values(compose.secrets)
      .map(({ file }) => file.split('/')[1])
      .sort(),
  );
  assert.equal(statSync(join(home, 'secrets')).mode & 0o777, 0o700);
  const before = readFileSync(join(home, 'secrets/secret_key'), 'utf8');
  const second = created();
  assert.deepEqual([second.status, second.stdout], [0, '']);
  assert.equal(readFileSync(join(home, 'secrets/secret_key'), 'utf8'), before);
  assert.equal(readFileSync(join(home, '.env'), 'utf8'), `FLOE_BASE_URL=https://${HOST}\n`);
  for (const [name, service] of services)
    for (const secret of service.secrets ?? []) assert.ok(secret in compose.secrets, `${name}: ${secret}`);
});

test('create-secrets.sh stops if openssl fails, and creates an empty secret again', (t) => {
  const { home, created, remove } = copyCompose(HOST);
  t.after(remove);
  mkdirSync(join(home, 'broken'));
  writeFileSync(join(home, 'broken/openssl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const env = { PATH: `${join(home, 'broken')}:${process.env.PATH}` };
  assert.equal(spawnSync(join(home, 'create-secrets.sh'), [HOST], { env }).status, 1);
  assert.deepEqual(readdirSync(join(home, 'secrets')), []);
  writeFileSync(join(home, 'secrets/secret_key'), '\n', { mode: 0o444 });
  assert.equal(created().status, 0);
  assert.match(readFileSync(join(home, 'secrets/secret_key'), 'utf8'), /^[0-9a-f]{64}\n$/);
  const url = readFileSync(join(home, 'secrets/database_url'), 'utf8');
  assert.match(url, /^postgres:\/\/floe:[0-9a-f]{48}@postgresql:5432\/floe\n$/);
});

test('create-secrets.sh stops if it cannot read a secret', (t) => {
  const { home, created, remove } = copyCompose(HOST);
  t.after(remove);
  assert.equal(created().status, 0);
  const path = join(home, 'secrets/secret_key');
  const before = readFileSync(path, 'utf8');
  mkdirSync(join(home, 'broken'));
  // As for a file without permission to read. Root can read each file.
  writeFileSync(join(home, 'broken/grep'), '#!/bin/sh\necho "Permission denied" >&2\nexit 2\n', {
    mode: 0o755,
  });
  const env = { PATH: `${join(home, 'broken')}:${process.env.PATH}` };
  const stopped = spawnSync(join(home, 'create-secrets.sh'), [HOST], { env, encoding: 'utf8' });
  assert.deepEqual([stopped.status, stopped.stdout], [1, '']);
  assert.match(stopped.stderr, /Permission denied\nsecrets\/secret_key cannot be read/);
  assert.equal(readFileSync(path, 'utf8'), before);
});

test('create-secrets.sh replaces URLs without a password', (t) => {
  const { home, created, remove } = copyCompose(HOST);
  t.after(remove);
  assert.equal(created().status, 0);
  const urls = {
    database_url: 'postgres://floe:@postgresql:5432/floe',
    redis_url: 'redis://:@valkey:6379/0',
  };
  const before = Object.keys(urls).map((name) => readFileSync(join(home, 'secrets', name), 'utf8'));
  for (const [name, url] of Object.entries(urls)) {
    rmSync(join(home, 'secrets', name));
    writeFileSync(join(home, 'secrets', name), `${url}\n`, { mode: 0o444 });
  }
  assert.equal(created().stdout, 'created secrets/database_url\ncreated secrets/redis_url\n');
  assert.deepEqual(
    Object.keys(urls).map((name) => readFileSync(join(home, 'secrets', name), 'utf8')),
    before,
  );
});

test('nginx accepts nginx.conf', async (t) => {
  const { home, created, remove } = copyCompose(HOST);
  t.after(remove);
  created();
  const { file } = await writeNginxConfig(home, [1, 2]);
  const tested = spawnSync(programs.nginx, ['-t', '-p', home, '-c', file, '-e', 'stderr'], {
    encoding: 'utf8',
  });
  assert.equal(tested.status, 0, tested.stderr);
  assert.doesNotMatch(tested.stderr, /\[(?:warn|error|emerg)\]/);
});

test('the health check follows the readiness of the process', async (t) => {
  const server = await startFloeProcess();
  t.after(() => server.stop());
  const [kind, program, ...args] = floe.healthcheck.test;
  assert.deepEqual([kind, program], ['CMD', 'node']);
  const check = (url) => {
    const script = args.map((arg) => arg.replace('http://127.0.0.1:3563', url));
    return spawnSync(process.execPath, script, { encoding: 'utf8' }).status;
  };
  assert.ok(args.join(' ').includes('http://127.0.0.1:3563/readyz"'));
  assert.equal(check(server.url), 0);
  assert.equal(check(`${server.url}/no-such-path`), 1);
  await server.stop();
  assert.equal(check(server.url), 1);
});

test('the migration runs with the settings of Floe and takes none of the fixed addresses', () => {
  const { command, profiles, environment, secrets, networks } = compose.services.migrate;
  assert.deepEqual([command, profiles, networks], [['migrate'], ['tools'], ['stores']]);
  assert.deepEqual([environment, secrets], [floe.environment, floe.secrets]);
});

test('the stack serves requests over TLS, also while one process restarts', async (t) => {
  const { home, created, remove } = copyCompose(HOST);
  created();
  const env = { FLOE_BASE_URL: `https://${HOST}` };
  const environment = Object.fromEntries(
    Object.entries(floe.environment).map(([name, value]) => [name, interpolate(value, env)]),
  );
  const stack = await startStack(home, { nginx: programs.nginx, environment });
  t.after(async () => {
    await stack.stop();
    remove();
  });
  const ca = readFileSync(join(home, 'tls/tls.crt'));
  const redirect = await fetch(`http://127.0.0.1:${stack.http}/x`, { redirect: 'manual' });
  assert.deepEqual([redirect.status, redirect.headers.get('location')], [301, 'https://127.0.0.1/x']);
  const answers = [];
  let isOver = false;
  const load = (async () => {
    while (!isOver) answers.push(await chat(stack, ca));
  })();
  for (const index of [0, 1]) {
    await stack.restart(index);
    // Until nginx uses the process again (fail_timeout).
    await delay(2_500);
  }
  isOver = true;
  await load;
  assert.ok(answers.length > 10);
  assert.deepEqual([...new Set(answers)], ['200 whole']);
  assert.equal((await stack.call('/metrics', { ca })).status, 404);
  assert.equal((await stack.call('/', { ca })).headers['strict-transport-security'], 'max-age=31536000');
});

/** One streamed request: its status, and whether the stream was whole. */
async function chat(stack, ca) {
  const answer = await stack.call('/gateway/v1/chat/completions', {
    ca,
    method: 'POST',
    headers: { authorization: `Bearer ${stack.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sandbox/echo',
      stream: true,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  });
  return `${answer.status} ${answer.text.endsWith('data: [DONE]\n\n') ? 'whole' : answer.text}`;
}

/** Replaces `${NAME:-default}` and `${NAME:?message}` as Compose does. */
function interpolate(value, env) {
  return value.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, kind, text) => {
    if (env[name] === undefined && kind === '?') throw new Error(text);
    return env[name] ?? text;
  });
}

/** Seconds of a duration such as `16m` or `30s`. */
function seconds(duration) {
  const [, count, unit] = /^(\d+)(s|m)$/.exec(duration);
  return Number(count) * (unit === 'm' ? 60 : 1);
}

test('files that compose.yaml mounts exist or are created', () => {
  const created = ['./tls'];
  const mounted = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
  for (const path of mounted.filter((each) => each.startsWith('./') && !created.includes(each)))
    assert.ok(existsSync(join(COMPOSE, path)), path);
});
