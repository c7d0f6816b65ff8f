import type { AskDraft } from './ask-draft.ts';
import type { CallPart, Part, ResultPart, Turn } from './request.ts';

/**
 * Brings a conversation into the one form every provider takes: consecutive assistant turns are one;
 * the results of a turn's calls follow it at once, in one user turn of their own; a result nobody asked
 * for goes; a call nobody answered gets `[no result]`. Idempotent. Calls of the last turn stay open.
 */
export function repairTurns(turns: readonly Turn[], draft: AskDraft): Turn[] {
  const repaired: Turn[] = [];
  let index = 0;
  while (index < turns.length) {
    const assistant: Part[] = [];
    while (turns[index]?.role === 'assistant') assistant.push(...(turns[index++]?.parts ?? []));
    const others: Turn[] = [];
    let turn = turns[index];
    while (turn && turn.role !== 'assistant') {
      others.push(turn);
      turn = turns[++index];
    }
    // What stood between this turn and the last one may have gone as a whole.
    const before = repaired.at(-1);
    if (before?.role === 'assistant')
      repaired[repaired.length - 1] = { role: 'assistant', parts: [...before.parts, ...assistant] };
    else if (assistant.length > 0) repaired.push({ role: 'assistant', parts: assistant });
    const calls = assistant.filter((part) => part.type === 'call');
    const results = answersTo(calls, others, draft);
    if (results.length > 0) repaired.push({ role: 'user', parts: results });
    for (const other of others) {
      const parts = other.parts.filter((part) => part.type !== 'result');
      if (parts.length > 0) repaired.push({ role: other.role, parts });
    }
  }
  return repaired;
}

function answersTo(
  calls: readonly CallPart[],
  others: readonly Turn[],
  draft: AskDraft,
): readonly ResultPart[] {
  const found = new Map<string, ResultPart>();
  for (const turn of others)
    for (const part of turn.parts) {
      if (part.type !== 'result') continue;
      if (calls.some((call) => call.id === part.id)) found.set(part.id, part);
      else draft.drop('tool_result.orphan');
    }
  if (others.length === 0) return [];
  return calls.map((call) => {
    const result = found.get(call.id);
    if (result) return result;
    draft.drop('tool_result.missing');
    return { type: 'result', id: call.id, parts: [{ type: 'text', text: '[no result]' }], isError: false };
  });
}
