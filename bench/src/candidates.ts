import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CALLER_HEADERS,
  type Candidate,
  type CandidateId,
  MESSAGES_MODEL,
  type MockPorts,
  OPENAI_ENDPOINT,
  type UnavailableCandidate,
} from './candidate.ts';
import { prepareFloe } from './floe-candidate.ts';
import { prepareLitellm } from './litellm.ts';
import { isInstalled } from './machine.ts';
import { installPortkey, PORTKEY_VERSION } from './portkey.ts';

/** `org`: further lines of the organization in floe.yaml, indented by four. */
export function prepareCandidates(
  id: CandidateId,
  workDir: string,
  upstreams: MockPorts,
  org = '',
): Candidate | UnavailableCandidate {
  switch (id) {
    case 'direct':
      return {
        id,
        about: 'the mock upstream itself',
        ...OPENAI_ENDPOINT,
        headers: CALLER_HEADERS,
        program: null,
      };
    case 'nginx':
      return nginx(workDir, upstreams.chat);
    case 'bare':
      return {
        id,
        about: 'a minimal proxy that uses node:http and undici',
        ...OPENAI_ENDPOINT,
        headers: CALLER_HEADERS,
        program: (port) => ({
          file: process.execPath,
          args: [join(import.meta.dirname, 'bare-proxy.ts'), String(port), String(upstreams.chat)],
        }),
      };
    case 'floe':
      return prepareFloe(workDir, upstreams, { org });
    case 'portkey':
      return portkey(upstreams);
    case 'litellm':
      return prepareLitellm(workDir, upstreams);
  }
}

function nginx(workDir: string, upstreamPort: number): Candidate | UnavailableCandidate {
  if (!isInstalled('nginx')) return { id: 'nginx', why: 'nginx is not installed' };
  const dir = join(workDir, 'nginx');
  mkdirSync(dir);
  const version = /nginx\/\S+/.exec(spawnSync('nginx', ['-v'], { encoding: 'utf8' }).stderr)?.[0] ?? 'nginx';
  return {
    id: 'nginx',
    about: `${version}, one process, without response buffering`,
    ...OPENAI_ENDPOINT,
    headers: CALLER_HEADERS,
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

function portkey(upstreams: MockPorts): Candidate | UnavailableCandidate {
  const entry = installPortkey();
  if (entry === null) return { id: 'portkey', why: 'npm could not install it (its message is above)' };
  const headers = (provider: string, port: number) => ({
    ...CALLER_HEADERS,
    'x-portkey-provider': provider,
    'x-portkey-custom-host': `http://127.0.0.1:${port}/v1`,
  });
  return {
    id: 'portkey',
    about: `@portkey-ai/gateway ${PORTKEY_VERSION}`,
    ownClient: true,
    ...OPENAI_ENDPOINT,
    headers: headers('openai', upstreams.chat),
    translated: {
      ...OPENAI_ENDPOINT,
      model: MESSAGES_MODEL,
      headers: headers('anthropic', upstreams.messages),
    },
    program: (port) => ({
      file: process.execPath,
      args: [entry, `--port=${port}`, '--headless'],
      env: { NODE_ENV: 'production' },
    }),
  };
}
