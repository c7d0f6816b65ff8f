// What recorded answers of Converse and Cohere say, worked out from their bytes without any code of the gateway.
import { isObject, type JsonObject } from '@floe/contract/json';
import { endingOf, joined, numberOf, objectOf, objectsIn, type Said, textOf } from './answers-said.ts';

/** Frames of a binary stream: event name and payload. The recordings are whole, so lengths are believed. */
export function binaryEvents(body: Buffer): { readonly event: string; readonly data: JsonObject }[] {
  const events: { event: string; data: JsonObject }[] = [];
  for (let at = 0; at < body.length; at += body.readUInt32BE(at)) {
    const end = at + body.readUInt32BE(at) - 4;
    const headersEnd = at + 12 + body.readUInt32BE(at + 4);
    const headers = body.toString('latin1', at + 12, headersEnd);
    const event = /:event-type\x07..(\w+)/s.exec(headers)?.[1] ?? 'exception';
    const name = /^(messageStart|contentBlock(?:Start|Delta|Stop)|messageStop|metadata|chunk)/.exec(event);
    events.push({
      event: name?.[1] ?? event,
      data: objectOf(JSON.parse(body.toString('utf8', headersEnd, end))),
    });
  }
  return events;
}

/** The whole answer that a stream's events build up to. */
export function wholeConverse(
  events: readonly { readonly event: string; readonly data: JsonObject }[],
): JsonObject {
  const content: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  for (const { data } of events) {
    const at = numberOf(data['contentBlockIndex']);
    const start = objectOf(data['start']);
    const delta = objectOf(data['delta']);
    if (isObject(start['toolUse'])) content[at] = { toolUse: start['toolUse'] };
    if (Object.keys(delta).length === 0) continue;
    const block = content[at] ?? {};
    content[at] = block;
    if (typeof delta['text'] === 'string') block['text'] = textOf(block['text']) + delta['text'];
    if (isObject(delta['toolUse'])) inputs[at] = (inputs[at] ?? '') + textOf(delta['toolUse']['input']);
    const reasoning = objectOf(delta['reasoningContent']);
    if (reasoning['redactedContent'] !== undefined) block['reasoningContent'] = reasoning;
    else if (Object.keys(reasoning).length > 0) {
      const before = objectOf(objectOf(block['reasoningContent'])['reasoningText']);
      const text = textOf(before['text']) + textOf(reasoning['text']);
      const signature = textOf(reasoning['signature']) || before['signature'];
      block['reasoningContent'] = { reasoningText: { text, signature } };
    }
  }
  for (const [at, block] of content.entries())
    if (isObject(block['toolUse']))
      block['toolUse'] = { ...block['toolUse'], input: JSON.parse(inputs[at] || '{}') };
  const stop = events.find(({ data }) => data['stopReason'] !== undefined);
  const usage = events.find(({ data }) => data['usage'] !== undefined);
  return objectOf(
    JSON.parse(
      JSON.stringify({
        output: { message: { role: 'assistant', content } },
        stopReason: stop?.data['stopReason'],
        usage: usage?.data['usage'],
      }),
    ),
  );
}

export function saidByConverse(body: Buffer, isStream: boolean): Said {
  const whole = isStream ? wholeConverse(binaryEvents(body)) : objectOf(JSON.parse(body.toString('utf8')));
  const finish = textOf(whole['stopReason']);
  if (finish === '') throw new Error('no answer');
  const blocks = objectsIn(objectOf(objectOf(whole['output'])['message'])['content']);
  const reasoning = blocks.map(({ reasoningContent }) => objectOf(reasoningContent));
  const usage = objectOf(whole['usage']);
  const cached = numberOf(usage['cacheReadInputTokens']);
  return {
    text: joined(blocks, 'text'),
    refusal: '',
    thinking: reasoning.map(({ reasoningText }) => textOf(objectOf(reasoningText)['text'])).join(''),
    calls: blocks
      .map(({ toolUse }) => toolUse)
      .filter(isObject)
      .map(({ toolUseId, name, input }) => ({
        id: textOf(toolUseId),
        name: textOf(name),
        arguments: JSON.stringify(input ?? {}),
      })),
    finish,
    ending: endingOf(finish),
    usage: {
      input: numberOf(usage['inputTokens']) + cached + numberOf(usage['cacheWriteInputTokens']),
      cached,
      output: numberOf(usage['outputTokens']),
    },
    seals: reasoning.flatMap(
      ({ reasoningText, redactedContent }) =>
        textOf(objectOf(reasoningText)['signature']) || textOf(redactedContent) || [],
    ),
  };
}

/** The whole answer that a stream's events build up to. */
export function wholeCohere(events: readonly JsonObject[]): JsonObject {
  const content: { type: string; text?: string; thinking?: string }[] = [];
  const calls: { id: unknown; type: string; function: { name: unknown; arguments: string } }[] = [];
  let plan = '';
  for (const event of events) {
    const message = objectOf(objectOf(event['delta'])['message']);
    const at = numberOf(event['index']);
    const part = objectOf(message['content']);
    const call = objectOf(message['tool_calls']);
    const made = objectOf(call['function']);
    plan += textOf(message['tool_plan']);
    if (event['type'] === 'content-start') content[at] = { type: textOf(part['type']) };
    const open = content[at];
    if (open && textOf(part['text'])) open.text = (open.text ?? '') + textOf(part['text']);
    if (open && textOf(part['thinking'])) open.thinking = (open.thinking ?? '') + textOf(part['thinking']);
    if (event['type'] === 'tool-call-start')
      calls[at] = { id: call['id'], type: 'function', function: { name: made['name'], arguments: '' } };
    const target = calls[at];
    if (target) target.function.arguments += textOf(made['arguments']);
  }
  const end = objectOf(events.find(({ type }) => type === 'message-end')?.['delta']);
  const message = {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(plan !== '' && { tool_plan: plan }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const { finish_reason, usage } = end;
  return objectOf(JSON.parse(JSON.stringify({ id: events[0]?.['id'], finish_reason, message, usage })));
}

export function saidByCohere(values: readonly JsonObject[], isStream: boolean): Said {
  const whole = isStream ? wholeCohere(values) : objectOf(values[0]);
  const finish = textOf(whole['finish_reason']);
  if (finish === '' || finish === 'ERROR') throw new Error('no answer');
  const message = objectOf(whole['message']);
  const blocks = objectsIn(message['content']);
  const usage = objectOf(whole['usage']);
  const tokens = objectOf(usage['tokens']);
  return {
    text: joined(blocks, 'text') + textOf(message['tool_plan']),
    refusal: '',
    thinking: joined(blocks, 'thinking'),
    calls: objectsIn(message['tool_calls']).map((call) => {
      const made = objectOf(call['function']);
      const written = textOf(made['arguments']);
      return {
        id: textOf(call['id']),
        name: textOf(made['name']),
        arguments: written === 'null' ? '{}' : written,
      };
    }),
    finish,
    ending: endingOf(finish),
    usage: {
      input: numberOf(tokens['input_tokens']),
      cached: numberOf(usage['cached_tokens']),
      output: numberOf(tokens['output_tokens']),
    },
    seals: [],
  };
}
