/** Clients and proxies accept only a few kilobytes of headers. Each name has at most 64 characters. */
const MAX_LISTED_FIELDS = 30;

/**
 * Returns the names of dropped fields as the response header and the request log list them. Requests and
 * responses can contain any number of unknown fields, so a longer list ends with `...`.
 */
export function truncateDroppedFields(names: readonly string[]): readonly string[] {
  // The reader of a request and the writer for its target may report the same field.
  const fields = [...new Set(names)];
  return fields.length <= MAX_LISTED_FIELDS ? fields : [...fields.slice(0, MAX_LISTED_FIELDS), '...'];
}
