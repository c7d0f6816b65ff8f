import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorBody } from '@floe/contract/api/errors';
import type { OrgConfig } from '@floe/contract/config';
import { SCOPES, type Scope } from '@floe/contract/scopes';
import { type Clock, systemClock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { memoryGuard } from '../../guardrails/test/memory-guard.ts';
import type { BreakerSource } from '../../management/breakers/view.ts';
import type { FileRules } from '../../management/guardrails/rule-host.ts';
import type { Verb } from '../../management/verb.ts';
import { type VerbParts, verbs } from '../../management/verbs.ts';
import { keyHint, newKey, presentedKey } from '../../platform/key-format.ts';
import { derivePepper, hashKey } from '../../platform/keyring.ts';
import { loadPlatform } from '../../platform/platform.ts';
import { openDatabase } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import { insertKey, type PlatformKeyRow } from '../../store/platform-keys.ts';
import type { Database, ExchangeRow } from '../../store/ports.ts';
import { type Api, createApi } from '../api.ts';
import { rulesOfFile } from './file-rules.ts';
import { channelParts, runningParts } from './running-parts.ts';

export const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
export const pepper = derivePepper(Buffer.alloc(32, 9));

/** Channels whose receivers live on loopback, and no mail. */
export const channels = channelParts();

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed body; undefined when there is none. */
  readonly body: Json;
}

/** Parsed JSON whose members a test reaches into; what is not there is undefined and fails the assertion. */
interface Json {
  readonly [member: string]: Json;
}

export interface Call {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string | Buffer;
}

export interface RunningApi {
  readonly database: Database;
  readonly verbs: readonly Verb[];
  /** Moves the clock that everything here reads. */
  setNow(ms: number): void;
  /** Stores a key and takes it into the snapshot. */
  addKey(
    orgId: string,
    columns?: Partial<PlatformKeyRow> & { readonly scopes?: readonly Scope[] },
  ): Promise<{
    readonly id: string;
    readonly key: string;
  }>;
  addExchange(orgId: string, columns: Partial<ExchangeRow> & { readonly id: string }): Promise<void>;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  close(): Promise<void>;
}

/** The real API on a loopback port over a SQLite file, with the orgs `acme` and `other`. */
export async function runApi(
  options: {
    readonly log?: Log;
    readonly more?: readonly Verb[];
    /** Of the org `acme`. */
    readonly fileRules?: Partial<FileRules>;
    readonly breakers?: BreakerSource;
    /** What floe.yaml says about the org `acme`. */
    readonly org?: OrgConfig;
  } = {},
): Promise<RunningApi> {
  let now = NOW;
  const clock: Clock = { ...systemClock, now: () => now };
  const dataDir = await mkdtemp(join(tmpdir(), 'floe-api-'));
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock });
  await insertOrgs(database, now);
  let platform = await loadPlatform(database.read, pepper, now);
  const changed = async () => {
    platform = await loadPlatform(database.read, pepper, now);
  };
  const rules = rulesOfFile(memoryGuard(database, clock), options.fileRules);
  const breakers = options.breakers ?? { list: () => [] };
  const parts: VerbParts = { ...runningParts(clock, options.org), pepper, breakers, channels, rules };
  const all = [...verbs(parts), ...(options.more ?? [])];
  const api = await createApi({
    verbs: all,
    host: { database, clock, changed },
    log: options.log ?? silentLog,
    version: '0.0.0-test',
    authenticate: (headers) => platform.keyring.authenticate(presentedKey(headers), now),
    requestIdOf: () => newId('req', now),
  });
  const http = await serve(api);
  return {
    database,
    verbs: all,
    setNow(ms) {
      now = ms;
    },
    async addKey(orgId, { scopes = SCOPES, ...columns } = {}) {
      const key = newKey();
      const row = { ...keyRow(orgId, key, now), scopes_json: JSON.stringify(scopes), ...columns };
      await database.transaction((writer) => insertKey(writer, row));
      await changed();
      return { id: row.id, key };
    },
    addExchange: (orgId, columns) => ingestRow(database, dataDir, { ...exchangeRow(orgId, now), ...columns }),
    async call(method, path, call = {}) {
      const answer = await send(http.port, method, path, call);
      mustFitSchema(all, method, path, answer);
      return answer;
    },
    async close() {
      await http.close();
      await api.close();
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function insertOrgs(database: Database, now: number): Promise<void> {
  const acme = { id: 'acme', name: 'Acme', created_at: now, metadata_keys_json: '["project"]' };
  await database.transaction(async (writer) => {
    await insertOrg(writer, acme);
    await insertOrg(writer, { id: 'other', name: 'Other', created_at: now });
  });
}

/** As the spool does it, so that the row is counted too. */
async function ingestRow(database: Database, dataDir: string, row: ExchangeRow): Promise<void> {
  const path = join(dataDir, `${row.id}.jsonl`);
  await writeFile(path, JSON.stringify(row));
  const { size } = await stat(path);
  await database.ingest({ path, from: 0, to: size, last: true });
}

/** The server does not filter answers through their schemas, so every test checks that they fit. */
function mustFitSchema(all: readonly Verb[], method: string, path: string, answer: Answer): void {
  if (answer.text === '') return;
  if (answer.status >= 400) errorBody.parse(answer.body);
  const segments = path.split('?', 1)[0]?.split('/') ?? [];
  const verb = all.find((candidate) => {
    const wanted = candidate.path.split('/');
    return (
      candidate.method === method &&
      wanted.length === segments.length &&
      wanted.every((segment, index) => segment.startsWith('{') || segment === segments[index])
    );
  });
  if (verb && answer.status < 400) verb.answer.parse(answer.body);
}

function keyRow(orgId: string, key: string, now: number): PlatformKeyRow {
  const id = newId('key', now);
  return {
    id,
    org_id: orgId,
    name: `test ${id}`,
    hash: hashKey(pepper, key),
    ...keyHint(key),
    scopes_json: '[]',
    models_json: null,
    team: null,
    owner: null,
    created_at: now,
    created_by: 'setup',
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    source: 'console',
    source_line: null,
    updated_at: now,
  };
}

function exchangeRow(orgId: string, now: number): Omit<ExchangeRow, 'id'> {
  return {
    org_id: orgId,
    created_at: now,
    surface: 'chat',
    route_mode: 'unified',
    key_id: 'key_1',
    key_name: 'ci',
    team: null,
    owner: null,
    end_user: null,
    model_requested: 'openai/gpt-5',
    provider: 'openai',
    model: 'gpt-5',
    stream: 0,
    status: 200,
    state: 'complete',
    error_code: null,
    error_source: null,
    finish_reason: 'stop',
    input_tokens: 10,
    cached_tokens: 0,
    cache_write_tokens: null,
    output_tokens: 5,
    reasoning_tokens: null,
    usage_source: 'provider',
    cost_nano_usd: 12_500_000,
    cost_source: 'catalog',
    cache: null,
    latency_ms: 812.5,
    first_token_ms: 300.25,
    overhead_ms: 0.5,
    request_bytes: 100,
    response_bytes: 200,
    metadata_json: null,
    dropped_json: null,
    attempts_json: '[]',
    decisions_json: '[]',
  };
}

async function serve(api: Api) {
  const server = createServer((incoming, response) => api.routing(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(
  port: number,
  method: string,
  path: string,
  { key, headers, body, raw }: Call,
): Promise<Answer> {
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            body: text === '' ? undefined : JSON.parse(text),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
