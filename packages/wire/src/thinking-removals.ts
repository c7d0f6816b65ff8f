import { type ByteEdit, type ByteSpan, readStringAt, type ScannedJsonBody } from './json-edits.ts';
import { createMemberRemovals, JsonItemRemover, scanElementsAt } from './json-item-remover.ts';
import { JsonMemberNameLookup } from './json-member-name-lookup.ts';
import { scanObjectAt } from './nested-members.ts';

const THINKING = new JsonMemberNameLookup(['thinking']);

/** Edits of a body, and the paths of what they remove. */
export interface ThinkingRemovals {
  readonly edits: readonly ByteEdit[];
  readonly dropped: readonly string[];
}

/**
 * Creates the edits that remove the field `thinking` from a Messages request if its type is `enabled`. They
 * also remove the strategies of `context_management` that clear thinking, because Messages rejects these
 * strategies if thinking is disabled.
 */
export function createThinkingRemovals({ body, members }: ScannedJsonBody): ThinkingRemovals {
  const typeOf = (value: ByteSpan) => {
    const type = scanObjectAt(body, value)?.get('type');
    return (type && readStringAt(body, type)) ?? '';
  };
  const thinking = members.get('thinking');
  if (!thinking || typeOf(thinking) !== 'enabled') return { edits: [], dropped: [] };
  const root = { start: 0, end: body.length };
  const edits = createMemberRemovals(body, root, THINKING, () => true);
  const dropped = ['thinking'];
  const management = members.get('context_management');
  const strategies = management && scanObjectAt(body, management)?.get('edits');
  const clearing: ByteEdit[] = [];
  const remover = new JsonItemRemover(clearing);
  for (const one of (strategies && scanElementsAt(body, strategies)) ?? [])
    if (typeOf(one).startsWith('clear_thinking')) remover.remove(one.start, one.end);
    else remover.retain(one.start, one.end);
  remover.finish();
  if (clearing.length > 0) dropped.push('context_management.edits');
  return { edits: [...edits, ...clearing], dropped };
}
