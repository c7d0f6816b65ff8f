import type { HookAdapter, HookCall, HookDecision, HookReply } from '@floe/relay/hooks/hook-adapter';
import { applyAskFallback, selectStrictestHookDecision } from '@floe/relay/hooks/hook-adapters';
import { HookRequestError } from './hook-http.ts';
import { HookPayloadError, readHookPayload } from './hook-payload.ts';
import { type HookPaths, type HookSettings, resolveHookServerTimeoutMs } from './hook-settings.ts';
import { prepareRelayEvents } from './prepare-relay-events.ts';
import { requestRelayDecisions, sendHookReport } from './relay-client.ts';
import { isServerUnresponsive, markServerUnresponsive } from './unresponsive-server.ts';

/** How long an agent may take to send its payload. */
const PAYLOAD_TIMEOUT_MS = 5_000;
/** Timeout of a report. The agent does not wait for its result. */
const REPORT_TIMEOUT_MS = 1_000;

/** The response to one hook call of an agent, and why the server gave no decision. */
export interface AgentHookResult {
  readonly reply: HookReply;
  /** Why the server gave no decision. Null if it did, or if none was required. */
  readonly problem: string | null;
  /** Whether the hook did not contact the server, because the server recently did not respond in time. */
  readonly isServerSkipped?: boolean;
}

const SERVER_SKIPPED = 'the server timed out recently, so the hook did not contact it';

/**
 * Handles one hook call of an agent and returns the response for the agent. Never throws. If an error occurs,
 * the `on_error` setting of the rules determines the response.
 */
export async function handleAgentHook(
  adapter: HookAdapter,
  input: NodeJS.ReadableStream,
  paths: HookPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  let call: HookCall = { name: '', events: [], report: null };
  try {
    call = adapter.read(await readHookPayload(input, PAYLOAD_TIMEOUT_MS));
    if (call.name === '')
      throw new HookPayloadError('the payload from the agent does not contain the name of the hook');
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
    // Only errors of reports reach this place. Other errors are handled where they occur.
    return { reply: adapter.reply(call, ABSTAIN), problem: describeHookError(error) };
  }
}

const ABSTAIN: HookDecision = { decision: 'abstain', userMessage: null, agentMessage: null };

/**
 * Decides without the server. An unresponsive server costs one timeout per interval and not one per event.
 */
async function answerWithoutServer(
  adapter: HookAdapter,
  call: HookCall,
  paths: HookPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  const skipped = { problem: SERVER_SKIPPED, isServerSkipped: true };
  if (call.events.length === 0) return { reply: adapter.reply(call, ABSTAIN), ...skipped };
  const { decideOffline } = await import('./decide-offline.ts');
  const { outcomes, askFallback } = await decideOffline(call.events, SERVER_SKIPPED, paths, settings);
  const outcome = applyAskFallback(adapter, call, selectStrictestHookDecision(outcomes), askFallback);
  return { reply: adapter.reply(call, outcome), ...skipped };
}

async function answerWithServer(
  adapter: HookAdapter,
  call: HookCall,
  paths: HookPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  let outcome: HookDecision;
  let isTruncated = false;
  let problem: string | null = null;
  let fallback: 'deny' | 'abstain' | null = null;
  try {
    const { events, ...prepared } = prepareRelayEvents(call.events);
    isTruncated = prepared.isTruncated;
    outcome = selectStrictestHookDecision(
      await requestRelayDecisions(
        events,
        settings,
        resolveHookServerTimeoutMs(settings, adapter.agent, call.name),
      ),
    );
  } catch (error) {
    problem = describeHookError(error);
    if (error instanceof HookRequestError && error.timedOut) markServerUnresponsive(paths, settings);
    const { decideOffline } = await import('./decide-offline.ts');
    const { outcomes, askFallback } = await decideOffline(call.events, problem, paths, settings);
    outcome = selectStrictestHookDecision(outcomes);
    fallback = askFallback;
  }
  if (isTruncated && problem === null && (outcome.decision === 'abstain' || outcome.decision === 'allow')) {
    problem = 'an event is too long to send in full';
    const { decideOffline } = await import('./decide-offline.ts');
    outcome = selectStrictestHookDecision(
      (await decideOffline(call.events, problem, paths, settings)).outcomes,
    );
  }
  if (outcome.decision === 'ask' && !adapter.canAsk(call.name)) {
    fallback ??= (await import('./decide-offline.ts')).readAskFallback(paths, settings);
    outcome = applyAskFallback(adapter, call, outcome, fallback);
  }
  return { reply: adapter.reply(call, outcome), problem };
}

/** The hook is unknown. Exit code 2 blocks in every agent, and is used only to fail closed. */
async function answerUnreadablePayload(
  abstainReply: HookReply,
  problem: string,
  paths: HookPaths,
  settings: HookSettings,
): Promise<AgentHookResult> {
  const { decideOffline } = await import('./decide-offline.ts');
  const { outcomes } = await decideOffline(null, problem, paths, settings);
  const { decision, agentMessage } = selectStrictestHookDecision(outcomes);
  if (decision !== 'deny') return { reply: abstainReply, problem };
  return { reply: { stdout: null, stderr: agentMessage ?? problem, exitCode: 2 }, problem };
}

function describeHookError(error: unknown): string {
  if (error instanceof HookRequestError || error instanceof HookPayloadError) return error.message;
  return `unexpected error in the hook: ${error instanceof Error ? error.name : typeof error}`;
}
