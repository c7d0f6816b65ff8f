// The gateway over real HTTP with fake upstreams, on a clock that tests move by hand.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { FloeConfigSchema } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { type CallAnswer, type CallOptions, call } from '@floe/testkit/client';
import { FakeClock, nextTurn } from '@floe/testkit/clock';
import type { ReceivedRequest } from '@floe/testkit/connection';
import type { Reply } from '@floe/testkit/reply';
import { startUpstream, type Upstream } from '@floe/testkit/upstream';
import { createMetrics } from '../../analytics/metrics.ts';
import { silentLog } from '../../core/log.ts';
import { type BreakerEvent, Breakers } from '../../guardrails/breakers/breakers.ts';
import { createMemoryLeases } from '../../guardrails/breakers/probe-leases.ts';
import type { Caller } from '../../guardrails/counted-request.ts';
import { OutputLengths } from '../../guardrails/output-lengths.ts';
import { standingOf } from '../../guardrails/standing.ts';
import { memoryGuard } from '../../guardrails/test/memory-guard.ts';
import { NodeCarrier } from '../../http/node-carrier.ts';
import { compileKeyring, derivePepper, type KeyRecord, type Keyring } from '../../platform/keyring.ts';
import { createHttpTransport } from '../../providers/http-transport.ts';
import { MemoryAnswerCache } from '../../store/cache/memory.ts';
import type { ExchangeRow } from '../../store/ports.ts';
import { NO_ROWS } from '../../store/test/no-rows.ts';
import { Flights } from '../cache/flights.ts';
import { Client } from '../client.ts';
import { compileCatalogs } from '../compile.ts';
import { EMBEDDINGS } from '../embeddings.ts';
import { exchange } from '../exchange.ts';
import { FirstTokenDeadlines } from '../first-token-deadline.ts';
import type { Gateway } from '../gateway.ts';
import { generation } from '../generation.ts';
import { IDE } from '../ide/surface.ts';
import { Latencies } from '../latencies.ts';
import { UNWATCHED } from '../model-sessions.ts';
import { opaqueOperation } from '../opaque/opaque-operation.ts';
import type { Owners } from '../opaque/owners.ts';
import { UNIFIED } from '../opaque/unified.ts';
import { OpenExchanges } from '../open-exchanges.ts';
import { Conversations } from '../stickiness.ts';
import { CHAT, MESSAGES, RESPONSES } from '../surface.ts';
import { NO_TURNS } from './no-turns.ts';

const SURFACES = { chat: CHAT, responses: RESPONSES, messages: MESSAGES, ide: IDE } as const;
export type SurfaceName = Exclude<keyof typeof SURFACES, 'ide'>;

export interface GatewayInTime {
  readonly url: string;
  readonly clock: FakeClock;
  readonly breakers: Breakers;
  readonly events: readonly BreakerEvent[];
  readonly rows: readonly ExchangeRow[];
  upstream(id: string): Upstream;
  /** The Prometheus text exposition. */
  metrics(): Promise<string>;
  /** Where the caller stands with the org's limits and budgets. */
  standing(): ReturnType<typeof standingOf>;
  ask(surface: SurfaceName | 'ide', body: JsonObject, options?: CallOptions): Promise<CallAnswer>;
  /** Of a path below `/gateway/v1` that is no dialect of its own: embeddings, images, audio, … */
  askPath(path: string, body: JsonObject, headers?: Readonly<Record<string, string>>): Promise<CallAnswer>;
  /** Lets the answer come; waits of at most `upToMs` pass as soon as they are waited. */
  settled<T>(answer: Promise<T>, upToMs?: number): Promise<T>;
  /** Takes another version of the key into use, as a new snapshot does; null removes it. */
  changeKey(change: Partial<KeyRecord> | null): void;
  /** Moves the clock in steps of a second, with everything that happens between. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface InTimeOptions {
  /** Provider id to what its upstream answers; all of the Chat dialect unless `providers` says otherwise. */
  readonly upstreams: Readonly<Record<string, (isStream: boolean, request: ReceivedRequest) => Reply>>;
  readonly routes: readonly JsonObject[];
  /** More settings by provider id. */
  readonly providers?: Readonly<Record<string, JsonObject>>;
  readonly random?: () => number;
  /** Of the org besides providers and routes: limits, budgets. */
  readonly org?: JsonObject;
  /** Of the key that every request comes with. */
  readonly key?: Partial<KeyRecord>;
  /** What the providers' lists say of their models. */
  readonly outputMost?: Gateway['outputMost'];
}

/** Long enough that no deadline is mistaken for a back-off. */
const PATIENT = { connect_ms: 900_000, headers_ms: 900_000, first_token_ms: 900_000, idle_ms: 900_000 };

export async function startInTime(options: InTimeOptions): Promise<GatewayInTime> {
  const clock = new FakeClock();
  const upstreams = await startUpstreams(options);
  const rows: ExchangeRow[] = [];
  const events: BreakerEvent[] = [];
  let keyring = anyKey({ ...KEY, ...options.key });
  const gateway = assemble(options, { clock, upstreams, rows, events, keyring: () => keyring });
  let count = 0;
  const server = createServer((req, res) => {
    count += 1;
    const client = new Client(`req_${count}`, new NodeCarrier(req, res, clock));
    const path = /^\/v1\/(.*)$/.exec(req.url ?? '')?.[1];
    const operation = () => {
      if (path === undefined) return generation(SURFACES[surfaceIn(req.url)]);
      return path === 'embeddings' ? EMBEDDINGS : opaqueOperation(client.method, UNIFIED, path);
    };
    void exchange(client, operation(), gateway);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const authorization = `Bearer eis_${'0'.repeat(32)}`;
  return {
    url,
    clock,
    breakers: gateway.breakers,
    events,
    rows,
    metrics: () => gateway.metrics.render(),
    standing: () => standingOf(gateway.guard, rulesOf(gateway), ANYBODY),
    upstream: (id) => upstreams.get(id) ?? assert.fail(`no upstream ${id}`),
    ask: (surface, body, more = {}) =>
      call(`${url}/${surface}`, {
        body,
        ...more,
        headers: { authorization, 'content-type': 'application/json', ...more.headers },
      }),
    askPath: (path, body, headers = {}) =>
      call(`${url}/v1/${path}`, { body, headers: { authorization, ...headers } }),
    settled: (answer, upToMs = 10_500) => settled(clock, answer, upToMs),
    changeKey(change) {
      const { refusalOf } = change === null ? compileKeyring([], PEPPER) : anyKey({ ...KEY, ...change });
      keyring = { ...keyring, refusalOf };
      gateway.open.recheck();
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 1000) await clock.advanceAsync(Math.min(1000, ms - passed));
    },
    async close() {
      await gateway.transport.close();
      server.closeAllConnections();
      server.close();
      for (const one of upstreams.values()) await one.close();
    },
  };
}

async function startUpstreams(options: InTimeOptions): Promise<ReadonlyMap<string, Upstream>> {
  const upstreams = new Map<string, Upstream>();
  for (const [id, answer] of Object.entries(options.upstreams)) {
    const respond = (request: ReceivedRequest) =>
      answer(/"stream":\s*true/.test(request.body.toString('utf8')), request);
    upstreams.set(id, await startUpstream({ respond }));
  }
  return upstreams;
}

interface Around {
  readonly clock: FakeClock;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly rows: ExchangeRow[];
  readonly events: BreakerEvent[];
  readonly keyring: () => Keyring;
}

function assemble(options: InTimeOptions, { clock, upstreams, rows, events, keyring }: Around): Gateway {
  const providers = [...upstreams].map(([id, { url }]) => ({
    id,
    kind: 'openai-compatible',
    base_url: `${url}/v1`,
    api_key: 'secret',
    models: ['*'],
    timeouts: PATIENT,
    ...options.providers?.[id],
  }));
  const config = FloeConfigSchema.parse({
    orgs: [{ id: 'acme', providers, routes: options.routes, ...options.org }],
  });
  const { catalogs } = compileCatalogs(config.orgs, null, {
    variable: () => undefined,
    outbound: config.outbound,
  });
  const random = options.random ?? (() => 0);
  const onChange = (event: BreakerEvent) => void events.push(event);
  const breakers = new Breakers({ clock, random, leases: createMemoryLeases(clock), onChange });
  return {
    ...NO_STORES,
    snapshot: () => ({ keyring: keyring(), catalogs }),
    transport: createHttpTransport(),
    clock,
    log: silentLog,
    rows: {
      append: (row) => void rows.push(row),
      backlog: () => 0,
      flush: async () => undefined,
      close: async () => undefined,
    },
    metrics: createMetrics(
      () => 0,
      async () => 0,
    ),
    answers: new MemoryAnswerCache(clock),
    flights: new Flights(),
    open: new OpenExchanges(clock, keyring),
    baseUrl: () => 'http://127.0.0.1:3563',
    outputMost: options.outputMost ?? (() => null),
    outputLengths: new OutputLengths(),
    guard: memoryGuard(NO_ROWS, clock),
    breakers,
    conversations: new Conversations(clock),
    latencies: new Latencies(clock),
    firstTokens: new FirstTokenDeadlines(clock),
    lastUsed: () => undefined,
    sessions: UNWATCHED,
    random,
    draining: () => false,
  };
}

async function settled<T>(clock: FakeClock, answer: Promise<T>, upToMs: number): Promise<T> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  answer.then(over, over);
  const giveUpAt = performance.now() + 20_000;
  while (!isOver) {
    assert.ok(performance.now() < giveUpAt, `no answer; waiting for ${clock.pending().join(', ')} ms`);
    const [soonest] = clock.pending();
    if (soonest !== undefined && soonest <= upToMs) clock.advance(soonest);
    await nextTurn();
  }
  return answer;
}

function surfaceIn(path = ''): SurfaceName | 'ide' {
  if (path.includes('responses')) return 'responses';
  if (path.includes('ide')) return 'ide';
  return path.includes('messages') ? 'messages' : 'chat';
}

const KEY: KeyRecord = {
  id: 'key_1',
  orgId: 'acme',
  name: 'any',
  hash: 'a'.repeat(64),
  prefix: 'eis_',
  last4: '0000',
  scopes: new Set(['gateway']),
  models: null,
  team: null,
  owner: null,
  expiresAt: null,
  revokedAt: null,
};
const ANYBODY: Caller = { key: KEY, endUser: null, models: null, metadata: null };

/** Any key is the one of `record`, and stays so for the exchanges under way, whatever becomes of it. */
function anyKey(record: KeyRecord): Keyring {
  const { refusalOf } = compileKeyring([record], PEPPER);
  return { authenticate: () => record, refusalOf };
}

const PEPPER = derivePepper(Buffer.alloc(32, 3));

function rulesOf(gateway: Gateway) {
  return gateway.snapshot().catalogs.get('acme')?.rules ?? null;
}

/** Nothing goes on behind an exchange here. */
const NO_BACKGROUND: Gateway['background'] = {
  defer: () => assert.fail('no background'),
  ended: async () => undefined,
  hurry: () => undefined,
  close: async () => undefined,
};

/** Nothing is kept at a provider here. */
const NO_OWNERS: Owners = {
  record: async () => undefined,
  of: async () => new Map(),
  claimResults: async () => true,
};

/** Parts that keep something elsewhere: nothing is kept in these tests. */
const NO_STORES = {
  bodies: { keep: () => undefined },
  owners: NO_OWNERS,
  spoolDir: '',
  background: NO_BACKGROUND,
  turns: NO_TURNS,
} as const;
