import { createClaudeAdapter } from './claude-adapter.ts';
import { clineAdapter } from './cline.ts';
import { copilotCliAdapter } from './copilot-cli.ts';
import { cursorAdapter } from './cursor.ts';
import { geminiCliAdapter } from './gemini-cli.ts';
import type { HookAdapter, HookCall, HookDecision } from './hook-adapter.ts';
import { windsurfAdapter } from './windsurf.ts';

const claudeCodeAdapter = createClaudeAdapter({
  agent: 'claude-code',
  supportsAsk: true,
  supportsAllow: true,
  promptBlocking: 'block',
});
/** Codex rejects responses with fields that it does not support: `ask`, and `allow` without a new input. */
const codexAdapter = createClaudeAdapter({
  agent: 'codex',
  supportsAsk: false,
  supportsAllow: false,
  promptBlocking: 'block',
});
const vscodeAdapter = createClaudeAdapter({
  agent: 'vscode',
  supportsAsk: true,
  supportsAllow: true,
  promptBlocking: 'continue',
});

/** The adapters of all agents that `floe hook` and `/relay/v1/hooks/{agent}` support, by agent. */
export const HOOK_ADAPTERS: ReadonlyMap<string, HookAdapter> = new Map(
  [
    cursorAdapter,
    claudeCodeAdapter,
    codexAdapter,
    copilotCliAdapter,
    vscodeAdapter,
    geminiCliAdapter,
    windsurfAdapter,
    clineAdapter,
  ].map((adapter) => [adapter.agent, adapter]),
);

const STRICTNESS = ['abstain', 'allow', 'ask', 'deny'] as const;

/**
 * Returns the strictest of the decisions on the events of one hook call. The result is `allow` only if the
 * decision on every event is `allow`.
 */
export function selectStrictestHookDecision(outcomes: readonly HookDecision[]): HookDecision {
  let most: HookDecision = { decision: 'abstain', userMessage: null, agentMessage: null };
  const isAllowed = outcomes.length > 0 && outcomes.every(({ decision }) => decision === 'allow');
  for (const outcome of outcomes) {
    // If only some events are allowed, the call is not allowed.
    const decision = outcome.decision === 'allow' && !isAllowed ? 'abstain' : outcome.decision;
    const isStricter = STRICTNESS.indexOf(decision) > STRICTNESS.indexOf(most.decision);
    if (isStricter || (most.userMessage === null && decision === most.decision))
      most = { ...outcome, decision };
  }
  return most;
}

/** Replaces the decision `ask` with `fallback` if the agent cannot ask its user in this hook. */
export function applyAskFallback(
  adapter: HookAdapter,
  { name }: HookCall,
  outcome: HookDecision,
  fallback: 'deny' | 'abstain',
): HookDecision {
  if (outcome.decision !== 'ask' || adapter.canAsk(name)) return outcome;
  return { ...outcome, decision: fallback };
}
