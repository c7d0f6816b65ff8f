import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyScope } from '@floe/contract/scopes';
import { systemClock } from '../../../packages/server/src/core/clock.ts';
import { createId } from '../../../packages/server/src/core/ids.ts';
import { silentLog } from '../../../packages/server/src/core/log.ts';
import { buildPlatformKey } from '../../../packages/server/src/platform/build-platform-key.ts';
import { generatePlatformKey } from '../../../packages/server/src/platform/key-format.ts';
import { derivePlatformKeyPepper } from '../../../packages/server/src/platform/keyring.ts';
import { insertConfigEntry } from '../../../packages/server/src/store/config-entries.ts';
import { openDatabase } from '../../../packages/server/src/store/open-database.ts';
import { insertOrg } from '../../../packages/server/src/store/orgs.ts';
import { loadInstallationSecretKey } from '../../../packages/server/src/store/secret-key.ts';
import type { DatabaseWriter } from '../../../packages/server/src/store/store-interfaces.ts';

/** The size of a generated installation. */
export interface InstallationSize {
  readonly keys: number;
  readonly routes: number;
  readonly providers: number;
  readonly orgs: number;
}

/** A generated installation, and the keys that the measurement uses. */
export interface Installation {
  /** Creates and changes resources of the first organization. */
  readonly managementKey: string;
  /** Sends the traffic of the second organization. */
  readonly gatewayKey: string;
}

export const SECRET_KEY = 'growth'.repeat(6);
const KEYS_PER_INSERT = 500;
/** The first values of a file's keys: management, traffic, and one per revision. */
const RESERVED_KEYS = 12;

export function orgName(at: number): string {
  return `org-${at}`;
}

/** The provider or route at a position: each organization has its share. */
function providerOf(size: InstallationSize, route: number): string {
  const org = route % size.orgs;
  const perOrg = Math.max(1, Math.floor(size.providers / size.orgs));
  return `provider-${org + size.orgs * (Math.floor(route / size.orgs) % perOrg)}`;
}

/** Writes an installation whose resources were created with the API. */
export async function fillDatabase(dataDir: string, size: InstallationSize): Promise<Installation> {
  const secret = loadInstallationSecretKey({ dataDir, given: SECRET_KEY });
  const pepper = derivePlatformKeyPepper(secret.key);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  const nowMs = systemClock.now();
  const made = (orgId: string, name: string, scopes: readonly KeyScope[]) =>
    buildPlatformKey(pepper, { orgId, name, scopes, by: 'setup', nowMs });
  const management = made(orgName(0), 'management', ['management', 'gateway']);
  const gateway = made(orgName(1), 'traffic', ['gateway']);
  await database.transaction(async (writer) => {
    for (let at = 0; at < size.orgs; at++)
      await insertOrg(writer, { id: orgName(at), name: orgName(at), created_at: nowMs + at });
    await insertEntries(writer, size, nowMs);
    await writer.insertInto('platform_keys').values([management.row, gateway.row]).execute();
    for (let from = 0; from < size.keys; from += KEYS_PER_INSERT) {
      const rows = Array.from({ length: Math.min(KEYS_PER_INSERT, size.keys - from) }, (_, at) => {
        const { row } = made(orgName((from + at) % size.orgs), `key-${from + at}`, ['gateway']);
        return { ...row, owner: `owner-${at % 20}`, models_json: '["smart-*","sandbox/*"]' };
      });
      await writer.insertInto('platform_keys').values(rows).execute();
    }
  });
  await database.close();
  return { managementKey: management.key, gatewayKey: gateway.key };
}

async function insertEntries(writer: DatabaseWriter, size: InstallationSize, nowMs: number): Promise<void> {
  const times = { created_at: nowMs, updated_at: nowMs, updated_by: 'setup' };
  const origin = { source: 'console', source_line: null, secrets_sealed: null, secrets_version: 0 };
  const add = (kind: string, at: number, id: string, entry: object) =>
    insertConfigEntry(writer, {
      ...times,
      ...origin,
      org_id: orgName(at % size.orgs),
      kind,
      id,
      row_id: createId('cfg', nowMs),
      position: at,
      entry_json: JSON.stringify(entry),
    });
  for (let at = 0; at < size.providers; at++)
    await add('providers', at, `provider-${at}`, { id: `provider-${at}`, kind: 'sandbox' });
  for (let at = 0; at < size.routes; at++) await add('routes', at, `smart-${at}`, routeEntry(size, at));
}

function routeEntry(size: InstallationSize, at: number): object {
  return { model: `smart-${at}`, targets: [{ model: `${providerOf(size, at)}/echo` }] };
}

/** What differs from the first version of a file. */
export interface FileRevision {
  /** Selects the value of one key. */
  readonly revision: number;
  /** Whether all lines move. */
  readonly isMoved: boolean;
}

/** Writes the same installation as floe.yaml. Returns the keys that no revision changes. */
export function writeConfigFile(
  dataDir: string,
  size: InstallationSize,
  keys: readonly string[],
  revision: FileRevision,
): Installation {
  writeFileSync(join(dataDir, 'floe.yaml'), buildConfigFile(size, keys, revision));
  const [managementKey = '', gatewayKey = ''] = keys;
  return { managementKey, gatewayKey };
}

/** The text of floe.yaml in a revision. */
export function buildConfigFile(
  size: InstallationSize,
  keys: readonly string[],
  { revision, isMoved }: FileRevision,
): string {
  const [managementKey = '', gatewayKey = ''] = keys;
  const orgs = Array.from({ length: size.orgs }, (_, org) => {
    const own = (count: number) =>
      Array.from({ length: count }, (_, at) => at).filter((at) => at % size.orgs === org);
    return [
      `  - id: ${orgName(org)}`,
      '    keys:',
      ...(org === 0
        ? [`      - { name: management, key: ${managementKey}, scopes: [management, gateway] }`]
        : []),
      ...(org === Math.min(1, size.orgs - 1)
        ? [
            `      - { name: traffic, key: ${gatewayKey} }`,
            `      - { name: revision, key: ${revisionKey(keys, revision)} }`,
          ]
        : []),
      ...own(size.keys).map(
        (at) =>
          `      - { name: key-${at}, key: ${keys[at + RESERVED_KEYS]}, owner: owner-${at % 20}, models: ["smart-*", "sandbox/*"] }`,
      ),
      '    providers:',
      ...own(size.providers).map((at) => `      - { id: provider-${at}, kind: sandbox }`),
      '    routes:',
      ...own(size.routes).map(
        (at) => `      - { model: smart-${at}, targets: [${providerOf(size, at)}/echo] }`,
      ),
    ].join('\n');
  });
  return `${isMoved ? '# moved\n'.repeat(revision) : ''}orgs:\n${orgs.join('\n')}\n`;
}

/** Values for the keys of a file. */
export function generateKeys(size: InstallationSize): string[] {
  return Array.from({ length: size.keys + RESERVED_KEYS }, () => generatePlatformKey());
}

/** The value that is valid only in one revision of the file. */
export function revisionKey(keys: readonly string[], revision: number): string {
  return keys[2 + (revision % (RESERVED_KEYS - 2))] ?? '';
}
