import type { createdKey } from '@floe/contract/api/keys';
import type * as z from 'zod';
import { type IdempotencyKeys, sendJson } from './api-client.ts';
import { discardStoredPrompts } from './playground-storage.ts';
import { getServerTime } from './server-clock.ts';

/** A new platform key with its value, which the API returns only once. */
export type CreatedKey = z.output<typeof createdKey>;

const HOUR_MS = 3_600_000;
/** A key that expires within this time, in milliseconds, is not used for a new call. */
const SPARE_MS = 120_000;

interface Held {
  readonly orgId: string;
  readonly endsMs: number;
  readonly key: Promise<CreatedKey>;
}

let held: Held | null = null;

/**
 * Creates a platform key for the user’s own model requests. Only this response contains the value of the key.
 */
export function createGatewayKey(
  name: string,
  expiresAt: string | null = null,
  keys?: IdempotencyKeys,
): Promise<CreatedKey> {
  const body = { name, scopes: ['gateway'], expires_at: expiresAt };
  return sendJson('POST', 'api/management/keys', body, { keys });
}

/**
 * Returns the key that the playground uses to call models. Creates a new one if there is none or it expires
 * soon. The key belongs to the user, is valid for one hour, and is stored only in the memory of this tab. Its
 * requests are counted and limited like all others.
 */
export async function getOrCreatePlaygroundKey(
  orgId: string,
  person: string,
  nowMs = getServerTime().getTime(),
): Promise<string> {
  if (held?.orgId !== orgId || held.endsMs - SPARE_MS < nowMs) {
    const endsMs = nowMs + HOUR_MS;
    const key = createGatewayKey(
      buildKeyName(person, `console-${generateKeyNameSuffix()}`),
      new Date(endsMs).toISOString(),
    );
    held = { orgId, endsMs, key };
    key.catch(() => {
      held = null;
    });
  }
  return (await held.key).key;
}

/**
 * Discards the playground key, for example after it was rejected or the user signed out. The next call of
 * `getOrCreatePlaygroundKey` creates a new one.
 */
export function discardPlaygroundKey(): void {
  held = null;
}

/**
 * Discards the playground key and the stored prompts, because the user signed out or another user signed in.
 * @param keptUserId The user whose prompts are kept. Absent to discard all prompts.
 */
export function discardPlaygroundState(keptUserId?: string): void {
  discardPlaygroundKey();
  discardStoredPrompts(sessionStorage, keptUserId);
}

/** Builds a key name such as `mara-claude-code` from `Mara Koch` and `claude-code`. */
export function buildKeyName(memberName: string, purpose: string): string {
  const first = memberName
    .normalize('NFKD')
    .toLowerCase()
    .split(/[\s@]+/)[0]
    ?.replace(/[^a-z0-9]+/g, '');
  return first ? `${first}-${purpose}` : purpose;
}

/**
 * Returns four random letters or digits. Append them to the name of a new key, so that the name is probably
 * unique in the organization.
 */
export function generateKeyNameSuffix(): string {
  return [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => (byte % 36).toString(36)).join('');
}
