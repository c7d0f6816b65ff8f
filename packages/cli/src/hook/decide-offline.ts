import type { RelayEvent } from '@floe/contract/api/relay';
import type { BundlePayload } from '@floe/relay/bundle';
import { compileUsableRelayConfig } from '@floe/relay/compile-relay-config';
import { evaluateRelayEvent } from '@floe/relay/evaluate-event';
import {
  exceedsHookLimits,
  type HookDecision,
  shouldDenyCallsOverHookLimits,
} from '@floe/relay/hooks/hook-adapter';
import { loadShellParser } from '@floe/relay/shell/shell-parser';
import { type BundleCacheLocation, getBundleCacheDirectory, readCachedBundle } from './bundle-cache.ts';
import type { HookSettings } from './hook-settings.ts';
import { addMachineContext } from './prepare-relay-events.ts';
import { verifyCachedBundle } from './verify-cached-bundle.ts';

/**
 * The result of evaluating the events of a hook call without the server. `outcomes` contains one decision per
 * event if the rules were evaluated. Otherwise, it contains one decision for the whole call.
 */
export interface OfflineDecisionResult {
  readonly outcomes: readonly HookDecision[];
  readonly askFallback: 'deny' | 'abstain';
  /** Whether the cached rules were evaluated. If not, the `on_error` setting determined the decision. */
  readonly isFromRules: boolean;
}

/**
 * Decides on events without the server. Evaluates the cached rules if the organization allows it and the cached
 * bundle has not expired. Otherwise, the `on_error` setting determines the decision.
 * @param events The events, or null if the payload of the agent could not be read.
 * @param reason Why the server made no decision. The message for the user contains it.
 */
export async function decideOffline(
  events: readonly RelayEvent[] | null,
  reason: string,
  paths: BundleCacheLocation,
  settings: HookSettings,
): Promise<OfflineDecisionResult> {
  const cached = readCachedBundle(getBundleCacheDirectory(paths, settings), settings);
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

/**
 * Returns the decision that replaces `ask` for agents that cannot ask their user. The cached bundle contains
 * this setting.
 */
export function readAskFallback(paths: BundleCacheLocation, settings: HookSettings): 'deny' | 'abstain' {
  const cached = readCachedBundle(getBundleCacheDirectory(paths, settings), settings);
  const bundle = cached && verifyCachedBundle(cached, Number.NEGATIVE_INFINITY);
  return bundle?.relay.ask_fallback === 'abstain' ? 'abstain' : 'deny';
}

const ABSTAIN: HookDecision = { decision: 'abstain', userMessage: null, agentMessage: null };

/** Null if this release cannot evaluate the rules. */
async function evaluateRules(
  events: readonly RelayEvent[],
  { relay: config, identity }: BundlePayload,
  nowMs: number,
): Promise<readonly HookDecision[] | null> {
  try {
    const relay = compileUsableRelayConfig(config);
    const grammar = events.some(({ shell }) => shell !== undefined) ? await loadShellParser() : null;
    return addMachineContext(events).map((event) => {
      const { decision, userMessage, agentMessage } = evaluateRelayEvent(event, {
        relay,
        grammar,
        identity,
        nowMs,
      });
      // If the org requires an approval in the console, the agent's user may not approve.
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
  const isTooLong = events !== null && exceedsHookLimits(events);
  if (bundle === null) return isTooLong || onError === 'closed';
  const { mode, rules } = bundle.relay;
  if (mode !== 'enforce') return false;
  // No server evaluates such a call, so `on_error`, which is for servers that fail, does not apply.
  if (isTooLong) return deniesCallsOverLimits(bundle.relay);
  return rules.some(
    (rule) =>
      rule.on_error === 'closed' &&
      rule.mode === 'enforce' &&
      (events === null || events.some(({ event }) => rule.on.includes(event))),
  );
}

/** Returns whether the rules deny a call that exceeds the limits. True if this release cannot evaluate the rules. */
function deniesCallsOverLimits(config: BundlePayload['relay']): boolean {
  try {
    return shouldDenyCallsOverHookLimits(compileUsableRelayConfig(config));
  } catch {
    return true;
  }
}

function denyDecision(reason: string): HookDecision {
  const message = `This action is denied because Floe could not make a decision (${reason}).`;
  return {
    decision: 'deny',
    userMessage: `${message} Run "floe hook status" for details.`,
    agentMessage: `${message} Do not try to perform the action in another way. Ask the user to run "floe hook status".`,
  };
}
