import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import {
  type BodyMessage,
  type BodyMessagePart,
  joinTexts,
  parseBodyJson,
  parseBodyMessages,
} from '../requests/body-messages.ts';
import { NEW_PLAYGROUND_PROMPT, type PlaygroundMessage, type PlaygroundPrompt } from './chat-request.ts';
import { playgroundText } from './text.ts';

/** A prompt that was loaded from a stored request body. */
export interface LoadedPrompt {
  readonly prompt: Partial<PlaygroundPrompt>;
  readonly model: string;
  /** The fields and parts of the body that the prompt does not contain. */
  readonly notLoaded: readonly string[];
}

/** Fields that the prompt contains, and fields that have no effect on the response. */
const LOADED_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'input',
  'system',
  'instructions',
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'stream',
  'stream_options',
]);

/**
 * Converts the text of a stored request body to a prompt and the requested model. Returns null if the format is
 * not supported.
 */
export function parseRequestBodyAsPrompt(text: string): LoadedPrompt | null {
  const body = parseBodyJson(text);
  const said = parseBodyMessages(text);
  if (!isJsonObject(body) || !said) return null;
  const { model, temperature } = body;
  const most = body['max_tokens'] ?? body['max_completion_tokens'] ?? body['max_output_tokens'];
  const turns = said
    .filter((message) => !isSystem(message))
    .flatMap(({ role, parts }) => turnsOf(role, parts));
  const tools = parseTools(body['tools']);
  const format = parseFormat(body);
  return {
    model: typeof model === 'string' ? model : '',
    prompt: {
      system: said
        .filter(isSystem)
        .map(({ parts }) => joinTexts(parts))
        .join('\n\n'),
      turns: turns.length === 0 ? NEW_PLAYGROUND_PROMPT.turns : turns,
      temperature: typeof temperature === 'number' ? String(temperature) : '',
      maxTokens: typeof most === 'number' ? String(most) : '',
      tools: tools ?? '',
      ...format?.values,
    },
    notLoaded: [
      ...listNotLoaded(body, said, [
        ...(tools === null ? [] : ['tools']),
        ...(format === null ? [] : [format.field]),
      ]),
      ...(format?.notLoaded ?? []),
    ],
  };
}

const isSystem = ({ role }: BodyMessage) => role === 'system' || role === 'developer';

/** Lists the fields of the body, and then the kinds of content parts, that the prompt does not contain. */
function listNotLoaded(
  body: JsonObject,
  said: readonly BodyMessage[],
  loaded: readonly string[],
): readonly string[] {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    value === null || LOADED_FIELDS.has(name) || loaded.includes(name) ? [] : [name],
  );
  const parts = said.flatMap((message) =>
    message.parts.flatMap((part) => {
      if (part.kind === 'result') return part.others.map(({ description }) => description);
      if (part.kind !== 'other' || (message.role === 'user' && imageOf(part.part) !== null)) return [];
      return [part.description];
    }),
  );
  const firstTurn = said.findIndex((message) => !isSystem(message));
  const isMoved = firstTurn !== -1 && said.slice(firstTurn).some(isSystem);
  return [...fields, ...parts, ...(isMoved ? [playgroundText.load.systemPosition] : [])];
}

/** Returns the tools as the form shows them. Null if the playground does not support their format. */
function parseTools(tools: Json | undefined): string | null {
  if (!Array.isArray(tools)) return null;
  if (tools.length === 0) return '';
  // Only tools in the Chat Completions format are supported by the playground.
  const isSupported = tools.every((tool) => isJsonObject(tool) && isJsonObject(tool['function']));
  return isSupported ? JSON.stringify(tools, null, 2) : null;
}

/** The format of the response in the form. */
interface LoadedFormat {
  /** The field of the body that contains the format. */
  readonly field: string;
  readonly values: Pick<PlaygroundPrompt, 'json' | 'schema'>;
  /** The members of the format that the form does not contain. */
  readonly notLoaded: readonly string[];
}

/** Members of a JSON Schema format that the form contains, and the name, which has no effect on the response. */
const LOADED_FORMAT_MEMBERS: ReadonlySet<string> = new Set(['type', 'name', 'schema']);

/** Returns the format of the response. Null if the body has none, or none that the form supports. */
function parseFormat(body: JsonObject): LoadedFormat | null {
  const { response_format: chat, text } = body;
  const isResponses = isJsonObject(text) && Object.keys(text).every((name) => name === 'format');
  const format = isResponses ? (text['format'] ?? null) : chat;
  if (!isJsonObject(format)) return null;
  const { type } = format;
  const field = isResponses ? 'text' : 'response_format';
  if (type === 'text' || type === 'json_object')
    return { field, values: { json: type === 'json_object', schema: '' }, notLoaded: [] };
  const wanted = isResponses ? format : format['json_schema'];
  if (type !== 'json_schema' || !isJsonObject(wanted) || !isJsonObject(wanted['schema'])) return null;
  const path = isResponses ? 'text.format' : 'response_format.json_schema';
  return {
    field,
    values: { json: true, schema: JSON.stringify(wanted['schema'], null, 2) },
    notLoaded: Object.entries(wanted).flatMap(([name, value]) =>
      value === null || LOADED_FORMAT_MEMBERS.has(name) ? [] : [`${path}.${name}`],
    ),
  };
}

function turnsOf(role: string, parts: readonly BodyMessagePart[]): PlaygroundMessage[] {
  const results = parts.flatMap((part): PlaygroundMessage[] =>
    part.kind === 'result' ? [{ role: 'tool', text: part.text, callId: part.id }] : [],
  );
  const calls = parts.flatMap((part) =>
    part.kind === 'call' ? [{ id: part.id, name: part.name, args: part.args }] : [],
  );
  const images =
    role === 'user' ? parts.flatMap((part) => (part.kind === 'other' ? imageOf(part.part) : null) ?? []) : [];
  const text = joinTexts(parts);
  const spoken: PlaygroundMessage[] =
    text === '' && calls.length === 0 && images.length === 0
      ? []
      : [
          {
            role: role === 'assistant' ? 'assistant' : 'user',
            text,
            ...(images.length > 0 ? { images } : {}),
            ...(calls.length > 0 ? { calls } : {}),
          },
        ];
  return [...results, ...spoken];
}

/** Returns the image of a content part as a `data:` URL. Null for images at other URLs and for other parts. */
function imageOf({ image_url: image, source }: JsonObject): string | null {
  const url = isJsonObject(image) ? image['url'] : image;
  if (typeof url === 'string') return url.startsWith('data:image/') ? url : null;
  if (!isJsonObject(source) || source['type'] !== 'base64') return null;
  const { media_type: type, data } = source;
  return typeof type === 'string' && type.startsWith('image/') && typeof data === 'string'
    ? `data:${type};base64,${data}`
    : null;
}
