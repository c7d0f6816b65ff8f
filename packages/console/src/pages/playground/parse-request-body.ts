import { isJsonObject } from '@floe/contract/json';
import { type BodyMessagePart, parseBodyJson, parseBodyMessages } from '../requests/body-messages.ts';
import type { PlaygroundMessage, PlaygroundPrompt } from './chat-request.ts';

/**
 * Converts the text of a stored request body to a prompt and the requested model. Returns null if the format is
 * not supported.
 */
export function parseRequestBodyAsPrompt(
  text: string,
): { readonly prompt: Partial<PlaygroundPrompt>; readonly model: string } | null {
  const body = parseBodyJson(text);
  const said = parseBodyMessages(text);
  if (!isJsonObject(body) || !said) return null;
  const { model, temperature, tools } = body;
  const most = body['max_tokens'] ?? body['max_completion_tokens'] ?? body['max_output_tokens'];
  const isSystem = (role: string) => role === 'system' || role === 'developer';
  const system = said.filter(({ role }) => isSystem(role)).map(({ parts }) => textOfParts(parts));
  const turns = said.filter(({ role }) => !isSystem(role)).flatMap(({ role, parts }) => turnsOf(role, parts));
  return {
    model: typeof model === 'string' ? model : '',
    prompt: {
      system: system.join('\n\n'),
      turns,
      temperature: typeof temperature === 'number' ? String(temperature) : '',
      maxTokens: typeof most === 'number' ? String(most) : '',
      // Only tools in the Chat Completions format are supported by the playground.
      tools:
        Array.isArray(tools) && tools.every((tool) => isJsonObject(tool) && isJsonObject(tool['function']))
          ? JSON.stringify(tools, null, 2)
          : '',
    },
  };
}

function turnsOf(role: string, parts: readonly BodyMessagePart[]): PlaygroundMessage[] {
  const results = parts.flatMap((part): PlaygroundMessage[] =>
    part.kind === 'result' ? [{ role: 'tool', text: part.text, callId: part.id }] : [],
  );
  const calls = parts.flatMap((part) =>
    part.kind === 'call' ? [{ id: part.id, name: part.name, args: part.args }] : [],
  );
  const text = textOfParts(parts);
  const spoken: PlaygroundMessage[] =
    text === '' && calls.length === 0
      ? []
      : [{ role: role === 'assistant' ? 'assistant' : 'user', text, ...(calls.length > 0 ? { calls } : {}) }];
  return [...results, ...spoken];
}

function textOfParts(parts: readonly BodyMessagePart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
