import type { RelayEvent } from '@floe/contract/api/relay';
import { isObject, type Json } from '@floe/contract/json';
import type { HookReport, Outcome } from '@floe/relay/hooks/adapter';
import { exchange, NoAnswer } from './exchange.ts';
import type { HookSettings } from './settings.ts';

/** As many as a batch takes. */
const MOST_EVENTS = 100;
const DECISIONS: readonly Outcome['decision'][] = ['allow', 'deny', 'ask', 'abstain'];

/**
 * What the server decides, one outcome for each event.
 *
 * @throws NoAnswer when there is no decision about every one of them in time
 */
export async function askServer(
  events: readonly RelayEvent[],
  settings: HookSettings,
  timeoutMs: number,
): Promise<readonly Outcome[]> {
  if (events.length > MOST_EVENTS) throw new NoAnswer(`one call of ${events.length} things`);
  const [first] = events;
  const isOne = events.length === 1;
  const path = isOne ? '/relay/v1/decisions' : '/relay/v1/decisions/batch';
  const answer = await post(path, isOne ? first : { events }, settings, timeoutMs);
  const given = isOne ? [answer] : isObject(answer) ? answer['data'] : null;
  const outcomes = Array.isArray(given) ? given.flatMap((one) => outcomeOf(one) ?? []) : [];
  if (outcomes.length !== events.length) throw new NoAnswer('the server answered with no decision');
  return outcomes;
}

/** Tells what has happened. @throws NoAnswer when it does not arrive */
export async function tellServer(
  report: HookReport,
  settings: HookSettings,
  timeoutMs: number,
): Promise<void> {
  await post('/relay/v1/events', { events: [report] }, settings, timeoutMs);
}

async function post(path: string, body: unknown, settings: HookSettings, timeoutMs: number): Promise<Json> {
  const { baseUrl, key, trouble } = settings;
  if (baseUrl === null || key === null) throw new NoAnswer(trouble ?? 'there are no settings');
  const asked = { url: baseUrl + path, key, method: 'POST', body: JSON.stringify(body), timeoutMs } as const;
  const { status, body: text } = await exchange(asked);
  if (status !== 200 && status !== 202) throw new NoAnswer(`the server answered ${status}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new NoAnswer('the server answered with something that is no JSON');
  }
}

function outcomeOf(given: Json): Outcome | null {
  if (!isObject(given)) return null;
  const decision = DECISIONS.find((one) => one === given['decision']);
  if (decision === undefined) return null;
  const spoken = (name: string) => {
    const text = given[name];
    return typeof text === 'string' ? text : null;
  };
  return {
    // What waits for somebody in the console is refused until then: nobody else may agree to it.
    decision: isObject(given['approval']) ? 'deny' : decision,
    userMessage: spoken('user_message'),
    agentMessage: spoken('agent_message'),
  };
}
