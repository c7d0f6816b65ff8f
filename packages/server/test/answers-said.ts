// What recorded answers of any dialect say, worked out from their bytes without any code of the gateway.
import { isObject, type JsonObject } from '@floe/contract/json';
import { eventFrames } from '@floe/testkit/client';
import { saidByCohere, saidByConverse } from './cloud-answers-said.ts';
import { type Call, saidBy as saidByChat } from './recorded-chat.ts';

export const DIALECTS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;
export type Dialect = (typeof DIALECTS)[number];
/** Why an answer ended, in four words. */
export type Ending = 'stop' | 'length' | 'tool' | 'refusal';

export interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** An answer, whatever its dialect. */
export interface Said {
  readonly text: string;
  readonly refusal: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  /** The provider's own word, and what it means. */
  readonly finish: string;
  readonly ending: Ending;
  readonly usage: Counts | undefined;
  /** Proofs that stand beside the thinking. */
  readonly seals: readonly string[];
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  length: 'length',
  max_tokens: 'length',
  MAX_TOKENS: 'length',
  max_output_tokens: 'length',
  tool_calls: 'tool',
  tool_use: 'tool',
  content_filter: 'refusal',
  refusal: 'refusal',
  SAFETY: 'refusal',
  PROHIBITED_CONTENT: 'refusal',
  guardrail_intervened: 'refusal',
  TOOL_CALL: 'tool',
};

/** @throws Error when the bytes hold no finished answer. */
export function saidIn(dialect: Dialect, body: Buffer, isStream: boolean): Said {
  if (dialect === 'converse') return saidByConverse(body, isStream);
  const text = body.toString('utf8');
  if (dialect === 'chat') return inChat(body, isStream);
  const values = isStream
    ? eventFrames(text)
        .filter(({ data }) => data !== '' && data !== '[DONE]')
        .map(({ data }) => objectOf(JSON.parse(data)))
    : [JSON.parse(text)].flat().map(objectOf);
  if (dialect === 'messages') return inMessages(isStream ? assembled(values) : objectOf(values[0]));
  if (dialect === 'gemini') return inGemini(values);
  if (dialect === 'cohere') return saidByCohere(values, isStream);
  const ends = ['response.completed', 'response.incomplete'];
  const end = isStream ? values.find(({ type }) => ends.includes(textOf(type))) : { response: values[0] };
  if (!end) throw new Error('no answer');
  return inResponses(objectOf(end['response']));
}

function inChat(body: Buffer, isStream: boolean): Said {
  const said = saidByChat(body, isStream, false);
  const choice = said.choices[0];
  if (!choice || said.error !== undefined) throw new Error('no answer');
  const { usage } = said;
  const details = objectOf(usage?.['prompt_tokens_details']);
  const counts = usage && {
    input: numberOf(usage['prompt_tokens']),
    // One host counts more cached tokens than the prompt has, another leaves reasoning out of the output.
    cached: Math.min(numberOf(details['cached_tokens']), numberOf(usage['prompt_tokens'])),
    output: Math.max(
      numberOf(usage['completion_tokens']),
      numberOf(usage['total_tokens']) - numberOf(usage['prompt_tokens']),
    ),
  };
  return { ...choice, thinking: said.reasoning, ending: endingOf(choice.finish), usage: counts, seals: [] };
}

function inResponses(response: JsonObject): Said {
  const items = objectsIn(response['output']);
  const parts = items.flatMap((item) => (item['type'] === 'message' ? objectsIn(item['content']) : []));
  const reasoning = items.filter(({ type }) => type === 'reasoning');
  const usage = objectOf(response['usage']);
  const cut = textOf(objectOf(response['incomplete_details'])['reason']);
  const calls = items.filter(({ type }) => type === 'function_call');
  return {
    text: joined(parts, 'text'),
    refusal: joined(parts, 'refusal'),
    thinking: reasoning.map((item) => joined(objectsIn(item['summary']), 'text')).join(''),
    calls: calls.map((item) => ({
      id: textOf(item['call_id']),
      name: textOf(item['name']),
      arguments: textOf(item['arguments']),
    })),
    finish: cut || textOf(response['status']),
    ending: endingOf(cut || textOf(response['status'])),
    usage: {
      input: numberOf(usage['input_tokens']),
      cached: numberOf(objectOf(usage['input_tokens_details'])['cached_tokens']),
      output: numberOf(usage['output_tokens']),
    },
    seals: reasoning.flatMap((item) => textOf(item['encrypted_content']) || []),
  };
}

function inMessages(message: JsonObject): Said {
  const blocks = objectsIn(message['content']);
  const usage = objectOf(message['usage']);
  const cached = numberOf(usage['cache_read_input_tokens']);
  const written = numberOf(usage['cache_creation_input_tokens']);
  const finish = textOf(message['stop_reason']);
  return {
    text: joined(blocks, 'text'),
    refusal: '',
    thinking: joined(blocks, 'thinking'),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({
        id: textOf(block['id']),
        name: textOf(block['name']),
        arguments: JSON.stringify(block['input']),
      })),
    finish,
    ending: endingOf(finish),
    usage: {
      input: numberOf(usage['input_tokens']) + cached + written,
      cached,
      output: numberOf(usage['output_tokens']),
    },
    seals: blocks.flatMap((block) => textOf(block['signature']) || textOf(block['data']) || []),
  };
}

function inGemini(chunks: readonly JsonObject[]): Said {
  const candidates = chunks.flatMap(({ candidates }) => objectsIn(candidates));
  const parts = candidates.flatMap(({ content }) => objectsIn(objectOf(content)['parts']));
  const usage = Object.assign({}, ...chunks.map(({ usageMetadata }) => objectOf(usageMetadata)));
  const blocked = chunks.map(({ promptFeedback }) => textOf(objectOf(promptFeedback)['blockReason']));
  const finish = candidates.map(({ finishReason }) => textOf(finishReason)).findLast((word) => word !== '');
  const calls = parts.map(({ functionCall }) => functionCall).filter(isObject);
  return {
    text: joined(
      parts.filter(({ thought }) => thought !== true),
      'text',
    ),
    refusal: '',
    thinking: joined(
      parts.filter(({ thought }) => thought === true),
      'text',
    ),
    calls: calls.map(({ id, name, args }) => ({
      id: textOf(id),
      name: textOf(name),
      arguments: JSON.stringify(args ?? {}),
    })),
    finish: finish ?? blocked.join(''),
    ending: blocked.join('') === '' ? endingOf(finish ?? '') : 'refusal',
    usage: {
      input: numberOf(usage.promptTokenCount) + numberOf(usage.toolUsePromptTokenCount),
      cached: numberOf(usage.cachedContentTokenCount),
      output: numberOf(usage.candidatesTokenCount) + numberOf(usage.thoughtsTokenCount),
    },
    seals: parts.flatMap(({ thoughtSignature }) => textOf(thoughtSignature) || []),
  };
}

/** The message a Messages stream builds up to. */
export function assembled(events: readonly JsonObject[]): JsonObject {
  const message: Record<string, unknown> = {};
  const blocks: Record<string, unknown>[] = [];
  const json: string[] = [];
  for (const event of events) {
    const { type, delta } = event;
    const at = numberOf(event['index']);
    if (type === 'message_start') Object.assign(message, objectOf(event['message']));
    if (type === 'content_block_start') blocks[at] = { ...objectOf(event['content_block']) };
    const block = blocks[at];
    if (type === 'content_block_delta' && isObject(delta) && block) {
      for (const name of ['text', 'thinking', 'signature'] as const)
        if (delta[name] !== undefined) block[name] = textOf(block[name]) + textOf(delta[name]);
      json[at] = (json[at] ?? '') + textOf(delta['partial_json']);
    }
    if (type === 'message_delta') {
      Object.assign(message, objectOf(delta));
      message['usage'] = { ...objectOf(message['usage']), ...objectOf(event['usage']) };
    }
  }
  for (const [at, text] of json.entries())
    if (text) Object.assign(blocks[at] ?? {}, { input: JSON.parse(text) });
  return objectOf({ ...message, content: blocks });
}

export function endingOf(finish: string): Ending {
  return ENDINGS[finish] ?? 'stop';
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function joined(parts: readonly JsonObject[], member: string): string {
  return parts.map((part) => textOf(part[member])).join('');
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
