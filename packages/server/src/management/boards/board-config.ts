import { boardCreation } from '@floe/contract/api/boards';
import type { BoardConfig } from '@floe/contract/config';
import { BoardSchema } from '@floe/contract/config/monitoring';
import type * as z from 'zod';
import { validateInput } from '../validate-input.ts';

const BOARD_CONFIG_FIELDS = boardCreation.keyof();

type BoardFields = Readonly<Partial<Record<z.output<typeof BOARD_CONFIG_FIELDS>, unknown>>>;

/**
 * Merges `fields` over `current` and validates the result. Absent fields keep their values. Null
 * clears a field.
 *
 * @throws Fault `invalid_request` with `param`
 */
export function buildBoardConfig(fields: BoardFields, current: BoardFields = {}): BoardConfig {
  const merged: Record<string, unknown> = {};
  for (const name of BOARD_CONFIG_FIELDS.options) {
    const value = fields[name] === undefined ? current[name] : fields[name];
    if (value !== undefined && value !== null) merged[name] = value;
  }
  return validateInput(BoardSchema, merged);
}
