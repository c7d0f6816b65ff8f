// The gateway over real HTTP with fake upstreams, on a clock that tests move by hand.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { FloeConfigSchema } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import { createMetrics } from '../../analytics/metrics.ts';
import { type BreakerStateChange, Breakers } from '../../guardrails/breakers/breakers.ts';
import { createInMemoryProbeLeases } from '../../guardrails/breakers/probe-leases.ts';
import { readLimitAndBudgetStatus } from '../../guardrails/limit-and-budget-status.ts';
import { OutputLengthEstimator } from '../../guardrails/output-length-estimator.ts';
import { PolicyThreads } from '../../guardrails/policies/policy-threads.ts';
import type { RequestAttributes } from '../../guardrails/request-attributes.ts';
import { createMemoryGuard } from '../../guardrails/test/memory-guard.ts';
import { NodeHttpTransport } from '../../http/node-http-transport.ts';
import {
  compileKeyring,
  derivePlatformKeyPepper,
  type KeyRecord,
  type Keyring,
} from '../../platform/keyring.ts';
import { createUpstreamHttpTransport } from '../../providers/upstream-http-transport.ts';
import { InMemoryResponseCache } from '../../store/cache/in-memory-response-cache.ts';
import type { ExchangeRow } from '../../store/store-interfaces.ts';
import { EMPTY_DATABASE } from '../../store/test/empty-database.ts';
import { InFlightRequests } from '../cache/in-flight-requests.ts';
import { ClientCall } from '../client-call.ts';
import { compileCatalogs } from '../compile-catalogs.ts';
import { ConversationTargets } from '../conversation-targets.ts';
import { FirstTokenDeadlines } from '../first-token-deadline.ts';
import { handleExchange } from '../handle-exchange.ts';
import { OpenExchanges } from '../open-exchanges.ts';
import type { GatewayOperation } from '../operation.ts';
import type { OverloadLimits, OverloadManager } from '../overload/overload-manager.ts';
import { DISABLED_SESSION_REQUEST_COUNTER } from '../session-request-counter.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { TargetLatencies } from '../target-latencies.ts';
import { createOperation, type OperationSurface } from './create-operation.ts';
import { NO_STORES } from './no-stores.ts';
import { createTestOverloadManager } from './test-overload-manager.ts';

export type FakeClockSurface = Exclude<OperationSurface, 'ide'>;

export interface FakeClockGateway {
  readonly url: string;
  readonly clock: FakeClock;
  readonly breakers: Breakers;
  readonly overload: OverloadManager;
  readonly events: readonly BreakerStateChange[];
  readonly rows: readonly ExchangeRow[];
  upstream(id: string): FakeUpstream;
  /** The Prometheus text exposition. */
  metrics(): Promise<string>;
  /** Where the caller stands with the org's limits and budgets. */
  ruleStatus(): ReturnType<typeof readLimitAndBudgetStatus>;
  send(surface: OperationSurface, body: JsonObject, more?: HttpCallOptions): Promise<HttpCallResponse>;
  /** Of a path below `/gateway/v1` that is no dialect of its own: embeddings, images, audio, … */
  sendTo(path: string, body: JsonObject, headers?: HttpCallOptions['headers']): Promise<HttpCallResponse>;
  /** To a native API; `path` starts with `a/v1/` or `b/v1/`. */
  sendNative(path: string, body: JsonObject | Buffer, more?: HttpCallOptions): Promise<HttpCallResponse>;
  /** Lets the answer come; waits of at most `upToMs` pass as soon as they are waited. */
  settled<T>(answer: Promise<T>, upToMs?: number): Promise<T>;
  /** Takes another version of the key into use, as a new snapshot does; null removes it. */
  changeKey(change: Partial<KeyRecord> | null): void;
  /** Moves the clock in steps of a second, with everything that happens between. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface FakeClockGatewayOptions {
  /** Provider id to what its upstream answers; all of the Chat dialect unless `providers` says otherwise. */
  readonly upstreams: Readonly<
    Record<string, (isStream: boolean, request: ReceivedRequest) => UpstreamReply>
  >;
  readonly routes: readonly JsonObject[];
  readonly overload?: OverloadLimits;
  /** More settings by provider id. */
  readonly providers?: Readonly<Record<string, JsonObject>>;
  readonly random?: () => number;
  /** Of the org besides providers and routes: limits, budgets. */
  readonly org?: JsonObject;
  /** Of the key that every request comes with. */
  readonly key?: Partial<KeyRecord>;
  /** What the providers' lists say of their models. */
  readonly maxOutputTokens?: SharedGatewayDependencies['maxOutputTokens'];
  /** Replaces the operation of each request, for example with one that throws. */
  readonly changeOperation?: (operation: GatewayOperation) => GatewayOperation;
  /** Replaces dependencies, for example with ones that throw. */
  readonly dependencies?: Partial<SharedGatewayDependencies>;
}

/** Long enough that no deadline is mistaken for a back-off. */
const PATIENT = { connect_ms: 900_000, headers_ms: 900_000, first_token_ms: 900_000, idle_ms: 900_000 };

export async function startFakeClockGateway(options: FakeClockGatewayOptions): Promise<FakeClockGateway> {
  const clock = new FakeClock();
  const upstreams = await startUpstreams(options);
  const rows: ExchangeRow[] = [];
  const events: BreakerStateChange[] = [];
  let keyring = createAnyKeyring({ ...KEY, ...options.key });
  const gateway = createGateway(options, { clock, upstreams, rows, events, keyring: () => keyring });
  let count = 0;
  const server = createServer((req, res) => {
    count += 1;
    const client = new ClientCall(`req_${count}`, new NodeHttpTransport(req, res, clock));
    void handleExchange(
      client,
      (options.changeOperation ?? ((same) => same))(createOperation(client.method, req.url ?? '')),
      gateway,
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const authorization = `Bearer eis_${'0'.repeat(32)}`;
  const sendJson = (path: string, body: JsonObject | Buffer, more: HttpCallOptions = {}) =>
    callHttp(`${url}/${path}`, {
      body,
      ...more,
      headers: { authorization, 'content-type': 'application/json', ...more.headers },
    });
  return {
    url,
    clock,
    breakers: gateway.breakers,
    overload: gateway.overload,
    events,
    rows,
    metrics: () => gateway.metrics.render(),
    ruleStatus: () => readLimitAndBudgetStatus(gateway.guard, orgRulesOf(gateway), ANY_REQUEST),
    upstream: (id) => upstreams.get(id) ?? assert.fail(`no upstream ${id}`),
    send: (surface, body, more) => sendJson(surface, body, more),
    sendTo: (path, body, headers = {}) =>
      callHttp(`${url}/v1/${path}`, { body, headers: { authorization, ...headers } }),
    sendNative: (path, body, more) => sendJson(`passthrough-${path}`, body, more),
    settled: (answer, upToMs = 10_500) => settled(clock, answer, upToMs),
    changeKey(change) {
      const { currentFault } =
        change === null ? compileKeyring([], PEPPER) : createAnyKeyring({ ...KEY, ...change });
      keyring = { ...keyring, currentFault };
      gateway.openExchanges.interruptRefused();
    },
    async advance(ms) {
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

async function startUpstreams(options: FakeClockGatewayOptions): Promise<ReadonlyMap<string, FakeUpstream>> {
  const upstreams = new Map<string, FakeUpstream>();
  for (const [id, answer] of Object.entries(options.upstreams)) {
    const respond = (request: ReceivedRequest) =>
      answer(/"stream":\s*true/.test(request.body.toString('utf8')), request);
    upstreams.set(id, await startFakeUpstream({ respond }));
  }
  return upstreams;
}

interface GatewayDependencies {
  readonly clock: FakeClock;
  readonly upstreams: ReadonlyMap<string, FakeUpstream>;
  readonly rows: ExchangeRow[];
  readonly events: BreakerStateChange[];
  readonly keyring: () => Keyring;
}

function createGateway(
  options: FakeClockGatewayOptions,
  { clock, upstreams, rows, events, keyring }: GatewayDependencies,
): SharedGatewayDependencies {
  const providers = [...upstreams].map(([id, { url }]) => ({
    id,
    kind: 'openai-compatible',
    base_url: `${url}/v1`,
    api_key: 'secret',
    models: ['*'],
    timeouts: PATIENT,
    ...options.providers?.[id],
  }));
  const org = { id: 'acme', providers, routes: options.routes, ...options.org };
  const { orgs, outbound } = FloeConfigSchema.parse({ orgs: [org] });
  const { catalogs } = compileCatalogs(orgs, null, { lookupVariable: () => undefined, outbound });
  const random = options.random ?? (() => 0);
  const onChange = (event: BreakerStateChange) => void events.push(event);
  const breakers = new Breakers({ clock, random, leases: createInMemoryProbeLeases(clock), onChange });
  return {
    ...NO_STORES,
    snapshot: () => ({ keyring: keyring(), catalogs }),
    transport: createUpstreamHttpTransport(),
    clock,
    rows: {
      append: (row) => void rows.push(row),
      backlog: () => 0,
      completeUntil: () => clock.now(),
      stored: async () => undefined,
      flush: async () => undefined,
      close: async () => undefined,
    },
    metrics: createMetrics(
      () => 0,
      async () => 0,
    ),
    answerCache: new InMemoryResponseCache(clock),
    inFlight: new InFlightRequests(),
    openExchanges: new OpenExchanges(clock, keyring),
    overload: createTestOverloadManager(clock, options.overload),
    baseUrl: () => 'http://127.0.0.1:3563',
    maxOutputTokens: options.maxOutputTokens ?? (() => null),
    outputLengths: new OutputLengthEstimator(),
    guard: createMemoryGuard(EMPTY_DATABASE, clock),
    policyThreads: new PolicyThreads(clock),
    breakers,
    conversations: new ConversationTargets(clock),
    latencies: new TargetLatencies(clock),
    firstTokenDeadlines: new FirstTokenDeadlines(clock),
    recordKeyUse: () => undefined,
    sessions: DISABLED_SESSION_REQUEST_COUNTER,
    random,
    isDraining: () => false,
    ...options.dependencies,
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
    await nextEventLoopTurn();
  }
  return answer;
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
const ANY_REQUEST: RequestAttributes = { key: KEY, endUser: null, models: null, metadata: null };

/** Any key is the one of `record`, and stays so for the exchanges under way, whatever becomes of it. */
function createAnyKeyring(record: KeyRecord): Keyring {
  const { currentFault, hasImportedKeys, isImportedKey } = compileKeyring([record], PEPPER);
  return { authenticate: () => record, currentFault, hasImportedKeys, isImportedKey };
}

const PEPPER = derivePlatformKeyPepper(Buffer.alloc(32, 3));

const orgRulesOf = (gateway: SharedGatewayDependencies) =>
  gateway.snapshot().catalogs.get('acme')?.rules ?? null;
