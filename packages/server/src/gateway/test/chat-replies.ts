import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';

/** Returns a Chat response, as a stream or as JSON. A stream sends `text` word by word. */
export function chatReply(text: string, isStream: boolean): UpstreamReply {
  const base = { id: 'c-1', created: 1, model: 'm' };
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  if (!isStream) {
    const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' };
    return createJsonReply({ ...base, object: 'chat.completion', choices: [choice], usage });
  }
  const chunk = (delta: object, finish: string | null = null) => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const words = text.split(/(?<= )/).map((content) => chunk({ content }));
  const last = { ...base, object: 'chat.completion.chunk', choices: [], usage };
  return createSseReply([
    chunk({ role: 'assistant', content: '' }),
    ...words,
    chunk({}, 'stop'),
    last,
    'data: [DONE]\n\n',
  ]);
}

export function failingReply(status: number, headers: Readonly<Record<string, string>> = {}): UpstreamReply {
  const reply = createJsonReply({ error: { message: `status ${status}` } }, status);
  return { ...reply, headers: { ...reply.headers, ...headers } };
}
