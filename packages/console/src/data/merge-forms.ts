/**
 * Merges two edited versions of a form. Fields that differ between `base` and `mine` come from `mine`, all
 * other fields from `theirs`. Pure.
 */
export function mergeForms<Form extends object>(base: Form, mine: Form, theirs: Form): Form {
  const changed = Object.entries(mine).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(base, name)),
  );
  return { ...theirs, ...Object.fromEntries(changed) };
}
