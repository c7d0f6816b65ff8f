import type { RelayEvent } from '@floe/contract/api/relay';
import { isJsonObject, type Json } from '@floe/contract/json';
import type { HookDecision, HookReport } from '@floe/relay/hooks/hook-adapter';
import { HookRequestError, sendHookRequest } from './hook-http.ts';
import type { HookSettings } from './hook-settings.ts';

const DECISIONS: readonly HookDecision['decision'][] = ['allow', 'deny', 'ask', 'abstain'];

/** Maximum number of events per batch request, and of bytes of its events. The server accepts bodies of 1 MiB. */
const MAX_BATCH_EVENTS = 100;
const MAX_BATCH_BYTES = 1_000_000;

/**
 * Requests the decisions on events from the server, in batches. Returns one decision per event. If a batch
 * contains a denial, returns without requesting the decisions on the later batches.
 * @throws HookRequestError if the server cannot be reached, or if a decision is missing when the time limit has
 * passed
 */
export async function requestRelayDecisions(
  events: readonly RelayEvent[],
  settings: HookSettings,
  timeoutMs: number,
): Promise<readonly HookDecision[]> {
  const deadlineMs = performance.now() + timeoutMs;
  const outcomes: HookDecision[] = [];
  for (const batch of splitIntoBatches(events)) {
    const remainingMs = Math.max(1, deadlineMs - performance.now());
    outcomes.push(...(await requestBatchDecisions(batch, settings, remainingMs)));
    if (outcomes.some(({ decision }) => decision === 'deny')) break;
  }
  return outcomes;
}

function splitIntoBatches(events: readonly RelayEvent[]): readonly (readonly RelayEvent[])[] {
  const batches: RelayEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event)) + 1;
    const last = batches.at(-1);
    if (last && last.length < MAX_BATCH_EVENTS && bytes + size <= MAX_BATCH_BYTES) {
      last.push(event);
      bytes += size;
    } else {
      batches.push([event]);
      bytes = size;
    }
  }
  return batches;
}

async function requestBatchDecisions(
  events: readonly RelayEvent[],
  settings: HookSettings,
  timeoutMs: number,
): Promise<readonly HookDecision[]> {
  const [first] = events;
  const isOne = events.length === 1;
  const path = isOne ? '/relay/v1/decisions' : '/relay/v1/decisions/batch';
  const answer = await postToRelay(path, isOne ? first : { events }, settings, timeoutMs);
  const given = isOne ? [answer] : isJsonObject(answer) ? answer['data'] : null;
  const outcomes = Array.isArray(given) ? given.flatMap((one) => parseHookDecision(one) ?? []) : [];
  if (outcomes.length !== events.length)
    throw new HookRequestError(
      'the server did not return a decision for every event; check the configured base URL',
    );
  return outcomes;
}

/**
 * Sends the server a report of a completed action.
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
    throw new HookRequestError(
      problem ?? 'the hook is not configured; set FLOE_RELAY_KEY, then run "floe hook install <agent>"',
    );
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
    throw new HookRequestError("the server's response is not valid JSON; check the configured base URL");
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
