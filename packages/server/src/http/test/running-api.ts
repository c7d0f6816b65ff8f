import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrgConfig } from '@floe/contract/config';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import type { LiveHub } from '../../analytics/live/live-hub.ts';
import { createClientAddressResolver } from '../../core/client-address.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { createId } from '../../core/ids.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { createMemoryGuard } from '../../guardrails/test/memory-guard.ts';
import { type ApiOperationDependencies, defineApiOperations } from '../../management/api-operations.ts';
import type { BreakerLister } from '../../management/breakers/breaker-resource.ts';
import { createEvaluationPool, type EvaluationPool } from '../../management/evaluation/evaluation-pool.ts';
import type { OrgConfigFileRules } from '../../management/guardrails/rule-dependencies.ts';
import type { MemberDependencies } from '../../management/members/member-dependencies.ts';
import type { MonitoringDependencies } from '../../management/monitors/monitoring-dependencies.ts';
import type { Operation } from '../../management/operation.ts';
import type { ProcessStatus } from '../../management/overview/process-status.ts';
import { type Actor, createKeyActor } from '../../platform/actor.ts';
import { extractPlatformKey, generatePlatformKey } from '../../platform/key-format.ts';
import { derivePlatformKeyPepper } from '../../platform/keyring.ts';
import { loadKeyring } from '../../platform/load-keyring.ts';
import { type DatabaseWithBeatStore, openDatabase } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import { insertPlatformKey, type PlatformKeyRow } from '../../store/platform-keys.ts';
import { runAndRollBack } from '../../store/run-and-roll-back.ts';
import type { ExchangeRow } from '../../store/store-interfaces.ts';
import { upsertTeam } from '../../store/teams.ts';
import { type ApiApplication, createApi } from '../api.ts';
import { renderBoardPreview } from '../boards/board-routes.ts';
import type { SignInApi } from '../sign-in/sign-in-api.ts';
import { createApiExchangeRow, createKeyRow } from './api-rows.ts';
import { requireAuditEntries } from './audited-writes.ts';
import { type RunningRelay, runRelay } from './running-relay.ts';
import { sendApiRequest } from './send-api-request.ts';
import {
  apiTestSecretsKey,
  createTestApiParts,
  createTestChannelParts,
  createTestConsoleParts,
} from './test-api-parts.ts';
import { createTestBodyStore } from './test-bodies.ts';
import { type NewMember, storeMember, type TestMember } from './test-members.ts';
import { createTestRuleDependencies } from './test-rule-dependencies.ts';
import { requireValidResponse } from './validate-response.ts';

export const API_TEST_NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
export const apiTestPepper = derivePlatformKeyPepper(Buffer.alloc(32, 9));

/** The channel dependencies for tests. Channels may send to loopback, and there is no mail server. */
export const testChannels = createTestChannelParts();

export interface ApiTestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed body. Undefined if it is not JSON. */
  readonly body: ResponseJson;
}

/** Returns the entries of a list in a response. */
export function listResponseEntries(value: ResponseJson | undefined): readonly ResponseJson[] {
  return Object.values(value ?? {});
}

/** Parsed JSON whose members tests access. An absent member is undefined, so that the assertion fails. */
export interface ResponseJson {
  readonly [member: string]: ResponseJson;
}

export interface ApiTestCall {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly raw?: string | Buffer;
}

export interface RunningApi {
  readonly database: DatabaseWithBeatStore;
  readonly operations: readonly Operation[];
  readonly relay: RunningRelay;
  /** Sets the clock of the API and its dependencies. */
  setNow(ms: number): void;
  /** Stores a key and adds it to the snapshot. */
  addKey(
    orgId: string,
    columns?: Partial<PlatformKeyRow> & { readonly scopes?: readonly KeyScope[] },
  ): Promise<{ readonly id: string; readonly key: string }>;
  /** Creates a member. `key` authenticates their requests and represents the cookie of their session. */
  addMember(orgId: string, given?: NewMember): Promise<TestMember>;
  addExchange(orgId: string, columns: Partial<ExchangeRow> & { readonly id: string }): Promise<void>;
  call(method: string, path: string, call?: ApiTestCall): Promise<ApiTestResponse>;
  readonly port: number;
  readonly live: LiveHub;
  readonly evaluationPool: EvaluationPool;
  close(): Promise<void>;
}

export interface TestApiOptions {
  /** URL of a PostgreSQL database. Default: a new SQLite file. */
  readonly url?: string;
  readonly log?: Log;
  /** Operations in addition to those of the API. */
  readonly operations?: readonly Operation[];
  /** Rules of floe.yaml for the org `acme`. */
  readonly fileRules?: Partial<OrgConfigFileRules>;
  readonly breakers?: BreakerLister;
  readonly engine?: MonitoringDependencies['engine'];
  readonly processStatus?: Partial<ProcessStatus>;
  /** Whether `acme` may name resources of the machine, like the only org of an installation. */
  readonly isOnlyOrg?: boolean;
  /** Configuration of the org `acme` in floe.yaml. */
  readonly org?: OrgConfig;
  /** Absent: sign-in is not available. */
  readonly signIn?: (database: DatabaseWithBeatStore, clock: Clock) => SignInApi;
  /** Collects the ended sessions. */
  readonly endedSessions?: object[];
  readonly mail?: MemberDependencies['sendMail'];
}

/** Defaults of the whole API. A proxy on loopback is trusted. */
const API_DEFAULTS = {
  addressOf: createClientAddressResolver(['127.0.0.1']).addressOf,
  version: '0.0.0-test',
};

/** Starts the real API on a loopback port, with the organizations `acme` and `other`. */
export async function runApi(options: TestApiOptions = {}): Promise<RunningApi> {
  let now = API_TEST_NOW;
  const clock: Clock = { ...systemClock, now: () => now };
  const dataDir = await mkdtemp(join(tmpdir(), 'floe-api-'));
  const database = await openWithOrgs(options.url ?? 'sqlite:', dataDir, clock);
  let keyring = await loadKeyring(database.read, apiTestPepper, now);
  const { renew, inForce, ...running } = await createTestApiParts(clock, database, options);
  const relay = await runRelay(database, clock, dataDir, inForce);
  const changed = async () => {
    keyring = await loadKeyring(database.read, apiTestPepper, now);
    await renew().then(relay.renew);
  };
  const sessions = new Map<string, (now: number) => Actor>();
  const parts = createOperationParts(options, database, clock, { ...running, relay: relay.host });
  const all = requireAuditEntries([...defineApiOperations(parts), ...(options.operations ?? [])], database);
  const api = await createApi({
    operations: all,
    host: { database, clock, refreshSnapshot: changed, secretsKey: apiTestSecretsKey },
    log: options.log ?? silentLog,
    ...(options.signIn && { signIn: options.signIn(database, clock) }),
    ...API_DEFAULTS,
    authenticate: (headers) => {
      const shown = extractPlatformKey(headers, keyring);
      return sessions.get(shown)?.(now) ?? createKeyActor(keyring.authenticate(shown, now));
    },
    requestIdOf: () => createId('req', now),
  });
  const http = await serve(api);
  return {
    database,
    operations: all,
    relay,
    setNow(ms) {
      now = ms;
    },
    async addKey(orgId, columns = {}) {
      const made = await storeKey(database, orgId, columns, now);
      await changed();
      return made;
    },
    async addMember(orgId, given = {}) {
      const { member, session } = await storeMember(database, orgId, given, now);
      sessions.set(member.key, session);
      return member;
    },
    addExchange: (orgId, row) =>
      ingestRow(database, dataDir, { ...createApiExchangeRow(orgId, now), ...row }),
    call: (method, path, call = {}) =>
      requireValidResponse(all, method, path, sendApiRequest(http.port, method, path, call)),
    port: http.port,
    live: parts.liveHub,
    evaluationPool: parts.evaluationPool,
    async close() {
      await Promise.all([parts.evaluationPool.close(), parts.liveHub.close()]);
      await http.close();
      await Promise.all([api.close(), relay.close()]);
      await database.close().then(() => rm(dataDir, { recursive: true }));
    },
  };
}

type KeyColumns = NonNullable<Parameters<RunningApi['addKey']>[1]>;

async function storeKey(
  database: DatabaseWithBeatStore,
  orgId: string,
  { scopes = KEY_SCOPES, ...columns }: KeyColumns,
  now: number,
) {
  const key = generatePlatformKey();
  const row = {
    ...createKeyRow(orgId, key, now, apiTestPepper),
    scopes_json: JSON.stringify(scopes),
    ...columns,
  };
  await database.transaction((writer) => insertPlatformKey(writer, row));
  return { id: row.id, key };
}

function createOperationParts(
  options: TestApiOptions,
  database: DatabaseWithBeatStore,
  clock: Clock,
  running: Pick<ApiOperationDependencies, 'runningGateway' | 'providers' | 'relay'>,
): ApiOperationDependencies {
  const rules = createTestRuleDependencies(createMemoryGuard(database, clock), options);
  const breakers = options.breakers ?? { list: () => [] };
  const monitoring: MonitoringDependencies = {
    engine: options.engine ?? createFakeEngine(() => clock.now()),
    beatSecret: apiTestPepper,
    baseUrl: () => 'https://floe.example',
    timezone: () => 'UTC',
    previewPacer: { run: async (_, work) => work() },
    renderBoard: (view) => renderBoardPreview(view, ''),
  };
  const config: ApiOperationDependencies['config'] = {
    getFileStatus: () => ({ file: null, loadedAt: API_TEST_NOW, rejected: null }),
    dryRun: (work) => runAndRollBack(database, work),
    rules,
    providers: running.providers,
    pepper: apiTestPepper,
  };
  const people: MemberDependencies = {
    endSessions: [async (_writer, who) => void options.endedSessions?.push(who)],
    baseUrl: () => 'https://floe.example',
    sendMail: options.mail ?? (async () => 'off'),
  };
  return {
    ...running,
    bodies: createTestBodyStore(),
    pepper: apiTestPepper,
    breakers,
    channels: testChannels,
    rules,
    monitoring,
    members: people,
    config,
    evaluationPool: createEvaluationPool(systemClock),
    ...createTestConsoleParts(database, clock, options.processStatus),
  };
}

/** A monitoring engine without gaps that has evaluated everything. */
function createFakeEngine(now: () => number): MonitoringDependencies['engine'] {
  return {
    evaluationContext: () => ({ nowMs: now(), committedUntil: now(), gaps: [], rewindCount: 0 }),
    changeContext: async () => ({ nowMs: now(), committedUntil: now(), gaps: [], rewindCount: 0 }),
  };
}

async function openWithOrgs(url: string, dataDir: string, clock: Clock): Promise<DatabaseWithBeatStore> {
  const database = await openDatabase(url, { dataDir, log: silentLog, clock });
  await insertOrgs(database, clock.now());
  return database;
}

async function insertOrgs(database: DatabaseWithBeatStore, now: number): Promise<void> {
  const acme = { id: 'acme', name: 'Acme', created_at: now, metadata_keys_json: '["project"]' };
  await database.transaction(async (writer) => {
    await insertOrg(writer, acme);
    await insertOrg(writer, { id: 'other', name: 'Other', created_at: now });
    const team = { id: 'platform', name: 'Platform', cost_center: '4711', source: 'console' };
    const times = { created_at: now, updated_at: now, updated_by: 'setup' };
    await upsertTeam(writer, { ...team, ...times, org_id: 'acme', source_line: null });
  });
}

/** Inserts a row like the spool, so that it is also counted. */
async function ingestRow(database: DatabaseWithBeatStore, dataDir: string, row: ExchangeRow): Promise<void> {
  const path = join(dataDir, `${row.id}.jsonl`);
  await writeFile(path, JSON.stringify(row));
  const { size } = await stat(path);
  await database.ingest({ path, from: 0, to: size, last: true });
}

async function serve(api: ApiApplication) {
  const server = createServer((incoming, response) => api.handle(incoming, response));
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
