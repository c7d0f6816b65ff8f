import { pickChangedFields } from './pick-changed-fields.ts';

/**
 * Merges two edited versions of a form. Fields that differ between `base` and `mine` come from `mine`, all
 * other fields from `theirs`. Pure.
 */
export function mergeForms<Form extends object>(base: Form, mine: Form, theirs: Form): Form {
  return { ...theirs, ...pickChangedFields(mine, base) };
}
