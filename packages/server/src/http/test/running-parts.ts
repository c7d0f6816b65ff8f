import { FloeConfigSchema, type OrgConfig } from '@floe/contract/config';
import { createMailer } from '../../alerts/mail.ts';
import { createSender } from '../../alerts/send.ts';
import { LiveHub } from '../../analytics/live/hub.ts';
import type { Clock } from '../../core/clock.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { createOutboundGuard } from '../../core/outbound.ts';
import { EMPTY_CATALOG } from '../../gateway/catalog.ts';
import { type CompiledCatalogs, compileCatalogs } from '../../gateway/compile.ts';
import { Latencies } from '../../gateway/latencies.ts';
import { listedModels } from '../../gateway/lists.ts';
import { Conversations } from '../../gateway/stickiness.ts';
import { OutputLengths } from '../../guardrails/output-lengths.ts';
import type { Standing } from '../../management/overview/overview-standing.ts';
import type { ProviderHost } from '../../management/providers/provider-host.ts';
import type { VerbParts } from '../../management/verbs.ts';
import { FILE_POLICIES, FILE_PROVIDERS, FILE_ROUTES } from '../../platform/config/file-entries.ts';
import { isAtHome } from '../../platform/config/provider-secrets.ts';
import { loadStoredConfig, type MergedConfig, mergeConfig } from '../../platform/config/stored-config.ts';
import { syncedKind, syncFile } from '../../platform/file-sync.ts';
import { Jobs } from '../../platform/jobs.ts';
import { deriveSecretsKey } from '../../platform/secrets.ts';
import { providersFromConfig } from '../../providers/from-config.ts';
import { createTransport } from '../../providers/transports.ts';
import { tryProvider } from '../../providers/try-provider.ts';
import type { Store } from '../../store/open-database.ts';

export const secretsKey = deriveSecretsKey(Buffer.alloc(32, 9));
const WORLD = { variable: () => undefined, outbound: { proxy: '', no_proxy: '', ca_file: '' } };

interface RunningParts extends Pick<VerbParts, 'running' | 'providers'> {
  /** Compiles what is in force now, as the snapshot does. */
  renew(): Promise<void>;
  inForce(): MergedConfig['orgs'];
}

/** What verbs read of a running gateway whose floe.yaml says `org` about the org `acme`; entries stand on lines 10, 11, … */
export async function runningParts(
  clock: Clock,
  database: Store,
  org: OrgConfig | undefined,
): Promise<RunningParts> {
  const file = org ? [org] : [];
  await database.transaction((writer) =>
    syncFile(
      [syncedKind(FILE_PROVIDERS), syncedKind(FILE_ROUTES), syncedKind(FILE_POLICIES)],
      {
        config: { ...FloeConfigSchema.parse({}), orgs: file },
        path: null,
        lineOf: ([, , , index]) => 10 + Number(index),
        sets: () => true,
      },
      { writer, nowMs: clock.now() },
    ),
  );
  let merged: MergedConfig = { orgs: [], made: new Set(), orgCount: 0 };
  let compiled: CompiledCatalogs | null = null;
  const renew = async () => {
    const stored = await loadStoredConfig(database.read, secretsKey);
    merged = mergeConfig(file, () => false, stored, null);
    compiled = compileCatalogs(merged.orgs, null, { ...WORLD, mayBorrow: isAtHome });
  };
  await renew();
  const running: VerbParts['running'] = {
    orgs: (orgId) => ({
      config: merged.orgs.find(({ id }) => id === orgId) ?? null,
      isInFile: orgId === org?.id,
      fileName: 'floe.yaml',
      catalog: compiled?.catalogs.get(orgId) ?? EMPTY_CATALOG,
      problemOf: (id) => compiled?.unusable.find((one) => one.id === `${orgId}/${id}`)?.reason ?? null,
    }),
    conversations: new Conversations(clock),
    latencies: new Latencies(clock),
    outputMost: () => null,
    outputLengths: new OutputLengths(),
    models: (provider) => listedModels(provider, { of: () => [] }),
  };
  const providers: ProviderHost = {
    key: secretsKey,
    orgs: running.orgs,
    mayNameMachine: () => false,
    tryOut: (provider, credential, model) =>
      tryProvider(provider, credential, model, {
        transport: createTransport(systemClock),
        clock: systemClock,
      }),
    write: (work) => database.transaction(work),
    configure(config) {
      const { providers: done, unusable } = providersFromConfig([config], WORLD);
      return done[0] ? { provider: done[0] } : { problem: unusable[0]?.reason ?? '' };
    },
  };
  return { running, providers, renew, inForce: () => merged.orgs };
}

/** Channels whose receivers live on loopback, and no mail. */
export function channelParts() {
  const guard = createOutboundGuard(() => ({
    trustPrivate: true,
    privateNetworks: [],
    named: new Set<string>(),
  }));
  const mailer = createMailer(() => ({ url: '', from: '', requireTls: true }), guard);
  return {
    secretsKey,
    sender: createSender({ guard, via: () => undefined, clock: systemClock, mailer }),
    baseUrl: () => 'https://floe.example',
  };
}

/** What the console's verbs stand on: a process that is well, but for what `standing` says. */
export function consoleParts(
  database: Store,
  clock: Clock,
  standing: Partial<Standing> = {},
): Pick<VerbParts, 'analytics' | 'standing' | 'live' | 'jobs' | 'cacheSizeOf'> {
  const parts = { database, clock, log: silentLog };
  return {
    cacheSizeOf: () => ({ entries: 0, bytes: 0 }),
    analytics: { backlog: () => 0, requestsDays: () => 90, timezone: () => 'UTC' },
    standing: {
      configRefusal: () => null,
      sharedStore: () => 'memory',
      refusedBeats: () => null,
      ...standing,
    },
    live: new LiveHub(parts),
    jobs: new Jobs(parts),
  };
}
