import type { SessionRequestCounter } from '../gateway/session-request-counter.ts';
import type { RelaySessionTracker } from '../relay/relay-session-tracker.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';

/** How long after its last relay call a session counts as one that uses the relay. */
const RELAYED_MS = 24 * 3_600_000;

/** Names of agents, by the start of their `user-agent`. */
const AGENTS: readonly (readonly [RegExp, string])[] = [
  [/^claude-(?:cli|code)\b/i, 'claude-code'],
  [/^codex/i, 'codex'],
  [/^(?:github)?copilot/i, 'copilot-cli'],
  [/^gemini-?cli/i, 'gemini-cli'],
  [/^cline/i, 'cline'],
];

/**
 * Creates the counter for the model requests of agent sessions. It counts the requests of organizations that
 * use the relay or whose policies read `session`. For other organizations, it costs two map lookups per
 * request.
 */
export function createSessionRequestCounter(
  sessions: RelaySessionTracker,
  snapshots: GatewaySnapshots,
): SessionRequestCounter {
  return {
    isTracked: (orgId) => sessions.usesRelay(orgId) || policiesNeedSession(snapshots, orgId),
    record(key, sessionId, userAgent) {
      const { id: keyId, orgId, name, owner } = key;
      const agent = agentOf(userAgent);
      const known = sessions.recordModelUse({ orgId, keyId, keyName: name, owner, sessionId }, agent);
      const relayed = sessionId !== '' && known.lastRelayCallAt > sessions.now() - RELAYED_MS;
      return { id: sessionId, relayed, requests: known.modelRequests };
    },
  };
}

function policiesNeedSession(snapshots: GatewaySnapshots, orgId: string): boolean {
  const policies = snapshots.current().catalogs.get(orgId)?.policies ?? null;
  return policies !== null && (needsSession(policies.request) || needsSession(policies.answer));
}

function needsSession(side: { readonly needs: ReadonlySet<string> } | null): boolean {
  if (side === null) return false;
  const { needs } = side;
  return (
    needs.has('session.relayed') ||
    needs.has('session.requests') ||
    needs.has('session.id') ||
    needs.has('session')
  );
}

function agentOf(userAgent: string): string | null {
  for (const [pattern, agent] of AGENTS) if (pattern.test(userAgent)) return agent;
  const [name] = /^[\w.-]{1,60}(?=\/)/.exec(userAgent) ?? [];
  return name ?? null;
}
