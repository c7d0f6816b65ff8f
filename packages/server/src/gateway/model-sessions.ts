import type { KeyRecord } from '../platform/keyring.ts';
import type { ClientConnection } from './client.ts';
import { findSessionHeader } from './conversation.ts';

/** What is known of the session a request belongs to. */
export interface ModelSessionStatus {
  /** Empty when the client names none. */
  readonly id: string;
  /** Whether the session asked the relay within the last day. */
  readonly relayed: boolean;
  /** Requests of the session that this process saw, this one included. */
  readonly requests: number;
}

/** Counts who uses models; `main.ts` joins it with the relay, which the gateway does not know. */
export interface ModelSessions {
  /** Whether anybody in the org asks for these counts. */
  isTracked(orgId: string): boolean;
  record(key: KeyRecord, sessionId: string, userAgent: string): ModelSessionStatus;
}

/** For orgs that nobody watches. */
export const UNTRACKED_SESSIONS: ModelSessions = {
  isTracked: () => false,
  record: () => ({ id: '', relayed: false, requests: 0 }),
};

/** The session of an exchange, counted once; null where nobody watches. */
export function recordSession(
  sessions: ModelSessions,
  key: KeyRecord,
  headers: ClientConnection['headers'],
): ModelSessionStatus | null {
  if (!sessions.isTracked(key.orgId)) return null;
  const agent = headers['user-agent'];
  return sessions.record(key, findSessionHeader(headers) ?? '', typeof agent === 'string' ? agent : '');
}
