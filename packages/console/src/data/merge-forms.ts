/**
 * Returns `theirs` with the fields that differ between `base` and `mine` replaced with those of `mine`. Pure.
 */
export function mergeForms<Form extends object>(base: Form, mine: Form, theirs: Form): Form {
  const changed = Object.entries(mine).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(base, name)),
  );
  return { ...theirs, ...Object.fromEntries(changed) };
}
