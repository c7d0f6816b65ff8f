import type { ContentPart, ConversationTurn, ToolCallPart, ToolResultPart } from './request.ts';
import type { RequestReadContext } from './request-read-context.ts';

interface OpenTurn {
  readonly role: ConversationTurn['role'];
  readonly parts: ContentPart[];
}

/**
 * Converts a conversation to a form that every provider accepts. Merges consecutive assistant
 * turns. Moves the results of a turn's calls to a separate user turn directly after it. Adds `[no
 * result]` for calls without a result, except in the last turn. Calls
 * `RequestReadContext.handleOrphanResult` for a result without a preceding call. Idempotent.
 */
export function repairTurns(
  turns: readonly ConversationTurn[],
  draft: RequestReadContext,
): ConversationTurn[] {
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
  return repaired;
}

/** Matches results to their calls, including results in later turns. */
class ToolResultMatcher {
  readonly #draft: RequestReadContext;
  /**
   * Results of the last turn with an unanswered call of this id. Calls of one turn with the same id share a
   * result.
   */
  readonly #waiting = new Map<string, ToolResultPart[]>();
  readonly #answered = new Set<string>();

  constructor(draft: RequestReadContext) {
    this.#draft = draft;
  }

  resultsFor(calls: readonly ToolCallPart[], others: readonly ConversationTurn[]): ToolResultPart[] {
    const found = new Map<string, ToolResultPart>();
    const ids = new Set(calls.map(({ id }) => id));
    for (const turn of others)
      for (const part of turn.parts) {
        if (part.type !== 'result') continue;
        if (found.has(part.id)) this.#draft.reportDropped('tool_result.repeated');
        if (ids.has(part.id)) found.set(part.id, part);
        else this.#matchLateResult(part);
      }
    if (others.length === 0) return [];
    const results: ToolResultPart[] = [];
    for (const { id } of calls) {
      const result = found.get(id);
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

function missingResult(id: string): ToolResultPart {
  return { type: 'result', id, parts: [{ type: 'text', text: '[no result]' }], isError: false };
}
