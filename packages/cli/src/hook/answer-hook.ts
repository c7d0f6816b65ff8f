import type { HookAdapter, HookCall, HookReply, Outcome } from '@floe/relay/hooks/adapter';
import { askable, strictestOutcome } from '@floe/relay/hooks/adapters';
import { askServer, tellServer } from './ask-server.ts';
import { NoAnswer } from './exchange.ts';
import { BadPayload, readPayload } from './payload.ts';
import { sentEvents } from './sent-events.ts';
import { deadlineOf, type HookSettings, type SettingsPlaces } from './settings.ts';
import { isUnresponsive, noteUnresponsive } from './unresponsive-server.ts';

/** How long an agent may take to hand over what it asks. */
const PAYLOAD_MS = 5_000;
/** What happened is told, and nobody waits long for it. */
const REPORT_MS = 1_000;

export interface AnsweredHook {
  readonly reply: HookReply;
  /** Why the server gave no decision; null when it did, or none was wanted. */
  readonly trouble: string | null;
  /** It was not asked, because it did not answer in time shortly before. */
  readonly wasSkipped?: boolean;
}

const SKIPPED = 'the server did not answer in time a moment ago, so it was not asked again yet';

/** Answers one call of a hook. Never throws: whatever goes wrong is answered as the rules' fail mode says. */
export async function answerHook(
  adapter: HookAdapter,
  input: NodeJS.ReadableStream,
  places: SettingsPlaces,
  settings: HookSettings,
): Promise<AnsweredHook> {
  let call: HookCall = { name: '', events: [], report: null };
  try {
    call = adapter.read(await readPayload(input, PAYLOAD_MS));
  } catch (error) {
    return unreadable(adapter.reply(call, ABSTAIN), reason(error), places, settings);
  }
  try {
    if (isUnresponsive(places, settings, Date.now()))
      return await skippingServer(adapter, call, places, settings);
    if (call.report) await tellServer(call.report, settings, REPORT_MS);
    if (call.events.length === 0) return { reply: adapter.reply(call, ABSTAIN), trouble: null };
    return await decidedBy(adapter, call, places, settings);
  } catch (error) {
    // Only what is told after the fact comes here: everything else is answered where it goes wrong.
    return { reply: adapter.reply(call, ABSTAIN), trouble: reason(error) };
  }
}

const ABSTAIN: Outcome = { decision: 'abstain', userMessage: null, agentMessage: null };

/** A server that hangs costs one deadline in a while, not one for every event. */
async function skippingServer(
  adapter: HookAdapter,
  call: HookCall,
  places: SettingsPlaces,
  settings: HookSettings,
): Promise<AnsweredHook> {
  const skipped = { trouble: SKIPPED, wasSkipped: true };
  if (call.events.length === 0) return { reply: adapter.reply(call, ABSTAIN), ...skipped };
  const { decideWithoutServer } = await import('./without-server.ts');
  const { outcomes, askFallback } = await decideWithoutServer(call.events, SKIPPED, places, settings);
  const outcome = askable(adapter, call, strictestOutcome(outcomes), askFallback);
  return { reply: adapter.reply(call, outcome), ...skipped };
}

async function decidedBy(
  adapter: HookAdapter,
  call: HookCall,
  places: SettingsPlaces,
  settings: HookSettings,
): Promise<AnsweredHook> {
  const { events, isPartial } = sentEvents(call.events);
  let outcome: Outcome;
  let trouble: string | null = null;
  let fallback: 'deny' | 'abstain' | null = null;
  try {
    outcome = strictestOutcome(
      await askServer(events, settings, deadlineOf(settings, adapter.agent, call.name)),
    );
  } catch (error) {
    trouble = reason(error);
    if (error instanceof NoAnswer && error.timedOut) noteUnresponsive(places, settings);
    const { decideWithoutServer } = await import('./without-server.ts');
    const { outcomes, askFallback } = await decideWithoutServer(call.events, trouble, places, settings);
    outcome = strictestOutcome(outcomes);
    fallback = askFallback;
  }
  if (isPartial && trouble === null && (outcome.decision === 'abstain' || outcome.decision === 'allow')) {
    trouble = 'it is too long to be sent whole';
    const { decideWithoutServer } = await import('./without-server.ts');
    outcome = strictestOutcome((await decideWithoutServer(call.events, trouble, places, settings)).outcomes);
  }
  if (outcome.decision === 'ask' && !adapter.asks(call.name)) {
    fallback ??= (await import('./without-server.ts')).askFallbackOf(places, settings);
    outcome = askable(adapter, call, outcome, fallback);
  }
  return { reply: adapter.reply(call, outcome), trouble };
}

/** Nobody knows which hook it is: an exit code of 2 stops with every agent, and is used only to fail closed. */
async function unreadable(
  abstained: HookReply,
  trouble: string,
  places: SettingsPlaces,
  settings: HookSettings,
): Promise<AnsweredHook> {
  const { decideWithoutServer } = await import('./without-server.ts');
  const { outcomes } = await decideWithoutServer(null, trouble, places, settings);
  const { decision, agentMessage } = strictestOutcome(outcomes);
  if (decision !== 'deny') return { reply: abstained, trouble };
  return { reply: { stdout: null, stderr: agentMessage ?? trouble, exitCode: 2 }, trouble };
}

function reason(error: unknown): string {
  if (error instanceof NoAnswer || error instanceof BadPayload) return error.message;
  return `an error in the hook itself: ${error instanceof Error ? error.name : typeof error}`;
}
