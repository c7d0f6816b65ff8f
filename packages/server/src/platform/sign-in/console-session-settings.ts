import type { FloeConfig } from '@floe/contract/config';
import type { ConsoleSessionRow } from '../../store/console-sessions.ts';

/** How long sessions last and which sign-in methods are enabled, according to the configuration in use. */
export interface ConsoleSessionSettings {
  /** A session expires if it was not used for this long. */
  readonly idleMs: number;
  /** A session expires this long after its start, even if it is used. */
  readonly maxLifetimeMs: number;
  /** Whether the method that started a session is still enabled. If not, the session ends. */
  isMethodEnabled(session: Pick<ConsoleSessionRow, 'method' | 'issuer'>): boolean;
}

/**
 * Converts `auth` in floe.yaml to session settings. Sign-in with one-time links and invitations cannot be
 * disabled.
 */
export function toConsoleSessionSettings({
  sessions,
  password,
  passkey,
  oidc,
}: FloeConfig['auth']): ConsoleSessionSettings {
  const switches: Readonly<Record<string, boolean>> = { password, passkey, oidc: oidc.length > 0 };
  const isKnown = (issuer: string | null | undefined) =>
    issuer == null || oidc.some(({ name }) => name === issuer);
  return {
    idleMs: sessions.idle_minutes * 60_000,
    maxLifetimeMs: sessions.max_hours * 3_600_000,
    isMethodEnabled: ({ method, issuer }) => (switches[method] ?? true) && isKnown(issuer),
  };
}

/** Returns when a session expires if it is not used after `seenAt`, in Unix milliseconds. */
export function computeSessionExpiresAt(
  { idleMs, maxLifetimeMs }: ConsoleSessionSettings,
  row: Pick<ConsoleSessionRow, 'created_at' | 'expires_at'>,
  seenAt: number,
): number {
  // A shorter lifetime also applies to existing sessions, a longer one only to new sessions.
  return Math.min(row.expires_at, row.created_at + maxLifetimeMs, seenAt + idleMs);
}
