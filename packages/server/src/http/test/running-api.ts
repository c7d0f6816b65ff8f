import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrgConfig } from '@floe/contract/config';
import { SCOPES, type Scope } from '@floe/contract/scopes';
import type { LiveHub } from '../../analytics/live/hub.ts';
import { createArrivals } from '../../core/arrivals.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { newId } from '../../core/ids.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { memoryGuard } from '../../guardrails/test/memory-guard.ts';
import type { BreakerSource } from '../../management/breakers/breaker-answer.ts';
import type { FileRules } from '../../management/guardrails/rule-host.ts';
import type { PeopleHost } from '../../management/members/people-host.ts';

import type { MonitoringHost } from '../../management/monitors/monitoring-host.ts';
import type { Standing } from '../../management/overview/overview-standing.ts';
import { createTrials, type Trials } from '../../management/trials/trials.ts';
import type { Verb } from '../../management/verb.ts';
import { type VerbParts, verbs } from '../../management/verbs.ts';
import { type Actor, keyActor } from '../../platform/actor.ts';
import { newKey, presentedKey } from '../../platform/key-format.ts';
import { derivePepper } from '../../platform/keyring.ts';
import { loadPlatform } from '../../platform/platform.ts';
import { openDatabase, type Store } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import { insertKey, type PlatformKeyRow } from '../../store/platform-keys.ts';
import type { ExchangeRow } from '../../store/ports.ts';
import { rehearse } from '../../store/rehearse.ts';
import { putTeam } from '../../store/teams.ts';
import { type Api, createApi } from '../api.ts';
import { drawBoard } from '../boards/board-routes.ts';
import type { SignInEdge } from '../sign-in/sign-in-edge.ts';
import { exchangeRow, keyRow } from './api-rows.ts';
import { held } from './audited-writes.ts';
import { rulesOfFile } from './file-rules.ts';
import { fitting } from './fitting-answers.ts';
import { bodyStore } from './kept-bodies.ts';
import { type RunningRelay, runRelay } from './relay-parts.ts';
import { channelParts, consoleParts, runningParts, secretsKey } from './running-parts.ts';
import { send } from './send.ts';
import { type NewMember, storeMember, type TestMember } from './test-members.ts';

export const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
export const pepper = derivePepper(Buffer.alloc(32, 9));

/** Channels whose receivers live on loopback, and no mail. */
export const channels = channelParts();

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed body; undefined when it is no JSON. */
  readonly body: Json;
}

/** The entries of a list in an answer. */
export function listed(value: Json | undefined): readonly Json[] {
  return Object.values(value ?? {});
}

/** Parsed JSON whose members a test reaches into; what is not there is undefined and fails the assertion. */
export interface Json {
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
  readonly database: Store;
  readonly verbs: readonly Verb[];
  readonly relay: RunningRelay;
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
  /** Makes a member, whose requests are those with `key`: it stands for the cookie of their session. */
  addMember(orgId: string, given?: NewMember): Promise<TestMember>;
  addExchange(orgId: string, columns: Partial<ExchangeRow> & { readonly id: string }): Promise<void>;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  readonly port: number;
  readonly live: LiveHub;
  readonly trials: Trials;
  close(): Promise<void>;
}

export interface ApiOptions {
  /** Of a PostgreSQL database; a SQLite file of its own unless given. */
  readonly url?: string;
  readonly log?: Log;
  readonly more?: readonly Verb[];
  /** Of the org `acme`. */
  readonly fileRules?: Partial<FileRules>;
  readonly breakers?: BreakerSource;
  readonly engine?: MonitoringHost['engine'];
  readonly standing?: Partial<Standing>;
  /** What floe.yaml says about the org `acme`. */
  readonly org?: OrgConfig;
  /** Without it nobody signs in. */
  readonly signIn?: (database: Store, clock: Clock) => SignInEdge;
  /** Whose sessions were ended. */
  readonly ended?: object[];
  readonly mail?: PeopleHost['mail'];
}

/** Of the API as a whole; a proxy on loopback is believed. */
const ABOUT = { addressOf: createArrivals(['127.0.0.1']).addressOf, version: '0.0.0-test' };

/** The real API on a loopback port, with the orgs `acme` and `other`. */
export async function runApi(options: ApiOptions = {}): Promise<RunningApi> {
  let now = NOW;
  const clock: Clock = { ...systemClock, now: () => now };
  const dataDir = await mkdtemp(join(tmpdir(), 'floe-api-'));
  const database = await openWithOrgs(options.url ?? 'sqlite:', dataDir, clock);
  let platform = await loadPlatform(database.read, pepper, now);
  const { renew, inForce, ...running } = await runningParts(clock, database, options.org);
  const relay = await runRelay(database, clock, dataDir, inForce);
  const changed = async () => {
    platform = await loadPlatform(database.read, pepper, now);
    await renew().then(relay.renew);
  };
  const sessions = new Map<string, (now: number) => Actor>();
  const parts = partsOf(options, database, clock, { ...running, relay: relay.host });
  const all = held([...verbs(parts), ...(options.more ?? [])], database);
  const api = await createApi({
    verbs: all,
    host: { database, clock, changed, secretsKey },
    log: options.log ?? silentLog,
    ...(options.signIn && { signIn: options.signIn(database, clock) }),
    ...ABOUT,
    authenticate: (headers) => {
      const shown = presentedKey(headers);
      return sessions.get(shown)?.(now) ?? keyActor(platform.keyring.authenticate(shown, now));
    },
    requestIdOf: () => newId('req', now),
  });
  const http = await serve(api);
  return {
    database,
    verbs: all,
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
    addExchange: (orgId, columns) => ingestRow(database, dataDir, { ...exchangeRow(orgId, now), ...columns }),
    call: (method, path, call = {}) => fitting(all, method, path, send(http.port, method, path, call)),
    port: http.port,
    live: parts.live,
    trials: parts.trials,
    async close() {
      await Promise.all([parts.trials.close(), parts.live.close()]);
      await http.close();
      await Promise.all([api.close(), relay.close()]);
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

type KeyColumns = NonNullable<Parameters<RunningApi['addKey']>[1]>;

async function storeKey(
  database: Store,
  orgId: string,
  { scopes = SCOPES, ...columns }: KeyColumns,
  now: number,
) {
  const key = newKey();
  const row = { ...keyRow(orgId, key, now, pepper), scopes_json: JSON.stringify(scopes), ...columns };
  await database.transaction((writer) => insertKey(writer, row));
  return { id: row.id, key };
}

function partsOf(
  options: ApiOptions,
  database: Store,
  clock: Clock,
  running: Pick<VerbParts, 'running' | 'providers' | 'relay'>,
): VerbParts {
  const rules = rulesOfFile(memoryGuard(database, clock), options);
  const breakers = options.breakers ?? { list: () => [] };
  const monitoring: MonitoringHost = {
    engine: options.engine ?? engineAt(() => clock.now()),
    secret: pepper,
    baseUrl: () => 'https://floe.example',
    timezone: () => 'UTC',
    drawBoard: (view) => drawBoard(view, ''),
  };
  const config: VerbParts['config'] = {
    fileState: () => ({ file: null, loadedAt: NOW, refused: null }),
    rehearse: (work) => rehearse(database, work),
    rules,
    providers: running.providers,
    pepper,
  };
  const people: PeopleHost = {
    endSessions: [async (_writer, who) => void options.ended?.push(who)],
    baseUrl: () => 'https://floe.example',
    mail: options.mail ?? (async () => 'off'),
  };
  return {
    ...running,
    bodies: bodyStore(),
    pepper,
    breakers,
    channels,
    rules,
    monitoring,
    people,
    config,
    trials: createTrials(systemClock),
    ...consoleParts(database, clock, options.standing),
  };
}

/** Stands for a monitoring engine that was always there and has settled everything. */
function engineAt(now: () => number): MonitoringHost['engine'] {
  return {
    sight: () => ({ nowMs: now(), settledUntil: now(), gaps: [] }),
    moment: async () => ({ nowMs: now(), settledUntil: now(), gaps: [] }),
  };
}

async function openWithOrgs(url: string, dataDir: string, clock: Clock): Promise<Store> {
  const database = await openDatabase(url, { dataDir, log: silentLog, clock });
  await insertOrgs(database, clock.now());
  return database;
}

async function insertOrgs(database: Store, now: number): Promise<void> {
  const acme = { id: 'acme', name: 'Acme', created_at: now, metadata_keys_json: '["project"]' };
  await database.transaction(async (writer) => {
    await insertOrg(writer, acme);
    await insertOrg(writer, { id: 'other', name: 'Other', created_at: now });
    const team = { id: 'platform', name: 'Platform', cost_center: '4711', source: 'console' };
    const times = { created_at: now, updated_at: now, updated_by: 'setup' };
    await putTeam(writer, { ...team, ...times, org_id: 'acme', source_line: null });
  });
}

/** As the spool does it, so that the row is counted too. */
async function ingestRow(database: Store, dataDir: string, row: ExchangeRow): Promise<void> {
  const path = join(dataDir, `${row.id}.jsonl`);
  await writeFile(path, JSON.stringify(row));
  const { size } = await stat(path);
  await database.ingest({ path, from: 0, to: size, last: true });
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
