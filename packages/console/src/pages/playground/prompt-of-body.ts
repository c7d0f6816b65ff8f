import { isObject } from '@floe/contract/json';
import { conversationIn, type Part, parsed } from '../requests/body-messages.ts';
import type { Prompt, Turn } from './chat-request.ts';

/** A kept request as a prompt of the playground, and the model it asked for. Null when it is none that is understood. */
export function promptOfBody(
  text: string,
): { readonly prompt: Partial<Prompt>; readonly model: string } | null {
  const body = parsed(text);
  const said = conversationIn(text);
  if (!isObject(body) || !said) return null;
  const { model, temperature, tools } = body;
  const most = body['max_tokens'] ?? body['max_completion_tokens'] ?? body['max_output_tokens'];
  const isSystem = (role: string) => role === 'system' || role === 'developer';
  const system = said.filter(({ role }) => isSystem(role)).map(({ parts }) => wordsOf(parts));
  const turns = said.filter(({ role }) => !isSystem(role)).flatMap(({ role, parts }) => turnsOf(role, parts));
  return {
    model: typeof model === 'string' ? model : '',
    prompt: {
      system: system.join('\n\n'),
      turns,
      temperature: typeof temperature === 'number' ? String(temperature) : '',
      maxTokens: typeof most === 'number' ? String(most) : '',
      // Tools of the other surfaces have another shape; those of Chat go along as they are.
      tools:
        Array.isArray(tools) && tools.every((tool) => isObject(tool) && isObject(tool['function']))
          ? JSON.stringify(tools, null, 2)
          : '',
    },
  };
}

function turnsOf(role: string, parts: readonly Part[]): Turn[] {
  const results = parts.flatMap((part): Turn[] =>
    part.kind === 'result' ? [{ role: 'tool', text: part.text, callId: part.id }] : [],
  );
  const calls = parts.flatMap((part) =>
    part.kind === 'call' ? [{ id: part.id, name: part.name, args: part.args }] : [],
  );
  const text = wordsOf(parts);
  const spoken: Turn[] =
    text === '' && calls.length === 0
      ? []
      : [{ role: role === 'assistant' ? 'assistant' : 'user', text, ...(calls.length > 0 ? { calls } : {}) }];
  return [...results, ...spoken];
}

function wordsOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
