import { countEmbeddingsInputs } from '@floe/wire/embeddings-counts';
import { readNumberAt, type ScannedJsonMembers } from '@floe/wire/json-edits';
import type { ResourceReference } from './resource-reference.ts';

/**
 * Returns the number of requested choices or images: the larger of `n` and `best_of`. For text completions, this number
 * is multiplied by the number of prompts. Null if the request states none of them.
 */
export function countRequestedChoices(
  bytes: Buffer,
  members: ScannedJsonMembers,
  { surface }: Pick<ResourceReference, 'surface'>,
): number | null {
  const stated = ['n', 'best_of'].map((name) => {
    const span = members.get(name);
    return positiveInteger(span && readNumberAt(bytes, span));
  });
  const each = stated.reduce((one, other) => (Number(other) > Number(one) ? other : one), null);
  const prompt = surface === 'completions' ? members.get('prompt') : undefined;
  return prompt === undefined ? each : (each ?? 1) * Math.max(1, countEmbeddingsInputs(bytes, prompt));
}

/** Returns a positive integer; null for any other value. */
export function positiveInteger(value: string | number | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}
