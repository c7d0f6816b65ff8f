import type { RelayEvent } from '@floe/contract/api/relay';
import type { BundlePayload } from '@floe/relay/bundle';
import { compileRelay } from '@floe/relay/compile-relay';
import { evaluateRelayEvent } from '@floe/relay/evaluate-event';
import type { HookDecision } from '@floe/relay/hooks/adapter';
import { loadShellGrammar } from '@floe/relay/shell/grammar';
import { type BundleCachePath, bundleCacheDirectory, readCachedBundle } from './bundle-cache.ts';
import type { HookSettings } from './hook-settings.ts';
import { verifyCachedBundle } from './verify-cached-bundle.ts';

export interface OfflineDecision {
  readonly outcomes: readonly HookDecision[];
  readonly askFallback: 'deny' | 'abstain';
  /** Whether rules were asked; else it is what to do without any decision. */
  readonly isFromRules: boolean;
}

/**
 * What holds while the server gives no decision: what the signed rules say, where the org lets clients decide by
 * them, else their fail mode. An expired bundle decides nothing, and its fail mode stays until there is a newer one.
 *
 * @param events null when nobody knows what the agent is about to do
 * @param reason there is no decision, for the person
 */
export async function decideOffline(
  events: readonly RelayEvent[] | null,
  reason: string,
  paths: BundleCachePath,
  settings: HookSettings,
): Promise<OfflineDecision> {
  const cached = readCachedBundle(bundleCacheDirectory(paths, settings), settings);
  const nowMs = Date.now();
  const bundle = cached && verifyCachedBundle(cached, Number.NEGATIVE_INFINITY);
  const askFallback = bundle?.relay.ask_fallback === 'abstain' ? 'abstain' : 'deny';
  const isCurrent = bundle !== null && Date.parse(bundle.expires_at) > nowMs;
  if (isCurrent && events !== null && bundle.relay.offline === 'decide') {
    const outcomes = await evaluateRules(events, bundle, nowMs);
    if (outcomes) return { outcomes, askFallback, isFromRules: true };
  }
  const isClosedNow = failsClosed(events, bundle, settings);
  return { outcomes: [isClosedNow ? denyDecision(reason) : ABSTAIN], askFallback, isFromRules: false };
}

/** What an agent that cannot ask is told instead of a question, by the rules known here. */
export function readAskFallback(paths: BundleCachePath, settings: HookSettings): 'deny' | 'abstain' {
  const cached = readCachedBundle(bundleCacheDirectory(paths, settings), settings);
  const bundle = cached && verifyCachedBundle(cached, Number.NEGATIVE_INFINITY);
  return bundle?.relay.ask_fallback === 'abstain' ? 'abstain' : 'deny';
}

const ABSTAIN: HookDecision = { decision: 'abstain', userMessage: null, agentMessage: null };

/** Null when these rules are none that this release can judge by. */
async function evaluateRules(
  events: readonly RelayEvent[],
  { relay: config, identity }: BundlePayload,
  nowMs: number,
): Promise<readonly HookDecision[] | null> {
  try {
    const relay = compileRelay(config);
    const grammar = events.some(({ shell }) => shell !== undefined) ? await loadShellGrammar() : null;
    return events.map((event) => {
      const { decision, userMessage, agentMessage } = evaluateRelayEvent(event, {
        relay,
        grammar,
        identity,
        nowMs,
      });
      // Where somebody in the console is to agree, nobody else may.
      const waits = decision === 'ask' && config.approvals.enabled;
      return { decision: waits ? 'deny' : decision, userMessage, agentMessage };
    });
  } catch {
    return null;
  }
}

function failsClosed(
  events: readonly RelayEvent[] | null,
  bundle: BundlePayload | null,
  { onError }: HookSettings,
): boolean {
  if (bundle === null) return onError === 'closed';
  const { mode, rules } = bundle.relay;
  if (mode !== 'enforce') return false;
  return rules.some(
    (rule) =>
      rule.on_error === 'closed' &&
      rule.mode === 'enforce' &&
      (events === null || events.some(({ event }) => rule.on.includes(event))),
  );
}

function denyDecision(reason: string): HookDecision {
  const message = `This action is denied because Floe could not make a decision (${reason}).`;
  return {
    decision: 'deny',
    userMessage: `${message} Run "floe hook status" for details.`,
    agentMessage: `${message} Do not work around this. Ask the user to check the connection to Floe.`,
  };
}
