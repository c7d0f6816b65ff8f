import type { ContentPart, ConversationTurn, ToolCallPart, ToolResultPart } from './request.ts';
import type { RequestReadContext } from './request-read-context.ts';

interface OpenTurn {
  readonly role: ConversationTurn['role'];
  readonly parts: ContentPart[];
}

/**
 * Converts a conversation to a form that every provider accepts. Moves each part to a turn with the role that can have
 * it. Merges consecutive assistant turns. Moves the results of a turn's calls to a separate user turn directly after it. Adds the result
 * `[no result]` to calls without a result, except in the last turn. Changes ids that several calls share. Calls
 * `RequestReadContext.handleOrphanResult` for a result without a preceding call. Idempotent.
 */
export function repairTurns(
  given: readonly ConversationTurn[],
  draft: RequestReadContext,
): ConversationTurn[] {
  const turns = given.flatMap((turn) => splitByRole(turn, draft));
  const repaired: OpenTurn[] = [];
  const late = new ToolResultMatcher(draft);
  let index = 0;
  while (index < turns.length) {
    const assistant: ContentPart[] = [];
    // Appends elements one by one, because spreading 100,000 parts exceeds the argument limit of a call.
    for (; turns[index]?.role === 'assistant'; index += 1)
      for (const part of turns[index]?.parts ?? []) assistant.push(part);
    const others: ConversationTurn[] = [];
    let turn = turns[index];
    while (turn && turn.role !== 'assistant') {
      others.push(turn);
      turn = turns[++index];
    }
    // The turns in between may have been removed completely.
    const before = repaired.at(-1);
    if (before?.role === 'assistant') for (const part of assistant) before.parts.push(part);
    else if (assistant.length > 0) repaired.push({ role: 'assistant', parts: [...assistant] });
    const calls = assistant.filter((part) => part.type === 'call');
    const results = late.resultsFor(calls, others);
    if (results.length > 0) repaired.push({ role: 'user', parts: results });
    for (const other of others) {
      const parts = other.parts.filter((part) => part.type !== 'result');
      if (parts.length > 0) repaired.push({ role: other.role, parts });
    }
  }
  late.report();
  separateSharedCallIds(repaired);
  return repaired;
}

/** The roles of parts that only one role can have. */
const ROLE_BY_PART: Readonly<Partial<Record<ContentPart['type'], 'user' | 'assistant'>>> = {
  call: 'assistant',
  reasoning: 'assistant',
  result: 'user',
};

/**
 * Calls and reasoning belong to the assistant, and results to the user, regardless of the message that contains them.
 * Clients also send them between messages. A refusal of another role is only text.
 */
function splitByRole({ role, parts }: ConversationTurn, draft: RequestReadContext): readonly OpenTurn[] {
  const turns: OpenTurn[] = [];
  for (const part of parts) {
    const own = ROLE_BY_PART[part.type] ?? role;
    if (part.type === 'media' && own === 'assistant') draft.requireAssistantMedia();
    const kept: ContentPart =
      part.type === 'refusal' && own !== 'assistant' ? { type: 'text', text: part.text } : part;
    const last = turns.at(-1);
    if (last?.role === own) last.parts.push(kept);
    else turns.push({ role: own, parts: [kept] });
  }
  return turns;
}

/**
 * If a call has the same id as an earlier call, gives the call and its result a new id, because Messages requires
 * unique ids. Some providers number the calls of each response from zero. Deprecated function calls have no id,
 * only the name of the function.
 */
function separateSharedCallIds(turns: readonly OpenTurn[]): void {
  const ids = turns.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])));
  const used = new Set(ids);
  if (used.size === ids.length) return;
  const counts = new Map<string, number>();
  for (const [index, { parts }] of turns.entries()) {
    // The next turn has the result of each call, in the order of the calls.
    const results = turns[index + 1]?.parts ?? [];
    let order = -1;
    for (const [at, part] of parts.entries()) {
      if (part.type !== 'call') continue;
      order += 1;
      const id = uniqueCallId(part.id, used, counts);
      if (id === part.id) continue;
      parts[at] = { ...part, id };
      const result = results[order];
      if (result?.type === 'result') results[order] = { ...result, id };
    }
  }
}

/** Returns `id` if this is the first call with it. Otherwise, returns an id that no other call has. */
function uniqueCallId(id: string, used: Set<string>, counts: Map<string, number>): string {
  let count = (counts.get(id) ?? 0) + 1;
  while (count > 1 && used.has(`${id}_${count}`)) count += 1;
  counts.set(id, count);
  if (count === 1) return id;
  const unique = `${id}_${count}`;
  used.add(unique);
  return unique;
}

/** Matches results to their calls, including results in later turns. */
class ToolResultMatcher {
  readonly #draft: RequestReadContext;
  /**
   * Results of the last turn with an unanswered call of this id. Calls of one turn with the same id share a late
   * result.
   */
  readonly #waiting = new Map<string, ToolResultPart[]>();
  readonly #answered = new Set<string>();

  constructor(draft: RequestReadContext) {
    this.#draft = draft;
  }

  resultsFor(calls: readonly ToolCallPart[], others: readonly ConversationTurn[]): ToolResultPart[] {
    const found = new Map<string, ToolResultPart[]>(calls.map(({ id }) => [id, []]));
    const callCounts = countById(calls);
    for (const turn of others)
      for (const part of turn.parts) {
        if (part.type !== 'result') continue;
        const matched = found.get(part.id);
        if (!matched) this.#matchLateResult(part);
        else if (matched.length < (callCounts.get(part.id) ?? 0)) matched.push(part);
        else {
          this.#draft.reportDropped('tool_result.repeated');
          matched[matched.length - 1] = part;
        }
      }
    if (others.length === 0) return [];
    for (const matched of found.values()) matched.reverse();
    const results: ToolResultPart[] = [];
    for (const { id } of calls) {
      // If there are fewer results than calls with this id, the remaining calls share the last result.
      const matched = found.get(id) ?? [];
      const result = matched.length > 1 ? matched.pop() : matched[0];
      if (result) this.#answered.add(id);
      else this.#waiting.set(id, results);
      results.push(result ?? missingResult(id));
    }
    return results;
  }

  #matchLateResult(part: ToolResultPart): void {
    const waiting = this.#waiting.get(part.id);
    if (waiting) {
      for (const [at, { id }] of waiting.entries()) if (id === part.id) waiting[at] = part;
      this.#waiting.delete(part.id);
      this.#answered.add(part.id);
    } else if (this.#answered.has(part.id)) this.#draft.reportDropped('tool_result.repeated');
    else this.#draft.handleOrphanResult(part.id);
  }

  report(): void {
    if (this.#waiting.size > 0) this.#draft.reportDropped('tool_result.missing');
  }
}

function countById(calls: readonly ToolCallPart[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of calls) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

function missingResult(id: string): ToolResultPart {
  return { type: 'result', id, parts: [{ type: 'text', text: '[no result]' }], isError: false };
}
