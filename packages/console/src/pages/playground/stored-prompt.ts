import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { NEW_PLAYGROUND_PROMPT, type PlaygroundMessage, type PlaygroundPrompt } from './chat-request.ts';

/**
 * Stores the prompt in this browser tab, neither in the URL nor on the server. If it is too large for the storage,
 * for example because of images, nothing is stored.
 * @param key The result of `buildPromptStorageKey`.
 */
export function storePrompt(key: string, prompt: PlaygroundPrompt): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(prompt));
  } catch {
    // Images can exceed the browser’s storage limit. The page also works without a stored prompt.
    sessionStorage.removeItem(key);
  }
}

/** Returns the prompt that is stored in this browser tab under a key, or a new prompt if none is stored. */
export function loadStoredPrompt(key: string): PlaygroundPrompt {
  const value = objectIn(sessionStorage.getItem(key) ?? '');
  return value ? { ...NEW_PLAYGROUND_PROMPT, ...readPrompt(value) } : NEW_PLAYGROUND_PROMPT;
}

function readPrompt(value: JsonObject): Partial<PlaygroundPrompt> {
  const { system, temperature, maxTokens, tools, json, schema, turns } = value;
  return {
    ...(typeof system === 'string' ? { system } : {}),
    ...(typeof temperature === 'string' ? { temperature } : {}),
    ...(typeof maxTokens === 'string' ? { maxTokens } : {}),
    ...(typeof tools === 'string' ? { tools } : {}),
    json: json === true,
    ...(typeof schema === 'string' ? { schema } : {}),
    ...(Array.isArray(turns) ? { turns: turns.filter(isJsonObject).map(readTurn) } : {}),
  };
}

function readTurn({ role, text, images, calls, callId }: JsonObject): PlaygroundMessage {
  return {
    role: role === 'assistant' || role === 'tool' ? role : 'user',
    text: typeof text === 'string' ? text : '',
    images: Array.isArray(images) ? images.filter((url) => typeof url === 'string') : [],
    calls: Array.isArray(calls)
      ? calls
          .filter(isJsonObject)
          .map(({ id, name, args }) => ({ id: String(id), name: String(name), args: String(args) }))
      : [],
    ...(typeof callId === 'string' ? { callId } : {}),
  };
}

function objectIn(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
