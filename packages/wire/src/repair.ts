import type { AskDraft } from './ask-draft.ts';
import type { CallPart, Part, ResultPart, Turn } from './request.ts';

/**
 * Brings a conversation into the one form every provider takes: consecutive assistant turns are one;
 * the results of a turn's calls follow it at once, in one user turn of their own; a result nobody asked
 * for goes; a call nobody answered gets `[no result]`. Idempotent. Calls of the last turn stay open.
 */
export function repairTurns(turns: readonly Turn[], draft: AskDraft): Turn[] {
  const repaired: { readonly role: Turn['role']; readonly parts: Part[] }[] = [];
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
    const results = answersTo(calls, others, draft);
    if (results.length > 0) repaired.push({ role: 'user', parts: results });
    for (const other of others) {
      const parts = other.parts.filter((part) => part.type !== 'result');
      if (parts.length > 0) repaired.push({ role: other.role, parts });
    }
  }
  return repaired;
}

function answersTo(calls: readonly CallPart[], others: readonly Turn[], draft: AskDraft): ResultPart[] {
  const found = new Map<string, ResultPart>();
  const ids = new Set(calls.map(({ id }) => id));
  for (const turn of others)
    for (const part of turn.parts) {
      if (part.type !== 'result') continue;
      if (ids.has(part.id)) found.set(part.id, part);
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
