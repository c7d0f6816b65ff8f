import type { AskDraft } from './ask-draft.ts';
import type { CallPart, Part, ResultPart, Turn } from './request.ts';

interface OpenTurn {
  readonly role: Turn['role'];
  readonly parts: Part[];
}

/**
 * Brings a conversation into the one form every provider takes: consecutive assistant turns are one; the results of
 * a turn's calls follow it at once, in one user turn of their own, wherever behind the call they stood; a call
 * nobody answered gets `[no result]`. Idempotent. Calls of the last turn stay open. `AskDraft.orphan` hears of a
 * result whose call is nowhere before it.
 */
export function repairTurns(turns: readonly Turn[], draft: AskDraft): Turn[] {
  const repaired: OpenTurn[] = [];
  const late = new LateResults(draft);
  let index = 0;
  while (index < turns.length) {
    const assistant: Part[] = [];
    // Element by element: a spread of a hundred thousand parts is more arguments than a call takes.
    for (; turns[index]?.role === 'assistant'; index += 1)
      for (const part of turns[index]?.parts ?? []) assistant.push(part);
    const others: Turn[] = [];
    let turn = turns[index];
    while (turn && turn.role !== 'assistant') {
      others.push(turn);
      turn = turns[++index];
    }
    // What stood between this turn and the last one may have gone as a whole.
    const before = repaired.at(-1);
    if (before?.role === 'assistant') for (const part of assistant) before.parts.push(part);
    else if (assistant.length > 0) repaired.push({ role: 'assistant', parts: [...assistant] });
    const calls = assistant.filter((part) => part.type === 'call');
    const results = late.answersTo(calls, others);
    if (results.length > 0) repaired.push({ role: 'user', parts: results });
    for (const other of others) {
      const parts = other.parts.filter((part) => part.type !== 'result');
      if (parts.length > 0) repaired.push({ role: other.role, parts });
    }
  }
  late.report();
  return repaired;
}

/** Puts results to their calls, those that come turns later too. */
class LateResults {
  readonly #draft: AskDraft;
  /** The results of the last turn with an unanswered call of this id: calls of one turn that share it share its result. */
  readonly #waiting = new Map<string, ResultPart[]>();
  readonly #answered = new Set<string>();

  constructor(draft: AskDraft) {
    this.#draft = draft;
  }

  answersTo(calls: readonly CallPart[], others: readonly Turn[]): ResultPart[] {
    const found = new Map<string, ResultPart>();
    const ids = new Set(calls.map(({ id }) => id));
    for (const turn of others)
      for (const part of turn.parts) {
        if (part.type !== 'result') continue;
        if (found.has(part.id)) this.#draft.drop('tool_result.repeated');
        if (ids.has(part.id)) found.set(part.id, part);
        else this.#late(part);
      }
    if (others.length === 0) return [];
    const results: ResultPart[] = [];
    for (const { id } of calls) {
      const result = found.get(id);
      if (result) this.#answered.add(id);
      else this.#waiting.set(id, results);
      results.push(result ?? noResult(id));
    }
    return results;
  }

  #late(part: ResultPart): void {
    const waiting = this.#waiting.get(part.id);
    if (waiting) {
      for (const [at, { id }] of waiting.entries()) if (id === part.id) waiting[at] = part;
      this.#waiting.delete(part.id);
      this.#answered.add(part.id);
    } else if (this.#answered.has(part.id)) this.#draft.drop('tool_result.repeated');
    else this.#draft.orphan(part.id);
  }

  report(): void {
    if (this.#waiting.size > 0) this.#draft.drop('tool_result.missing');
  }
}

function noResult(id: string): ResultPart {
  return { type: 'result', id, parts: [{ type: 'text', text: '[no result]' }], isError: false };
}
