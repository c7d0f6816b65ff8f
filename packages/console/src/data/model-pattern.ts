/** Returns whether a model pattern, such as one of an allowlist, matches a model. `*` matches any characters. */
export function matchesModelPattern(pattern: string, model: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(model);
}
