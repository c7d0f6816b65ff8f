import type { HookAdapter, HookCall, HookDecision, HookReply } from '@floe/relay/hooks/adapter';
import { strictestHookDecision, withAskFallback } from '@floe/relay/hooks/adapters';
import { NoResponseError } from './hook-http.ts';
import { PayloadError, readHookPayload } from './hook-payload.ts';
import { type HookSettings, type HookSettingsPaths, resolveHookDeadline } from './hook-settings.ts';
import { prepareRelayEvents } from './prepare-relay-events.ts';
import { requestDecisions, sendHookReport } from './relay-client.ts';
import { isServerUnresponsive, markServerUnresponsive } from './unresponsive-server.ts';

/** How long an agent may take to hand over what it asks. */
const PAYLOAD_TIMEOUT_MS = 5_000;
/** What happened is told, and nobody waits long for it. */
const REPORT_TIMEOUT_MS = 1_000;

export interface AgentHookResult {
  readonly reply: HookReply;
  /** Why the server gave no decision; null when it did, or none was wanted. */
  readonly problem: string | null;
  /** It was not asked, because it did not answer in time shortly before. */
  readonly isServerSkipped?: boolean;
}

const SERVER_SKIPPED = 'the server timed out a moment ago, so the hook does not contact it again yet';

/** Answers one call of a hook. Never throws: whatever goes wrong is answered as the rules' fail mode says. */
export async function answerAgentHook(
  adapter: HookAdapter,
  input: NodeJS.ReadableStream,
  paths: HookSettingsPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  let call: HookCall = { name: '', events: [], report: null };
  try {
    call = adapter.read(await readHookPayload(input, PAYLOAD_TIMEOUT_MS));
  } catch (error) {
    return answerUnreadablePayload(adapter.reply(call, ABSTAIN), describeHookError(error), paths, settings);
  }
  try {
    if (isServerUnresponsive(paths, settings, Date.now()))
      return await answerWithoutServer(adapter, call, paths, settings);
    if (call.report) await sendHookReport(call.report, settings, REPORT_TIMEOUT_MS);
    if (call.events.length === 0) return { reply: adapter.reply(call, ABSTAIN), problem: null };
    return await answerWithServer(adapter, call, paths, settings);
  } catch (error) {
    // Only what is told after the fact comes here: everything else is answered where it goes wrong.
    return { reply: adapter.reply(call, ABSTAIN), problem: describeHookError(error) };
  }
}

const ABSTAIN: HookDecision = { decision: 'abstain', userMessage: null, agentMessage: null };

/** A server that hangs costs one deadline in a while, not one for every event. */
async function answerWithoutServer(
  adapter: HookAdapter,
  call: HookCall,
  paths: HookSettingsPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  const skipped = { problem: SERVER_SKIPPED, isServerSkipped: true };
  if (call.events.length === 0) return { reply: adapter.reply(call, ABSTAIN), ...skipped };
  const { decideOffline } = await import('./decide-offline.ts');
  const { outcomes, askFallback } = await decideOffline(call.events, SERVER_SKIPPED, paths, settings);
  const outcome = withAskFallback(adapter, call, strictestHookDecision(outcomes), askFallback);
  return { reply: adapter.reply(call, outcome), ...skipped };
}

async function answerWithServer(
  adapter: HookAdapter,
  call: HookCall,
  paths: HookSettingsPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  const { events, isTruncated } = prepareRelayEvents(call.events);
  let outcome: HookDecision;
  let problem: string | null = null;
  let fallback: 'deny' | 'abstain' | null = null;
  try {
    outcome = strictestHookDecision(
      await requestDecisions(events, settings, resolveHookDeadline(settings, adapter.agent, call.name)),
    );
  } catch (error) {
    problem = describeHookError(error);
    if (error instanceof NoResponseError && error.timedOut) markServerUnresponsive(paths, settings);
    const { decideOffline } = await import('./decide-offline.ts');
    const { outcomes, askFallback } = await decideOffline(call.events, problem, paths, settings);
    outcome = strictestHookDecision(outcomes);
    fallback = askFallback;
  }
  if (isTruncated && problem === null && (outcome.decision === 'abstain' || outcome.decision === 'allow')) {
    problem = 'the event is too long to send';
    const { decideOffline } = await import('./decide-offline.ts');
    outcome = strictestHookDecision((await decideOffline(call.events, problem, paths, settings)).outcomes);
  }
  if (outcome.decision === 'ask' && !adapter.canAsk(call.name)) {
    fallback ??= (await import('./decide-offline.ts')).readAskFallback(paths, settings);
    outcome = withAskFallback(adapter, call, outcome, fallback);
  }
  return { reply: adapter.reply(call, outcome), problem };
}

/** Nobody knows which hook it is: an exit code of 2 stops with every agent, and is used only to fail closed. */
async function answerUnreadablePayload(
  abstainReply: HookReply,
  problem: string,
  paths: HookSettingsPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  const { decideOffline } = await import('./decide-offline.ts');
  const { outcomes } = await decideOffline(null, problem, paths, settings);
  const { decision, agentMessage } = strictestHookDecision(outcomes);
  if (decision !== 'deny') return { reply: abstainReply, problem };
  return { reply: { stdout: null, stderr: agentMessage ?? problem, exitCode: 2 }, problem };
}

function describeHookError(error: unknown): string {
  if (error instanceof NoResponseError || error instanceof PayloadError) return error.message;
  return `unexpected error in the hook: ${error instanceof Error ? error.name : typeof error}`;
}
