/** What a condition can read (docs/reference/conditions.md), with what it holds. */
export const CONDITION_NAMES: readonly (readonly [string, string])[] = [
  ['request.model', 'text: as asked for'],
  ['request.stream', 'true or false'],
  ['request.max_tokens', 'number: the output cap, 0 without one'],
  ['request.temperature', 'number'],
  ['request.system', 'text of instructions'],
  ['request.messages', 'list of role and text'],
  ['request.text', 'all text of the messages'],
  ['request.tools', 'list: names of the tools offered'],
  ['request.bytes', 'number: size of the body'],
  ['key', 'text: name of the platform key'],
  ['team', 'text'],
  ['owner', 'text'],
  ['end_user', 'text: a hint of the caller'],
  ['surface', 'chat, responses, messages or embeddings'],
  ['metadata', 'object: ask with has(metadata.project)'],
  ['answer.text', 'text of the answer'],
  ['answer.finish', 'the provider’s word for the end'],
  ['answer.tools', 'list: tools called'],
  ['usage.input_tokens', 'number'],
  ['usage.output_tokens', 'number'],
  ['usage.cached_tokens', 'number'],
  ['usage.reasoning_tokens', 'number'],
];

/** The name that is being typed before the caret; empty when none is. */
export function wordBefore(text: string, caret: number): string {
  return /[A-Za-z_][\w.]*$/.exec(text.slice(0, caret))?.[0] ?? '';
}

/** Names that go on from what is typed; none once it is whole. What only answers have is left out for requests. */
export function namesFor(word: string, on: 'request' | 'answer'): readonly (readonly [string, string])[] {
  if (word === '') return [];
  return CONDITION_NAMES.filter(
    ([name]) =>
      name.startsWith(word) && name !== word && (on === 'answer' || !/^(answer|usage)\b/.test(name)),
  ).slice(0, 8);
}

/** The text with the typed word made whole, and where the caret stands then. */
export function completed(
  text: string,
  caret: number,
  name: string,
): { readonly text: string; readonly caret: number } {
  const start = caret - wordBefore(text, caret).length;
  return { text: text.slice(0, start) + name + text.slice(caret), caret: start + name.length };
}
