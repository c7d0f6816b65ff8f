// What recorded answers of Converse and Cohere say, worked out from their bytes without any code of the gateway.
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import {
  type AnswerContent,
  joinTextMember,
  numberOrZero,
  objectOrEmpty,
  objectsOrEmpty,
  textOrEmpty,
  toAnswerEnding,
} from './answer-content.ts';

/** Frames of a binary stream: event name and payload. The recordings are whole, so lengths are believed. */
export function parseBinaryEvents(body: Buffer): { readonly event: string; readonly data: JsonObject }[] {
  const events: { event: string; data: JsonObject }[] = [];
  for (let at = 0; at < body.length; at += body.readUInt32BE(at)) {
    const end = at + body.readUInt32BE(at) - 4;
    const headersEnd = at + 12 + body.readUInt32BE(at + 4);
    const headers = body.toString('latin1', at + 12, headersEnd);
    const event = /:event-type\x07..(\w+)/s.exec(headers)?.[1] ?? 'exception';
    const name = /^(messageStart|contentBlock(?:Start|Delta|Stop)|messageStop|metadata|chunk)/.exec(event);
    events.push({
      event: name?.[1] ?? event,
      data: objectOrEmpty(JSON.parse(body.toString('utf8', headersEnd, end))),
    });
  }
  return events;
}

/** The whole answer that a stream's events build up to. */
export function assembleConverseAnswer(
  events: readonly { readonly event: string; readonly data: JsonObject }[],
): JsonObject {
  const content: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  for (const { data } of events) {
    const at = numberOrZero(data['contentBlockIndex']);
    const start = objectOrEmpty(data['start']);
    const delta = objectOrEmpty(data['delta']);
    if (isJsonObject(start['toolUse'])) content[at] = { toolUse: start['toolUse'] };
    if (Object.keys(delta).length === 0) continue;
    const block = content[at] ?? {};
    content[at] = block;
    if (typeof delta['text'] === 'string') block['text'] = textOrEmpty(block['text']) + delta['text'];
    if (isJsonObject(delta['toolUse']))
      inputs[at] = (inputs[at] ?? '') + textOrEmpty(delta['toolUse']['input']);
    const reasoning = objectOrEmpty(delta['reasoningContent']);
    if (reasoning['redactedContent'] !== undefined) block['reasoningContent'] = reasoning;
    else if (Object.keys(reasoning).length > 0) {
      const before = objectOrEmpty(objectOrEmpty(block['reasoningContent'])['reasoningText']);
      const text = textOrEmpty(before['text']) + textOrEmpty(reasoning['text']);
      const signature = textOrEmpty(reasoning['signature']) || before['signature'];
      block['reasoningContent'] = { reasoningText: { text, signature } };
    }
  }
  for (const [at, block] of content.entries())
    if (isJsonObject(block['toolUse']))
      block['toolUse'] = { ...block['toolUse'], input: JSON.parse(inputs[at] || '{}') };
  const stop = events.find(({ data }) => data['stopReason'] !== undefined);
  const usage = events.find(({ data }) => data['usage'] !== undefined);
  return objectOrEmpty(
    JSON.parse(
      JSON.stringify({
        output: { message: { role: 'assistant', content } },
        stopReason: stop?.data['stopReason'],
        usage: usage?.data['usage'],
      }),
    ),
  );
}

export function parseConverseContent(body: Buffer, isStream: boolean): AnswerContent {
  const whole = isStream
    ? assembleConverseAnswer(parseBinaryEvents(body))
    : objectOrEmpty(JSON.parse(body.toString('utf8')));
  const finish = textOrEmpty(whole['stopReason']);
  if (finish === '') throw new Error('no answer');
  const blocks = objectsOrEmpty(objectOrEmpty(objectOrEmpty(whole['output'])['message'])['content']);
  const reasoning = blocks.map(({ reasoningContent }) => objectOrEmpty(reasoningContent));
  const usage = objectOrEmpty(whole['usage']);
  const cached = numberOrZero(usage['cacheReadInputTokens']);
  return {
    text: joinTextMember(blocks, 'text'),
    refusal: '',
    thinking: reasoning
      .map(({ reasoningText }) => textOrEmpty(objectOrEmpty(reasoningText)['text']))
      .join(''),
    calls: blocks
      .map(({ toolUse }) => toolUse)
      .filter(isJsonObject)
      .map(({ toolUseId, name, input }) => ({
        id: textOrEmpty(toolUseId),
        name: textOrEmpty(name),
        arguments: JSON.stringify(input ?? {}),
      })),
    finish,
    ending: toAnswerEnding(finish),
    usage: {
      input: numberOrZero(usage['inputTokens']) + cached + numberOrZero(usage['cacheWriteInputTokens']),
      cached,
      output: numberOrZero(usage['outputTokens']),
    },
    seals: reasoning.flatMap(
      ({ reasoningText, redactedContent }) =>
        textOrEmpty(objectOrEmpty(reasoningText)['signature']) || textOrEmpty(redactedContent) || [],
    ),
  };
}

/** The whole answer that a stream's events build up to. */
export function assembleCohereAnswer(events: readonly JsonObject[]): JsonObject {
  const content: { type: string; text?: string; thinking?: string }[] = [];
  const calls: { id: unknown; type: string; function: { name: unknown; arguments: string } }[] = [];
  let plan = '';
  for (const event of events) {
    const message = objectOrEmpty(objectOrEmpty(event['delta'])['message']);
    const at = numberOrZero(event['index']);
    const part = objectOrEmpty(message['content']);
    const call = objectOrEmpty(message['tool_calls']);
    const made = objectOrEmpty(call['function']);
    plan += textOrEmpty(message['tool_plan']);
    if (event['type'] === 'content-start') content[at] = { type: textOrEmpty(part['type']) };
    const open = content[at];
    if (open && textOrEmpty(part['text'])) open.text = (open.text ?? '') + textOrEmpty(part['text']);
    if (open && textOrEmpty(part['thinking']))
      open.thinking = (open.thinking ?? '') + textOrEmpty(part['thinking']);
    if (event['type'] === 'tool-call-start')
      calls[at] = { id: call['id'], type: 'function', function: { name: made['name'], arguments: '' } };
    const target = calls[at];
    if (target) target.function.arguments += textOrEmpty(made['arguments']);
  }
  const end = objectOrEmpty(events.find(({ type }) => type === 'message-end')?.['delta']);
  const message = {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(plan !== '' && { tool_plan: plan }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const { finish_reason, usage } = end;
  return objectOrEmpty(JSON.parse(JSON.stringify({ id: events[0]?.['id'], finish_reason, message, usage })));
}

export function parseCohereContent(values: readonly JsonObject[], isStream: boolean): AnswerContent {
  const whole = isStream ? assembleCohereAnswer(values) : objectOrEmpty(values[0]);
  const finish = textOrEmpty(whole['finish_reason']);
  if (finish === '' || finish === 'ERROR') throw new Error('no answer');
  const message = objectOrEmpty(whole['message']);
  const blocks = objectsOrEmpty(message['content']);
  const usage = objectOrEmpty(whole['usage']);
  const tokens = objectOrEmpty(usage['tokens']);
  return {
    text: joinTextMember(blocks, 'text') + textOrEmpty(message['tool_plan']),
    refusal: '',
    thinking: joinTextMember(blocks, 'thinking'),
    calls: objectsOrEmpty(message['tool_calls']).map((call) => {
      const made = objectOrEmpty(call['function']);
      const written = textOrEmpty(made['arguments']);
      return {
        id: textOrEmpty(call['id']),
        name: textOrEmpty(made['name']),
        arguments: written === 'null' ? '{}' : written,
      };
    }),
    finish,
    ending: toAnswerEnding(finish),
    usage: {
      input: numberOrZero(tokens['input_tokens']),
      cached: numberOrZero(usage['cached_tokens']),
      output: numberOrZero(tokens['output_tokens']),
    },
    seals: [],
  };
}
