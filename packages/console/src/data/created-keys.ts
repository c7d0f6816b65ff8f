import type { createdKey } from '@floe/contract/api/keys';
import type * as z from 'zod';
import { sendJson } from './api-client.ts';

export type CreatedKey = z.output<typeof createdKey>;

const HOUR_MS = 3_600_000;
/** A key that ends within this time is not begun with. */
const SPARE_MS = 120_000;

interface Held {
  readonly orgId: string;
  readonly endsMs: number;
  readonly key: Promise<CreatedKey>;
}

let held: Held | null = null;

/** A platform key for one's own calls to models. Its value is in this answer and nowhere else. */
export function createGatewayKey(name: string, expiresAt: string | null = null): Promise<CreatedKey> {
  return sendJson('POST', 'api/management/keys', { name, scopes: ['gateway'], expires_at: expiresAt });
}

/**
 * The key that the console itself calls models with: the person's own, for an hour, in the memory of this tab only.
 * What it asks is counted and limited like anything else.
 */
export async function getPlaygroundKey(orgId: string, person: string, nowMs = Date.now()): Promise<string> {
  if (held?.orgId !== orgId || held.endsMs - SPARE_MS < nowMs) {
    const endsMs = nowMs + HOUR_MS;
    const key = createGatewayKey(
      buildKeyName(person, `console-${generateKeySuffix()}`),
      new Date(endsMs).toISOString(),
    );
    held = { orgId, endsMs, key };
    key.catch(() => {
      held = null;
    });
  }
  return (await held.key).key;
}

/** Forgets the key, as when it was refused or somebody else signs in here: the next call makes another. */
export function discardPlaygroundKey(): void {
  held = null;
}

/** `mara-claude-code` of `Mara Koch` and `claude-code`. */
export function buildKeyName(person: string, what: string): string {
  const first = person
    .normalize('NFKD')
    .toLowerCase()
    .split(/[\s@]+/)[0]
    ?.replace(/[^a-z0-9]+/g, '');
  return first ? `${first}-${what}` : what;
}

/** Names of working keys are unique in an org; four letters keep two of them apart. */
export function generateKeySuffix(): string {
  return [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => (byte % 36).toString(36)).join('');
}
