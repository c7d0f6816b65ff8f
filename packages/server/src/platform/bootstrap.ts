import { createHash, type KeyObject, randomBytes } from 'node:crypto';
import { KEY_SCOPES } from '@floe/contract/scopes';
import type { Clock } from '../core/clock.ts';
import { createId } from '../core/ids.ts';
import { appendAuditEntry } from '../store/audit-entries.ts';
import { insertOrg, listOrgs } from '../store/orgs.ts';
import { insertPlatformKey } from '../store/platform-keys.ts';
import { storeSetting } from '../store/settings.ts';
import type { Database } from '../store/store-interfaces.ts';
import { buildPlatformKey } from './build-platform-key.ts';
import { toPlatformKeyResource } from './stored-platform-key.ts';

const SIGN_IN_TOKEN_TTL_MS = 24 * 60 * 60 * 1000;
/**
 * The name of the setting that stores the SHA-256 and expiry of the owner link's one-time
 * token.
 */
export const OWNER_LINK_SETTING = 'console_sign_in';

/**
 * The first platform key and the sign-in token of a new installation. They are shown only once, because Floe
 * stores only their hashes.
 */
export interface FirstStartSecrets {
  readonly orgId: string;
  readonly key: string;
  /** Opens the console once, within 24 hours. */
  readonly signInToken: string;
}

/**
 * Initializes an installation that has neither floe.yaml nor data. Creates the organization
 * `default`, a key with all scopes and a one-time sign-in token. Returns null if an organization
 * already exists.
 */
export function bootstrapInstallation(
  database: Database,
  pepper: KeyObject,
  clock: Clock,
): Promise<FirstStartSecrets | null> {
  const signInToken = randomBytes(32).toString('base64url');
  return database.transaction(async (writer) => {
    if ((await listOrgs(writer)).length > 0) return null;
    const now = clock.now();
    await insertOrg(writer, { id: 'default', name: 'Default', created_at: now });
    const { key, row } = buildPlatformKey(pepper, {
      orgId: 'default',
      name: 'first',
      scopes: KEY_SCOPES,
      by: 'setup',
      nowMs: now,
    });
    await insertPlatformKey(writer, row);
    await appendAuditEntry(writer, {
      id: createId('aud', now),
      org_id: row.org_id,
      at: now,
      actor: 'setup',
      action: 'keys.create',
      subject: row.id,
      before_json: null,
      after_json: JSON.stringify(toPlatformKeyResource(row, now)),
    });
    const sha256 = createHash('sha256').update(signInToken).digest('hex');
    await storeSetting(
      writer,
      OWNER_LINK_SETTING,
      JSON.stringify({ sha256, org_id: row.org_id, expires_at: now + SIGN_IN_TOKEN_TTL_MS, operator: true }),
    );
    await database.signals.announce(writer);
    return { orgId: row.org_id, key, signInToken };
  });
}
