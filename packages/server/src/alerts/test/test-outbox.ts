import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../../core/log.ts';
import { createOutboundGuard, type OutboundAccessSettings } from '../../core/outbound-guard.ts';
import { createResourceKindSyncFactory } from '../../platform/config-file-sync.ts';
import { deriveStoredSecretsKey } from '../../platform/secrets.ts';
import { syncTestOrgs } from '../../platform/test/sync-orgs.ts';
import type { ResolvedOutboundConnections } from '../../providers/outbound-connections.ts';
import { openDatabase } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import type { Database } from '../../store/store-interfaces.ts';
import { createTemporaryDirectory } from '../../store/test/temporary-directory.ts';
import { type Alert, enqueueAlerts } from '../alert.ts';
import {
  type AlertDeliveryOptions,
  type AlertDeliveryService,
  startAlertDelivery,
} from '../alert-delivery.ts';
import { createAlertSender } from '../alert-sender.ts';
import { createConfigFileChannelResourceKind } from '../config-file-channels.ts';
import type { AlertDeliveryResult } from '../deliver-to-channel.ts';
import { createMailer, type SmtpSettings } from '../mailer.ts';
import type { AlertMuteResolver } from '../prepared-alert-message.ts';

export const ALERT_TEST_ORG = 'acme';
export const alertTestSecretsKey = deriveStoredSecretsKey(randomBytes(32));
const ONE_ORG: OutboundAccessSettings = {
  allowPrivate: true,
  privateNetworks: [],
  namedHosts: () => new Set(),
};

export interface TestOutboxOptions {
  readonly database?: Database;
  readonly clock?: FakeClock;
  readonly resolveMutes?: AlertMuteResolver;
  readonly mail?: SmtpSettings;
  readonly rules?: OutboundAccessSettings;
  readonly via?: ResolvedOutboundConnections['via'];
}

/** Creates an alert delivery with its own database and a manual clock. */
export async function createTestOutbox(t: TestContext, options: TestOutboxOptions = {}) {
  const clock = options.clock ?? new FakeClock();
  const database = options.database ?? (await ownDatabase(t));
  const deliveries: AlertDeliveryService[] = [];
  t.after(async () => {
    await Promise.all(deliveries.map((delivery) => delivery.close()));
    if (!options.database) await database.close();
  });
  const guard = createOutboundGuard(() => options.rules ?? ONE_ORG);
  const via = options.via ?? (() => undefined);
  const mailer = createMailer(() => options.mail ?? { url: '', from: '', requireTls: true }, guard, via);
  const sender = createAlertSender({ guard, via, clock, mailer });
  const counted: string[] = [];
  const context: AlertDeliveryOptions = {
    database,
    clock,
    log: silentLog,
    sender,
    secretsKey: alertTestSecretsKey,
    baseUrl: () => 'https://floe.example',
    resolveMutes: options.resolveMutes ?? (async () => new Map()),
    random: () => 0.5,
    countResult: (kind: string, result: AlertDeliveryResult) => counted.push(`${kind} ${result}`),
  };
  const startMortal = () => startAlertDelivery(context);
  const start = (): AlertDeliveryService => {
    const delivery = startMortal();
    deliveries.push(delivery);
    return delivery;
  };
  const setChannels = (byOrg: ChannelsByOrg) => setOrgChannels(database, clock, byOrg);
  return {
    clock,
    database,
    sender,
    counted,
    start,
    /** Starts a delivery that is never closed, like a killed process. */
    startMortal,
    /** Sets the channels of the organization, in the format of floe.yaml. */
    channels: (...channels: readonly object[]) => setChannels({ [ALERT_TEST_ORG]: channels }),
    setChannels,
    put: (...alerts: readonly Alert[]) => database.transaction((writer) => enqueueAlerts(writer, alerts)),
    /** Advances the clock in steps of one round and waits for each round. */
    pass: (delivery: AlertDeliveryService, ms = 1_000) => advance(clock, delivery, ms),
    /** The state of each delivery, in order. */
    states: async () =>
      (await database.read.selectFrom('alert_deliveries').selectAll().orderBy('seq').execute()).map(
        ({ state }) => state,
      ),
    deliveries: () => database.read.selectFrom('alert_deliveries').selectAll().orderBy('seq').execute(),
  };
}

/** The channels of several organizations, which must exist. */
type ChannelsByOrg = Readonly<Record<string, readonly object[]>>;

function setOrgChannels(database: Database, clock: FakeClock, byOrg: ChannelsByOrg) {
  return database.transaction((writer) =>
    syncTestOrgs(
      writer,
      [createResourceKindSyncFactory(createConfigFileChannelResourceKind(alertTestSecretsKey, clock.now()))],
      Object.entries(byOrg).map(([id, channels]) => ({ id, channels })),
      { nowMs: clock.now(), line: 1 },
    ),
  );
}

async function advance(clock: FakeClock, delivery: AlertDeliveryService, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await clock.advanceAsync(Math.min(left, 1_000));
    await delivery.waitUntilIdle();
  }
}

async function ownDatabase(t: TestContext): Promise<Database> {
  const database = await openDatabase('sqlite:', {
    dataDir: createTemporaryDirectory(t),
    log: silentLog,
    clock: new FakeClock(),
  });
  await database.transaction((writer) =>
    insertOrg(writer, { id: ALERT_TEST_ORG, name: 'Acme', created_at: 1 }),
  );
  return database;
}

const AT = Date.UTC(2026, 10, 21, 12);
let createdAlerts = 0;

export function createFailingAlert(
  id: string,
  changes: { readonly tags?: readonly string[]; readonly name?: string } = {},
): Alert {
  return {
    orgId: ALERT_TEST_ORG,
    event: 'monitor_failing',
    subject: { kind: 'monitor', id, name: changes.name ?? `Job ${id}` },
    idempotencyKey: `key ${createdAlerts++}`,
    at: AT,
    fields: {
      error: 'no heartbeat received within expected_interval_minutes + grace_period_minutes',
      failingSinceMs: AT - 125_000,
      lastBeatMs: AT - 425_000,
      tags: changes.tags ?? [],
    },
    channels: null,
  };
}

/**
 * Returns a recovery alert.
 * @param lastedMs duration of the failure. The default is more than a minute.
 */
export function createRecoveredAlert(id: string, lastedMs = 600_000): Alert {
  return {
    orgId: ALERT_TEST_ORG,
    event: 'monitor_recovered',
    subject: { kind: 'monitor', id, name: `Job ${id}` },
    idempotencyKey: `key ${createdAlerts++}`,
    at: AT + lastedMs,
    fields: { failingSinceMs: AT - 125_000, downtimeMs: 725_000, tags: [] },
    channels: null,
  };
}
