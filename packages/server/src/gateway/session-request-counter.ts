import type { KeyRecord } from '../platform/keyring.ts';
import type { ClientCall } from './client-call.ts';
import { findSessionIdInHeaders } from './conversation-id.ts';

/** A session of a coding agent, and the number of its requests to models. */
export interface AgentSessionUsage {
  /** The session id; empty if the client sends none. */
  readonly id: string;
  /** Whether the session requested a decision from the relay in the last 24 hours. */
  readonly relayed: boolean;
  /** Number of requests of the session in this process, including this one. */
  readonly requests: number;
}

/** Counts the model requests of coding agent sessions. */
export interface SessionRequestCounter {
  /** Returns whether requests of an organization are counted. */
  isTracked(orgId: string): boolean;
  record(key: KeyRecord, sessionId: string, userAgent: string): AgentSessionUsage;
}

/** The counter to use if sessions are not tracked. */
export const DISABLED_SESSION_REQUEST_COUNTER: SessionRequestCounter = {
  isTracked: () => false,
  record: () => ({ id: '', relayed: false, requests: 0 }),
};

/** Counts an exchange in its session, and returns the session. Returns null if sessions are not tracked. */
export function countSessionRequest(
  sessions: SessionRequestCounter,
  key: KeyRecord,
  headers: ClientCall['headers'],
): AgentSessionUsage | null {
  if (!sessions.isTracked(key.orgId)) return null;
  const agent = headers['user-agent'];
  return sessions.record(key, findSessionIdInHeaders(headers) ?? '', typeof agent === 'string' ? agent : '');
}
