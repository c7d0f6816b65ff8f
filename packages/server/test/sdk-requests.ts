// One question in the words of each surface, put by the official client, and what the client made of the answer.
import assert from 'node:assert/strict';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Response } from 'openai/resources/responses/responses';
import type { TokenCounts } from './answer-content.ts';
import type { ClientSurface, DialectGateway } from './dialect-gateway.ts';
import type { RecordedToolCall } from './recorded-chat.ts';

/** What a question needs of its answer. */
export type RequestedFeature = 'text' | 'tools' | 'thinking' | 'structured' | 'image';

export interface SdkQuestion {
  readonly surface: ClientSurface;
  readonly model: string;
  readonly feature: RequestedFeature;
  readonly isStream: boolean;
}

/** What the official client read; `finish` in the words of its surface. */
export interface SdkAnswer {
  readonly text: string;
  readonly refusal: string;
  readonly thinking: string;
  readonly calls: readonly RecordedToolCall[];
  readonly finish: string;
  readonly usage: TokenCounts;
}

export const PIXEL_PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
export const QUESTION_TEXT = 'How thick is the ice? «é 😀 \u2028»';
const OBJECT = { type: 'object' as const, properties: {} };
const SCHEMA = {
  type: 'object' as const,
  properties: { metres: { type: 'number' } },
  required: ['metres'],
  additionalProperties: false,
};
const TOOLS = ['look_up', 'measure', 'now'];

type ChatParams = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;
type ResponsesParams = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>;
type MessagesParams = Omit<Anthropic.MessageCreateParamsNonStreaming, 'stream'>;

/** Puts the question through the surface's official client, as a stream or not. */
export async function askWithSdk(
  harness: DialectGateway,
  { surface, model, feature, isStream }: SdkQuestion,
): Promise<SdkAnswer> {
  if (surface === 'chat') return askChat(harness, buildChatRequest(model, feature), isStream);
  if (surface === 'responses') return askResponses(harness, buildResponsesRequest(model, feature), isStream);
  return askMessages(harness, buildMessagesRequest(model, feature), isStream);
}

async function askChat({ openai }: DialectGateway, body: ChatParams, isStream: boolean): Promise<SdkAnswer> {
  if (!isStream) return readChatCompletion(await openai.chat.completions.create(body));
  const stream = openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
  return readChatCompletion(await stream.finalChatCompletion());
}

async function askResponses(
  { openai }: DialectGateway,
  body: ResponsesParams,
  isStream: boolean,
): Promise<SdkAnswer> {
  if (!isStream) return readSdkResponse(await openai.responses.create(body));
  return readSdkResponse(await openai.responses.stream(body).finalResponse());
}

async function askMessages(
  { anthropic }: DialectGateway,
  body: MessagesParams,
  isStream: boolean,
): Promise<SdkAnswer> {
  if (!isStream) return readSdkMessage(await anthropic.messages.create(body));
  return readSdkMessage(await anthropic.messages.stream(body).finalMessage());
}

export function buildChatRequest(model: string, want: RequestedFeature): ChatParams {
  const image = {
    type: 'image_url' as const,
    image_url: { url: `data:image/png;base64,${PIXEL_PNG_BASE64}` },
  };
  const content = want === 'image' ? [{ type: 'text' as const, text: QUESTION_TEXT }, image] : QUESTION_TEXT;
  return {
    model,
    messages: [{ role: 'user', content }],
    ...(want === 'tools' && {
      tools: TOOLS.map((name) => ({ type: 'function' as const, function: { name, parameters: OBJECT } })),
    }),
    ...(want === 'thinking' && { reasoning_effort: 'low' as const }),
    ...(want === 'structured' && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'ice', strict: true, schema: SCHEMA },
      },
    }),
  };
}

export function buildResponsesRequest(model: string, want: RequestedFeature): ResponsesParams {
  const text = { type: 'input_text' as const, text: QUESTION_TEXT };
  const image = {
    type: 'input_image' as const,
    image_url: `data:image/png;base64,${PIXEL_PNG_BASE64}`,
    detail: 'auto' as const,
  };
  return {
    model,
    input: want === 'image' ? [{ role: 'user', content: [text, image] }] : QUESTION_TEXT,
    ...(want === 'tools' && {
      tools: TOOLS.map((name) => ({
        type: 'function' as const,
        name,
        parameters: OBJECT,
        strict: false,
      })),
    }),
    ...(want === 'thinking' && { reasoning: { effort: 'low' as const, summary: 'auto' as const } }),
    ...(want === 'structured' && {
      text: { format: { type: 'json_schema' as const, name: 'ice', strict: true, schema: SCHEMA } },
    }),
  };
}

export function buildMessagesRequest(model: string, want: RequestedFeature): MessagesParams {
  const text = { type: 'text' as const, text: QUESTION_TEXT };
  const image = {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL_PNG_BASE64 },
  };
  return {
    model,
    max_tokens: 4096,
    messages: [{ role: 'user', content: want === 'image' ? [text, image] : QUESTION_TEXT }],
    ...(want === 'tools' && { tools: TOOLS.map((name) => ({ name, input_schema: OBJECT })) }),
    ...(want === 'thinking' && { thinking: { type: 'enabled' as const, budget_tokens: 1024 } }),
    ...(want === 'structured' && {
      output_config: { format: { type: 'json_schema' as const, schema: SCHEMA } },
    }),
  };
}

function readChatCompletion({ choices, usage }: ChatCompletion): SdkAnswer {
  const [choice] = choices;
  assert.ok(choice && choices.length === 1);
  const { message } = choice;
  return {
    text: message.content ?? '',
    refusal: message.refusal ?? '',
    thinking: JSON.stringify(message).includes('reasoning') ? 'reasoning in Chat' : '',
    calls: (message.tool_calls ?? []).map((call) => {
      assert.ok(call.type === 'function');
      return { id: call.id, name: call.function.name, arguments: call.function.arguments };
    }),
    finish: choice.finish_reason,
    usage: {
      input: usage?.prompt_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
    },
  };
}

function readSdkResponse(response: Response): SdkAnswer {
  const { output, usage } = response;
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const summaries = output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
  const calls = output.filter((item) => item.type === 'function_call');
  const reason = response.incomplete_details?.reason;
  return {
    text: response.output_text,
    refusal: parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
    thinking: summaries.map(({ text }) => text).join(''),
    calls: calls.map((item) => ({ id: item.call_id, name: item.name, arguments: item.arguments })),
    finish: reason === undefined ? `${response.status}` : `${response.status}: ${reason}`,
    usage: {
      input: usage?.input_tokens ?? 0,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
    },
  };
}

function readSdkMessage({ content, stop_reason, usage }: Anthropic.Message): SdkAnswer {
  const cached = usage.cache_read_input_tokens ?? 0;
  const calls = content.filter((block) => block.type === 'tool_use');
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    refusal: '',
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: calls.map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
    finish: `${stop_reason}`,
    usage: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      cached,
      output: usage.output_tokens,
    },
  };
}
