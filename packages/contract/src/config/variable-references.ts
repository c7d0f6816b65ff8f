/** Escapes text for floe.yaml, so that Floe does not replace `${…}` in it with a variable or a file. */
export function escapeVariableReferences(text: string): string {
  // A function, because `$$` in a replacement string is one `$`.
  return text.replaceAll('${', () => '$${');
}
