import type { BoardConfig } from '@floe/contract/config';
import { BoardSchema } from '@floe/contract/config/monitoring';
import { validate } from '../input.ts';

const SETTINGS = ['slug', 'name', 'public', 'timezone', 'groups'] as const;

type Fields = Readonly<Partial<Record<(typeof SETTINGS)[number], unknown>>>;

/**
 * The whole board that a request means: `fields` over `current`, absent ones stay, null clears.
 *
 * @throws Fault `invalid_request` with `param`
 */
export function boardDraft(fields: Fields, current: Fields = {}): BoardConfig {
  const merged: Record<string, unknown> = {};
  for (const name of SETTINGS) {
    const value = fields[name] === undefined ? current[name] : fields[name];
    if (value !== undefined && value !== null) merged[name] = value;
  }
  return validate(BoardSchema, merged);
}
