// What recorded answers of any dialect say, worked out from their bytes without any code of the gateway.
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { parseSseFrames } from '@floe/testkit/http-client';
import { parseCohereContent, parseConverseContent } from './cloud-answer-content.ts';
import { type RecordedToolCall, parseChatContent as saidByChat } from './recorded-chat.ts';

export const TEST_DIALECTS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;
export type TestDialect = (typeof TEST_DIALECTS)[number];
/** Why an answer ended, in four words. */
export type AnswerEnding = 'stop' | 'length' | 'tool' | 'refusal';

export interface TokenCounts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** An answer, whatever its dialect. */
export interface AnswerContent {
  readonly text: string;
  readonly refusal: string;
  readonly thinking: string;
  readonly calls: readonly RecordedToolCall[];
  /** The provider's own word, and what it means. */
  readonly finish: string;
  readonly ending: AnswerEnding;
  readonly usage: TokenCounts | undefined;
  /** Proofs that stand beside the thinking. */
  readonly seals: readonly string[];
}

const ENDINGS: Readonly<Record<string, AnswerEnding>> = {
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
export function parseAnswerContent(dialect: TestDialect, body: Buffer, isStream: boolean): AnswerContent {
  if (dialect === 'converse') return parseConverseContent(body, isStream);
  const text = body.toString('utf8');
  if (dialect === 'chat') return parseChatAnswer(body, isStream);
  const values = isStream
    ? parseSseFrames(text)
        .filter(({ data }) => data !== '' && data !== '[DONE]')
        .map(({ data }) => objectOrEmpty(JSON.parse(data)))
    : [JSON.parse(text)].flat().map(objectOrEmpty);
  if (dialect === 'messages')
    return parseMessagesAnswer(isStream ? assembleMessage(values) : objectOrEmpty(values[0]));
  if (dialect === 'gemini') return parseGeminiAnswer(values);
  if (dialect === 'cohere') return parseCohereContent(values, isStream);
  const ends = ['response.completed', 'response.incomplete'];
  const end = isStream
    ? values.find(({ type }) => ends.includes(textOrEmpty(type)))
    : { response: values[0] };
  if (!end) throw new Error('no answer');
  return parseResponsesAnswer(objectOrEmpty(end['response']));
}

function parseChatAnswer(body: Buffer, isStream: boolean): AnswerContent {
  const said = saidByChat(body, isStream, false);
  const choice = said.choices[0];
  if (!choice || said.error !== undefined) throw new Error('no answer');
  const { usage } = said;
  const details = objectOrEmpty(usage?.['prompt_tokens_details']);
  const counts = usage && {
    input: numberOrZero(usage['prompt_tokens']),
    // One host counts more cached tokens than the prompt has, another leaves reasoning out of the output.
    cached: Math.min(numberOrZero(details['cached_tokens']), numberOrZero(usage['prompt_tokens'])),
    output: Math.max(
      numberOrZero(usage['completion_tokens']),
      numberOrZero(usage['total_tokens']) - numberOrZero(usage['prompt_tokens']),
    ),
  };
  return {
    ...choice,
    thinking: said.reasoning,
    ending: toAnswerEnding(choice.finish),
    usage: counts,
    seals: [],
  };
}

function parseResponsesAnswer(response: JsonObject): AnswerContent {
  const items = objectsOrEmpty(response['output']);
  const parts = items.flatMap((item) => (item['type'] === 'message' ? objectsOrEmpty(item['content']) : []));
  const reasoning = items.filter(({ type }) => type === 'reasoning');
  const usage = objectOrEmpty(response['usage']);
  const cut = textOrEmpty(objectOrEmpty(response['incomplete_details'])['reason']);
  const calls = items.filter(({ type }) => type === 'function_call');
  return {
    text: joinTextMember(parts, 'text'),
    refusal: joinTextMember(parts, 'refusal'),
    thinking: reasoning.map((item) => joinTextMember(objectsOrEmpty(item['summary']), 'text')).join(''),
    calls: calls.map((item) => ({
      id: textOrEmpty(item['call_id']),
      name: textOrEmpty(item['name']),
      arguments: textOrEmpty(item['arguments']),
    })),
    finish: cut || textOrEmpty(response['status']),
    ending: toAnswerEnding(cut || textOrEmpty(response['status'])),
    usage: {
      input: numberOrZero(usage['input_tokens']),
      cached: numberOrZero(objectOrEmpty(usage['input_tokens_details'])['cached_tokens']),
      output: numberOrZero(usage['output_tokens']),
    },
    seals: reasoning.flatMap((item) => textOrEmpty(item['encrypted_content']) || []),
  };
}

function parseMessagesAnswer(message: JsonObject): AnswerContent {
  const blocks = objectsOrEmpty(message['content']);
  const usage = objectOrEmpty(message['usage']);
  const cached = numberOrZero(usage['cache_read_input_tokens']);
  const written = numberOrZero(usage['cache_creation_input_tokens']);
  const finish = textOrEmpty(message['stop_reason']);
  return {
    text: joinTextMember(blocks, 'text'),
    refusal: '',
    thinking: joinTextMember(blocks, 'thinking'),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map((block) => ({
        id: textOrEmpty(block['id']),
        name: textOrEmpty(block['name']),
        arguments: JSON.stringify(block['input']),
      })),
    finish,
    ending: toAnswerEnding(finish),
    usage: {
      input: numberOrZero(usage['input_tokens']) + cached + written,
      cached,
      output: numberOrZero(usage['output_tokens']),
    },
    seals: blocks.flatMap((block) => textOrEmpty(block['signature']) || textOrEmpty(block['data']) || []),
  };
}

function parseGeminiAnswer(chunks: readonly JsonObject[]): AnswerContent {
  const candidates = chunks.flatMap(({ candidates }) => objectsOrEmpty(candidates));
  const parts = candidates.flatMap(({ content }) => objectsOrEmpty(objectOrEmpty(content)['parts']));
  const usage = Object.assign({}, ...chunks.map(({ usageMetadata }) => objectOrEmpty(usageMetadata)));
  const blocked = chunks.map(({ promptFeedback }) =>
    textOrEmpty(objectOrEmpty(promptFeedback)['blockReason']),
  );
  const finish = candidates
    .map(({ finishReason }) => textOrEmpty(finishReason))
    .findLast((word) => word !== '');
  const calls = parts.map(({ functionCall }) => functionCall).filter(isJsonObject);
  return {
    text: joinTextMember(
      parts.filter(({ thought }) => thought !== true),
      'text',
    ),
    refusal: '',
    thinking: joinTextMember(
      parts.filter(({ thought }) => thought === true),
      'text',
    ),
    calls: calls.map(({ id, name, args }) => ({
      id: textOrEmpty(id),
      name: textOrEmpty(name),
      arguments: JSON.stringify(args ?? {}),
    })),
    finish: finish ?? blocked.join(''),
    ending: blocked.join('') === '' ? toAnswerEnding(finish ?? '') : 'refusal',
    usage: {
      input: numberOrZero(usage.promptTokenCount) + numberOrZero(usage.toolUsePromptTokenCount),
      cached: numberOrZero(usage.cachedContentTokenCount),
      output: numberOrZero(usage.candidatesTokenCount) + numberOrZero(usage.thoughtsTokenCount),
    },
    seals: parts.flatMap(({ thoughtSignature }) => textOrEmpty(thoughtSignature) || []),
  };
}

/** The message a Messages stream builds up to. */
export function assembleMessage(events: readonly JsonObject[]): JsonObject {
  const message: Record<string, unknown> = {};
  const blocks: Record<string, unknown>[] = [];
  const json: string[] = [];
  for (const event of events) {
    const { type, delta } = event;
    const at = numberOrZero(event['index']);
    if (type === 'message_start') Object.assign(message, objectOrEmpty(event['message']));
    if (type === 'content_block_start') blocks[at] = { ...objectOrEmpty(event['content_block']) };
    const block = blocks[at];
    if (type === 'content_block_delta' && isJsonObject(delta) && block) {
      for (const name of ['text', 'thinking', 'signature'] as const)
        if (delta[name] !== undefined) block[name] = textOrEmpty(block[name]) + textOrEmpty(delta[name]);
      json[at] = (json[at] ?? '') + textOrEmpty(delta['partial_json']);
    }
    if (type === 'message_delta') {
      Object.assign(message, objectOrEmpty(delta));
      message['usage'] = { ...objectOrEmpty(message['usage']), ...objectOrEmpty(event['usage']) };
    }
  }
  for (const [at, text] of json.entries())
    if (text) Object.assign(blocks[at] ?? {}, { input: JSON.parse(text) });
  return objectOrEmpty({ ...message, content: blocks });
}

export function toAnswerEnding(finish: string): AnswerEnding {
  return ENDINGS[finish] ?? 'stop';
}

export function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function objectsOrEmpty(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function joinTextMember(parts: readonly JsonObject[], member: string): string {
  return parts.map((part) => textOrEmpty(part[member])).join('');
}

export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOrZero(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
