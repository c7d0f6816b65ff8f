import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Candidate, CHAT_MODEL, JSON_HEADERS, MESSAGES_MODEL, type MockPorts } from './candidate.ts';

/** The repository that contains this file. */
export const PROJECT = join(import.meta.dirname, '..', '..');

/** What differs between one Floe and another. */
export interface FloeOptions {
  /** Further lines of the organization in floe.yaml, indented by four. */
  readonly org?: string;
  /** The repository whose server runs. Default: this one. */
  readonly project?: string;
}

/**
 * The server from its sources, with a key to check, a row to write and metrics to count for every request.
 * Its configuration and data are in a new directory `floe` below `workDir`.
 */
export function prepareFloe(
  workDir: string,
  upstreams: MockPorts,
  { org = '', project = PROJECT }: FloeOptions = {},
): Candidate & { readonly program: NonNullable<Candidate['program']> } {
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
      - { id: mock, kind: openai-compatible, base_url: "http://127.0.0.1:${upstreams.chat}/v1", api_key: sk-upstream, models: ["*"], prices: { ${CHAT_MODEL}: { input: 0.4, output: 1.6 } } }
      - { id: messages, kind: anthropic-compatible, base_url: "http://127.0.0.1:${upstreams.messages}/v1", api_key: sk-upstream, models: ["*"] }
${org}`,
  );
  const endpoint = {
    path: '/gateway/v1/chat/completions',
    headers: { ...JSON_HEADERS, authorization: `Bearer ${key}` },
  };
  return {
    id: 'floe',
    about: 'this project, with key checks, request rows and metrics enabled',
    ...endpoint,
    model: `mock/${CHAT_MODEL}`,
    translated: { ...endpoint, model: `messages/${MESSAGES_MODEL}` },
    program: (port) => ({
      file: process.execPath,
      args: [join(project, 'packages', 'server', 'bin', 'server.mjs')],
      cwd: dir,
      env: {
        TMPDIR: dir,
        FLOE_CONFIG: config,
        FLOE_DATA_DIR: join(dir, 'data'),
        FLOE_HOST: '127.0.0.1',
        FLOE_PORT: String(port),
        // No load balancer needs time to notice that it ends.
        FLOE_SHUTDOWN_DELAY_MS: '0',
        FLOE_BENCH_KEY: key,
      },
    }),
  };
}
