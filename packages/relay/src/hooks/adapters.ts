import type { HookAdapter, HookCall, Outcome } from './adapter.ts';
import { claudeShaped } from './claude-shape.ts';
import { cline } from './cline.ts';
import { copilotCli } from './copilot-cli.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import { windsurf } from './windsurf.ts';

const claudeCode = claudeShaped({
  agent: 'claude-code',
  asks: true,
  allows: true,
  stopsPrompt: 'block',
});
/** Refuses answers with members it does not know: `ask`, and `allow` without a new input. */
const codex = claudeShaped({
  agent: 'codex',
  asks: false,
  allows: false,
  stopsPrompt: 'block',
});
const vscode = claudeShaped({
  agent: 'vscode',
  asks: true,
  allows: true,
  stopsPrompt: 'continue',
});

/** Every agent that `floe hook` and `/relay/v1/hooks/{agent}` speak to. */
export const HOOK_ADAPTERS: ReadonlyMap<string, HookAdapter> = new Map(
  [cursor, claudeCode, codex, copilotCli, vscode, geminiCli, windsurf, cline].map((adapter) => [
    adapter.agent,
    adapter,
  ]),
);

const STRICTNESS = ['abstain', 'allow', 'ask', 'deny'] as const;

/** One answer for a call that was several events: the strictest of theirs. */
export function strictestOutcome(outcomes: readonly Outcome[]): Outcome {
  let most: Outcome = { decision: 'abstain', userMessage: null, agentMessage: null };
  const isAllowed = outcomes.length > 0 && outcomes.every(({ decision }) => decision === 'allow');
  for (const outcome of outcomes) {
    // Allowed in part is not allowed.
    const decision = outcome.decision === 'allow' && !isAllowed ? 'abstain' : outcome.decision;
    const isStricter = STRICTNESS.indexOf(decision) > STRICTNESS.indexOf(most.decision);
    if (isStricter || (most.userMessage === null && decision === most.decision))
      most = { ...outcome, decision };
  }
  return most;
}

/** What an agent that cannot ask is told instead. */
export function askable(
  adapter: HookAdapter,
  { name }: HookCall,
  outcome: Outcome,
  fallback: 'deny' | 'abstain',
): Outcome {
  if (outcome.decision !== 'ask' || adapter.asks(name)) return outcome;
  return { ...outcome, decision: fallback };
}
