import { boardCreation } from '@floe/contract/api/boards';
import type { BoardConfig } from '@floe/contract/config';
import { BoardSchema } from '@floe/contract/config/monitoring';
import type * as z from 'zod';
import { validate } from '../input.ts';

const SETTINGS = boardCreation.keyof();

type Fields = Readonly<Partial<Record<z.output<typeof SETTINGS>, unknown>>>;

/**
 * The whole board that a request means: `fields` over `current`, absent ones stay, null clears.
 *
 * @throws Fault `invalid_request` with `param`
 */
export function boardDraft(fields: Fields, current: Fields = {}): BoardConfig {
  const merged: Record<string, unknown> = {};
  for (const name of SETTINGS.options) {
    const value = fields[name] === undefined ? current[name] : fields[name];
    if (value !== undefined && value !== null) merged[name] = value;
  }
  return validate(BoardSchema, merged);
}
