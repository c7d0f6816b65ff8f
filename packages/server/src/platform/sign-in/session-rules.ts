import type { FloeConfig } from '@floe/contract/config';
import type { ConsoleSessionRow } from '../../store/console-sessions.ts';

/** How long sessions hold, and which ways into one there are, as floe.yaml says it now. */
export interface SessionRules {
  /** A session that is not used for this long is over. */
  readonly idleMs: number;
  /** However much it is used, a session is over this long after it began. */
  readonly maxLifetimeMs: number;
  /** Whether a session that began by this method may go on: it ends when its way is switched off. */
  isMethodEnabled(session: Pick<ConsoleSessionRow, 'method' | 'issuer'>): boolean;
}

/** `auth` of floe.yaml as rules. Sessions of one-time links and invitations have no switch. */
export function sessionRulesOf({ sessions, password, passkey, oidc }: FloeConfig['auth']): SessionRules {
  const switches: Readonly<Record<string, boolean>> = { password, passkey, oidc: oidc.length > 0 };
  const isKnown = (issuer: string | null | undefined) =>
    issuer == null || oidc.some(({ name }) => name === issuer);
  return {
    idleMs: sessions.idle_minutes * 60_000,
    maxLifetimeMs: sessions.max_hours * 3_600_000,
    isMethodEnabled: ({ method, issuer }) => (switches[method] ?? true) && isKnown(issuer),
  };
}

/** When a session is over unless it is used before; `seenAt` is its last use. Milliseconds since the epoch. */
export function sessionExpiresAt(
  { idleMs, maxLifetimeMs }: SessionRules,
  row: Pick<ConsoleSessionRow, 'created_at' | 'expires_at'>,
  seenAt: number,
): number {
  // Shorter rules are for sessions that are under way too; longer ones are for those that begin after.
  return Math.min(row.expires_at, row.created_at + maxLifetimeMs, seenAt + idleMs);
}
