/**
 * Returns the fields of a request body that differ from the body of the unchanged form. A form cannot show every value
 * exactly, for example a tag that contains a comma, so an update must not send fields that the user did not change.
 */
export function pickChangedFields(body: object, unchanged: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(unchanged, name)),
    ),
  );
}
