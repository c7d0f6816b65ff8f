import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInstalled } from './machine.ts';
import type { MockDialect } from './mock/answers.ts';
import { installPortkey, PORTKEY_VERSION } from './portkey.ts';
import type { Program } from './processes.ts';

export const CANDIDATES = ['direct', 'nginx', 'bare', 'floe', 'portkey'] as const;
export type CandidateId = (typeof CANDIDATES)[number];

/** Ports of the mocks. */
export type MockPorts = Readonly<Record<MockDialect, number>>;

/** How a Chat request is sent through a candidate. */
export interface ChatEndpoint {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
}

/** One thing that is put in front of the mocks. */
export interface Candidate extends ChatEndpoint {
  readonly id: CandidateId;
  /** What it is and in which version. */
  readonly about: string;
  /** The same to an upstream that speaks Messages; absent for what does not translate. */
  readonly translated?: ChatEndpoint;
  /** Null for the mock itself, which is up anyway. */
  readonly program: ((port: number) => Program) | null;
}

/** A candidate that cannot take part, and why. */
export interface UnavailableCandidate {
  readonly id: CandidateId;
  readonly why: string;
}

const PROJECT = join(import.meta.dirname, '..', '..');
const MODEL = 'gpt-4.1-mini';
const MESSAGES_MODEL = 'claude-sonnet-4-5';
const plain = { path: '/v1/chat/completions', model: MODEL };
const JSON_HEADERS = { 'content-type': 'application/json' };
const CALLER = { ...JSON_HEADERS, authorization: 'Bearer sk-bench-000000000000000000000000000000000000' };

/** `org`: further lines of the org in floe.yaml, indented by four. */
export function prepareCandidates(
  id: CandidateId,
  workDir: string,
  upstreams: MockPorts,
  org = '',
): Candidate | UnavailableCandidate {
  switch (id) {
    case 'direct':
      return { id, about: 'the mock upstream itself', ...plain, headers: CALLER, program: null };
    case 'nginx':
      return nginx(workDir, upstreams.chat);
    case 'bare':
      return {
        id,
        about: 'node:http and undici with nothing between them',
        ...plain,
        headers: CALLER,
        program: (port) => ({
          file: process.execPath,
          args: [join(import.meta.dirname, 'bare-proxy.ts'), String(port), String(upstreams.chat)],
        }),
      };
    case 'floe':
      return floe(workDir, upstreams, org);
    case 'portkey':
      return portkey(upstreams);
  }
}

function nginx(workDir: string, upstreamPort: number): Candidate | UnavailableCandidate {
  if (!isInstalled('nginx')) return { id: 'nginx', why: 'nginx is not installed' };
  const dir = join(workDir, 'nginx');
  mkdirSync(dir);
  const version = /nginx\/\S+/.exec(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? 'nginx';
  return {
    id: 'nginx',
    about: `${version}, one process, answers not buffered`,
    ...plain,
    headers: CALLER,
    program: (port) => {
      const file = join(dir, `${port}.conf`);
      writeFileSync(file, nginxConfig(dir, port, upstreamPort));
      return { file: 'nginx', args: ['-e', 'stderr', '-p', dir, '-c', file] };
    },
  };
}

function nginxConfig(dir: string, port: number, upstreamPort: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${dir}/${kind};`,
  );
  return `daemon off; master_process off; worker_processes 1; worker_rlimit_nofile 20000;
error_log stderr error; pid ${dir}/${port}.pid;
events { worker_connections 16000; }
http {
  access_log off; ${temporary.join(' ')}
  client_max_body_size 40m; client_body_buffer_size 2m; keepalive_requests 100000000;
  upstream mock { server 127.0.0.1:${upstreamPort}; keepalive 256; keepalive_requests 100000000; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / { proxy_pass http://mock; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`;
}

/** The real server with a key to check, a row to write and metrics to count for every request. */
function floe(workDir: string, upstreams: MockPorts, org: string): Candidate {
  const dir = join(workDir, 'floe');
  mkdirSync(dir);
  const key = `eis_${randomBytes(24).toString('hex')}`;
  const config = join(dir, 'floe.yaml');
  writeFileSync(
    config,
    `orgs:
  - id: bench
    keys: [{ name: bench, key: "\${FLOE_BENCH_KEY}", scopes: [gateway] }]
    providers:
      - { id: mock, kind: openai-compatible, base_url: "http://127.0.0.1:${upstreams.chat}/v1", api_key: sk-upstream, models: ["*"], prices: { ${MODEL}: { input: 0.4, output: 1.6 } } }
      - { id: messages, kind: anthropic-compatible, base_url: "http://127.0.0.1:${upstreams.messages}/v1", api_key: sk-upstream, models: ["*"] }
${org}`,
  );
  const road = {
    path: '/gateway/v1/chat/completions',
    headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
  };
  return {
    id: 'floe',
    about: 'this project: key, row and metrics on',
    ...road,
    model: `mock/${MODEL}`,
    translated: { ...road, model: `messages/${MESSAGES_MODEL}` },
    program: (port) => ({
      file: process.execPath,
      args: [join(PROJECT, 'packages', 'server', 'bin', 'server.mjs')],
      cwd: dir,
      env: {
        TMPDIR: dir,
        FLOE_CONFIG: config,
        FLOE_DATA_DIR: join(dir, 'data'),
        FLOE_HOST: '127.0.0.1',
        FLOE_PORT: String(port),
        FLOE_BENCH_KEY: key,
      },
    }),
  };
}

function portkey(upstreams: MockPorts): Candidate | UnavailableCandidate {
  const entry = installPortkey();
  if (entry === null) return { id: 'portkey', why: 'npm could not install it (its message is above)' };
  const headers = (provider: string, port: number) => ({
    ...CALLER,
    'x-portkey-provider': provider,
    'x-portkey-custom-host': `http://127.0.0.1:${port}/v1`,
  });
  return {
    id: 'portkey',
    about: `@portkey-ai/gateway ${PORTKEY_VERSION}`,
    ...plain,
    headers: headers('openai', upstreams.chat),
    translated: { ...plain, model: MESSAGES_MODEL, headers: headers('anthropic', upstreams.messages) },
    program: (port) => ({
      file: process.execPath,
      args: [entry, `--port=${port}`, '--headless'],
      env: { NODE_ENV: 'production' },
    }),
  };
}
