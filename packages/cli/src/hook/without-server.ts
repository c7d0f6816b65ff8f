import type { RelayEvent } from '@floe/contract/api/relay';
import type { BundlePayload } from '@floe/relay/bundle';
import { decide } from '@floe/relay/decide';
import type { Outcome } from '@floe/relay/hooks/adapter';
import { compileRelay } from '@floe/relay/relay';
import { loadGrammar } from '@floe/relay/shell/tree';
import { type BundlePlace, bundleDirectory, readCachedBundle } from './bundle-cache.ts';
import { openCachedBundle } from './open-bundle.ts';
import type { HookSettings } from './settings.ts';

export interface WithoutServer {
  readonly outcomes: readonly Outcome[];
  readonly askFallback: 'deny' | 'abstain';
  /** Whether rules were asked; else it is what to do without any decision. */
  readonly isDecided: boolean;
}

/**
 * What holds while the server gives no decision: what the signed rules say, where the org lets clients decide by
 * them, else their fail mode. An expired bundle decides nothing, and its fail mode stays until there is a newer one.
 *
 * @param events null when nobody knows what the agent is about to do
 * @param why there is no decision, for the person
 */
export async function decideWithoutServer(
  events: readonly RelayEvent[] | null,
  why: string,
  places: BundlePlace,
  settings: HookSettings,
): Promise<WithoutServer> {
  const cached = readCachedBundle(bundleDirectory(places, settings), settings);
  const nowMs = Date.now();
  const known = cached && openCachedBundle(cached, Number.NEGATIVE_INFINITY);
  const askFallback = known?.relay.ask_fallback === 'abstain' ? 'abstain' : 'deny';
  const holds = known !== null && Date.parse(known.expires_at) > nowMs;
  if (holds && events !== null && known.relay.offline === 'decide') {
    const outcomes = await decided(events, known, nowMs);
    if (outcomes) return { outcomes, askFallback, isDecided: true };
  }
  const closes = isClosed(events, known, settings);
  return { outcomes: [closes ? refusal(why) : ABSTAIN], askFallback, isDecided: false };
}

/** What an agent that cannot ask is told instead of a question, by the rules known here. */
export function askFallbackOf(places: BundlePlace, settings: HookSettings): 'deny' | 'abstain' {
  const cached = readCachedBundle(bundleDirectory(places, settings), settings);
  const known = cached && openCachedBundle(cached, Number.NEGATIVE_INFINITY);
  return known?.relay.ask_fallback === 'abstain' ? 'abstain' : 'deny';
}

const ABSTAIN: Outcome = { decision: 'abstain', userMessage: null, agentMessage: null };

/** Null when these rules are none that this release can judge by. */
async function decided(
  events: readonly RelayEvent[],
  { relay: config, identity }: BundlePayload,
  nowMs: number,
): Promise<readonly Outcome[] | null> {
  try {
    const relay = compileRelay(config);
    const grammar = events.some(({ shell }) => shell !== undefined) ? await loadGrammar() : null;
    return events.map((event) => {
      const { decision, userMessage, agentMessage } = decide(event, { relay, grammar, identity, nowMs });
      // Where somebody in the console is to agree, nobody else may.
      const waits = decision === 'ask' && config.approvals.enabled;
      return { decision: waits ? 'deny' : decision, userMessage, agentMessage };
    });
  } catch {
    return null;
  }
}

function isClosed(
  events: readonly RelayEvent[] | null,
  known: BundlePayload | null,
  { onError }: HookSettings,
): boolean {
  if (known === null) return onError === 'closed';
  const { mode, rules } = known.relay;
  if (mode !== 'enforce') return false;
  return rules.some(
    (rule) =>
      rule.on_error === 'closed' &&
      rule.mode === 'enforce' &&
      (events === null || events.some(({ event }) => rule.on.includes(event))),
  );
}

function refusal(why: string): Outcome {
  const message = `Floe could not decide about this (${why}), and without a decision it is refused here.`;
  return {
    decision: 'deny',
    userMessage: `${message} "floe hook status" tells more.`,
    agentMessage: `${message} Do not work around it: ask the user to look after the connection to Floe.`,
  };
}
