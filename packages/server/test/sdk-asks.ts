// One question in the words of each surface, put by the official client, and what the client made of the answer.
import assert from 'node:assert/strict';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Response } from 'openai/resources/responses/responses';
import type { Counts } from './answers-said.ts';
import type { House, Surface } from './house-of-dialects.ts';
import type { Call } from './recorded-chat.ts';

/** What a question needs of its answer. */
export type Want = 'text' | 'tools' | 'thinking' | 'structured' | 'image';

export interface Question {
  readonly surface: Surface;
  readonly model: string;
  readonly want: Want;
  readonly isStream: boolean;
}

/** What the official client read; `finish` in the words of its surface. */
export interface Seen {
  readonly text: string;
  readonly refusal: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  readonly finish: string;
  readonly usage: Counts;
}

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
export const QUESTION = 'How thick is the ice? «é 😀 \u2028»';
const OBJECT = { type: 'object' as const, properties: {} };
const SCHEMA = {
  type: 'object' as const,
  properties: { metres: { type: 'number' } },
  required: ['metres'],
  additionalProperties: false,
};
const TOOLS = ['look_up', 'measure', 'now'];

type ChatAsk = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;
type ResponsesAsk = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>;
type MessagesAsk = Omit<Anthropic.MessageCreateParamsNonStreaming, 'stream'>;

/** Puts the question through the surface's official client, as a stream or not. */
export async function ask(house: House, { surface, model, want, isStream }: Question): Promise<Seen> {
  if (surface === 'chat') return askChat(house, chatAsk(model, want), isStream);
  if (surface === 'responses') return askResponses(house, responsesAsk(model, want), isStream);
  return askMessages(house, messagesAsk(model, want), isStream);
}

async function askChat({ openai }: House, body: ChatAsk, isStream: boolean): Promise<Seen> {
  if (!isStream) return seenInChat(await openai.chat.completions.create(body));
  const stream = openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
  return seenInChat(await stream.finalChatCompletion());
}

async function askResponses({ openai }: House, body: ResponsesAsk, isStream: boolean): Promise<Seen> {
  if (!isStream) return seenInResponse(await openai.responses.create(body));
  return seenInResponse(await openai.responses.stream(body).finalResponse());
}

async function askMessages({ anthropic }: House, body: MessagesAsk, isStream: boolean): Promise<Seen> {
  if (!isStream) return seenInMessage(await anthropic.messages.create(body));
  return seenInMessage(await anthropic.messages.stream(body).finalMessage());
}

export function chatAsk(model: string, want: Want): ChatAsk {
  const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PIXEL}` } };
  const content = want === 'image' ? [{ type: 'text' as const, text: QUESTION }, image] : QUESTION;
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

export function responsesAsk(model: string, want: Want): ResponsesAsk {
  const text = { type: 'input_text' as const, text: QUESTION };
  const image = {
    type: 'input_image' as const,
    image_url: `data:image/png;base64,${PIXEL}`,
    detail: 'auto' as const,
  };
  return {
    model,
    input: want === 'image' ? [{ role: 'user', content: [text, image] }] : QUESTION,
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

export function messagesAsk(model: string, want: Want): MessagesAsk {
  const text = { type: 'text' as const, text: QUESTION };
  const image = {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL },
  };
  return {
    model,
    max_tokens: 4096,
    messages: [{ role: 'user', content: want === 'image' ? [text, image] : QUESTION }],
    ...(want === 'tools' && { tools: TOOLS.map((name) => ({ name, input_schema: OBJECT })) }),
    ...(want === 'thinking' && { thinking: { type: 'enabled' as const, budget_tokens: 1024 } }),
    ...(want === 'structured' && {
      output_config: { format: { type: 'json_schema' as const, schema: SCHEMA } },
    }),
  };
}

function seenInChat({ choices, usage }: ChatCompletion): Seen {
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

function seenInResponse(response: Response): Seen {
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

function seenInMessage({ content, stop_reason, usage }: Anthropic.Message): Seen {
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
