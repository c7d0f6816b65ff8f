import type { RelayEvent } from '@floe/contract/api/relay';
import { isJsonObject, type Json } from '@floe/contract/json';
import type { HookDecision, HookReport } from '@floe/relay/hooks/hook-adapter';
import { HookRequestError, sendHookRequest } from './hook-http.ts';
import type { HookSettings } from './hook-settings.ts';

/** Maximum number of events per batch request. */
const MAX_BATCH_EVENTS = 100;
const DECISIONS: readonly HookDecision['decision'][] = ['allow', 'deny', 'ask', 'abstain'];

/**
 * Requests decisions from the server and returns one decision per event.
 * @throws HookRequestError if not all decisions arrive within the time limit
 */
export async function requestRelayDecisions(
  events: readonly RelayEvent[],
  settings: HookSettings,
  timeoutMs: number,
): Promise<readonly HookDecision[]> {
  if (events.length > MAX_BATCH_EVENTS)
    throw new HookRequestError(
      `the hook call has ${events.length} events, but a request can contain at most ${MAX_BATCH_EVENTS}`,
    );
  const [first] = events;
  const isOne = events.length === 1;
  const path = isOne ? '/relay/v1/decisions' : '/relay/v1/decisions/batch';
  const answer = await postToRelay(path, isOne ? first : { events }, settings, timeoutMs);
  const given = isOne ? [answer] : isJsonObject(answer) ? answer['data'] : null;
  const outcomes = Array.isArray(given) ? given.flatMap((one) => parseHookDecision(one) ?? []) : [];
  if (outcomes.length !== events.length)
    throw new HookRequestError('the server did not return a decision for every event; check FLOE_BASE_URL');
  return outcomes;
}

/**
 * Sends the report that an action has ended to the server.
 * @throws HookRequestError if the report cannot be delivered
 */
export async function sendHookReport(
  report: HookReport,
  settings: HookSettings,
  timeoutMs: number,
): Promise<void> {
  await postToRelay('/relay/v1/events', { events: [report] }, settings, timeoutMs);
}

async function postToRelay(
  path: string,
  body: unknown,
  settings: HookSettings,
  timeoutMs: number,
): Promise<Json> {
  const { baseUrl, key, problem } = settings;
  if (baseUrl === null || key === null)
    throw new HookRequestError(problem ?? 'the hook is not configured; run "floe hook install"');
  const request = {
    url: baseUrl + path,
    key,
    method: 'POST',
    body: JSON.stringify(body),
    timeoutMs,
  } as const;
  const { status, body: text } = await sendHookRequest(request);
  if (status !== 200 && status !== 202)
    throw new HookRequestError(`the server responded with status ${status}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new HookRequestError('the response of the server is not valid JSON; check FLOE_BASE_URL');
  }
}

function parseHookDecision(value: Json): HookDecision | null {
  if (!isJsonObject(value)) return null;
  const decision = DECISIONS.find((one) => one === value['decision']);
  if (decision === undefined) return null;
  const readText = (name: string) => {
    const text = value[name];
    return typeof text === 'string' ? text : null;
  };
  return {
    // A pending approval of the console becomes a denial until it is given, because a hook cannot ask another
    // person.
    decision: isJsonObject(value['approval']) ? 'deny' : decision,
    userMessage: readText('user_message'),
    agentMessage: readText('agent_message'),
  };
}
