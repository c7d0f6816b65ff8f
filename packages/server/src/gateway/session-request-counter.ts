import type { KeyRecord } from '../platform/keyring.ts';
import type { ClientConnection } from './client-connection.ts';
import { findSessionHeader } from './conversation-id.ts';

/** The coding agent session that a request belongs to. */
export interface ModelSessionStatus {
  /** Empty if the client sends none. */
  readonly id: string;
  /** Whether the session requested a decision from the relay in the last 24 hours. */
  readonly relayed: boolean;
  /** Requests of the session in this process, including this one. */
  readonly requests: number;
}

/**
 * Counts requests per session. `main.ts` connects it to the relay, because the gateway does not
 * import the relay.
 */
export interface SessionRequestCounter {
  /** Returns whether an organization uses these counts. */
  isTracked(orgId: string): boolean;
  record(key: KeyRecord, sessionId: string, userAgent: string): ModelSessionStatus;
}

/** The implementation for organizations that do not track sessions. */
export const UNTRACKED_SESSIONS: SessionRequestCounter = {
  isTracked: () => false,
  record: () => ({ id: '', relayed: false, requests: 0 }),
};

/** Counts an exchange in its session and returns the session; null if sessions are not tracked. */
export function recordSession(
  sessions: SessionRequestCounter,
  key: KeyRecord,
  headers: ClientConnection['headers'],
): ModelSessionStatus | null {
  if (!sessions.isTracked(key.orgId)) return null;
  const agent = headers['user-agent'];
  return sessions.record(key, findSessionHeader(headers) ?? '', typeof agent === 'string' ? agent : '');
}
