// The stack of deploy/compose without containers: the same configuration, secrets and commands on loopback ports.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../packages/testkit/src/eventually.ts';
import { startFloeProcess } from '../../packages/testkit/src/floe-process.ts';
import { startDedicatedPostgres } from '../../packages/testkit/src/postgres.ts';
import { startDedicatedRedis } from '../../packages/testkit/src/redis.ts';
import { root } from '../setup.mjs';
import { freePort } from './prometheus-server.mjs';

export const COMPOSE = join(root, 'deploy/compose');
const PLATFORM_KEY = `eis_compose${'0'.repeat(32)}`;

/** A copy of deploy/compose in which create-secrets.sh ran for `host`. */
export function copyCompose(host) {
  const home = mkdtempSync(join(tmpdir(), 'floe-compose-'));
  cpSync(COMPOSE, home, { recursive: true });
  const created = () => spawnSync(join(home, 'create-secrets.sh'), [host], { encoding: 'utf8' });
  return { home, created, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/**
 * Two Floe processes with PostgreSQL, Redis and the secret files of a copy, behind nginx with its nginx.conf.
 * `environment` is that of the Floe services.
 */
export async function startStack(home, { nginx, environment }) {
  const postgres = await startDedicatedPostgres();
  const redis = await startDedicatedRedis();
  writeFileSync(join(home, 'secrets/database_url'), `${postgres.url}\n`, { flag: 'w' });
  writeFileSync(join(home, 'secrets/redis_url'), `${redis.url}\n`, { flag: 'w' });
  const ports = [await freePort(), await freePort()];
  const start = (port) => startFloe(home, environment, port);
  const floes = [];
  // One after the other: the first one migrates.
  for (const port of ports) floes.push(await start(port));
  const proxy = await startNginx(nginx, home, ports);
  return {
    ...proxy,
    floes,
    key: PLATFORM_KEY,
    async restart(index) {
      await floes[index].stop();
      floes[index] = await start(ports[index]);
    },
    async stop() {
      await proxy.stop();
      await Promise.all(floes.map((floe) => floe.stop()));
      await redis.stop();
      await postgres.stop();
    },
  };
}

function startFloe(home, environment, port) {
  const env = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace('/run/secrets', `${home}/secrets`),
    ]),
  );
  for (const name of ['FLOE_CONFIG', 'FLOE_DATA_DIR', 'FLOE_PORT']) delete env[name];
  const yaml = readFileSync(join(home, 'config/floe.yaml'), 'utf8')
    .replace('port: 9464', 'port: 0')
    .replace('172.30.35.10/32', '127.0.0.1/32');
  const org = `\norgs:\n  - id: acme\n    keys: [{ name: test, key: "${PLATFORM_KEY}", scopes: [gateway, read] }]\n    providers: [{ id: sandbox, kind: sandbox }]\n`;
  return startFloeProcess({
    port,
    yaml: yaml + org,
    env: { ...env, FLOE_HOST: '127.0.0.1', FLOE_SHUTDOWN_DELAY_MS: '1000' },
  });
}

/** Writes nginx.conf of a copy with other addresses, ports and paths. Returns its file and its ports. */
export async function writeNginxConfig(home, [one, other]) {
  const [http, https, health] = [await freePort(), await freePort(), await freePort()];
  const replaced = [
    ['172.30.35.11:3563', `127.0.0.1:${one}`],
    ['172.30.35.12:3563', `127.0.0.1:${other}`],
    ['listen 80;', `listen 127.0.0.1:${http};`],
    ['listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`],
    ['listen 127.0.0.1:8080;', `listen 127.0.0.1:${health};`],
    ['/etc/nginx/tls', `${home}/tls`],
    [
      'http {',
      `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${home}/${name};`).join('\n')}`,
    ],
  ];
  const text = replaced.reduce(
    (config, [from, to]) => {
      if (!config.includes(from)) throw new Error(`nginx.conf has no "${from}"`);
      return config.replaceAll(from, to);
    },
    readFileSync(join(home, 'nginx.conf'), 'utf8'),
  );
  const file = join(home, 'nginx.test.conf');
  writeFileSync(file, `pid ${home}/nginx.pid;\nerror_log stderr crit;\n${text}`);
  return { file, http, https, health };
}

async function startNginx(nginx, home, floePorts) {
  const { file, http, https, health } = await writeNginxConfig(home, floePorts);
  const options = ['-p', home, '-c', file, '-e', 'stderr', '-g', 'daemon off;'];
  const child = spawn(nginx, options, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await eventually(async () => ((await fetch(`http://127.0.0.1:${health}/readyz`)).ok ? true : undefined));
  return {
    http,
    health,
    call: (path, options) => callOverTls(https, path, options),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Status, headers and text of a response through nginx. The certificate of the stack is the only trusted one. */
function callOverTls(port, path, { ca, method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      ca,
      servername: 'floe.example.com',
      agent: false,
    };
    request({ ...options, headers: { host: 'floe.example.com', ...headers } }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part) => {
          text += part;
        })
        .on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
        .on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}
