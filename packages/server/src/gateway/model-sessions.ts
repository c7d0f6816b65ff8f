import type { KeyRecord } from '../platform/keyring.ts';
import type { Client } from './client.ts';
import { sessionOf } from './conversation.ts';

/** What is known of the session a request belongs to. */
export interface SessionStanding {
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
  watches(orgId: string): boolean;
  note(key: KeyRecord, sessionId: string, userAgent: string): SessionStanding;
}

/** For orgs that nobody watches. */
export const UNWATCHED: ModelSessions = {
  watches: () => false,
  note: () => ({ id: '', relayed: false, requests: 0 }),
};

/** The session of an exchange, counted once; null where nobody watches. */
export function noteSession(
  sessions: ModelSessions,
  key: KeyRecord,
  headers: Client['headers'],
): SessionStanding | null {
  if (!sessions.watches(key.orgId)) return null;
  const agent = headers['user-agent'];
  return sessions.note(key, sessionOf(headers) ?? '', typeof agent === 'string' ? agent : '');
}
