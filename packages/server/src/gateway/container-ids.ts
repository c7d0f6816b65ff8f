import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { asArray } from '@floe/wire/json-narrowing';

/**
 * Returns the ids of the containers in which a provider ran code, from a Responses or Messages response or from an
 * event of its stream. Ignores the arguments of tools, which the model writes.
 */
export function findContainerIds(value: unknown): string[] {
  if (!isJsonObject(value)) return [];
  const { response, message, delta, item } = value;
  const ids = [value, response, message, delta].flatMap((part) =>
    isJsonObject(part) ? idsOfResponse(part) : [],
  );
  return item === undefined ? ids : [...ids, ...idOfItem(item)];
}

function idsOfResponse({ container, output }: JsonObject): string[] {
  const ids = asArray(output).flatMap(idOfItem);
  const id = isJsonObject(container) ? container['id'] : undefined;
  return typeof id === 'string' && id !== '' ? [...ids, id] : ids;
}

/** Returns the container of an output item of the Responses API. */
function idOfItem(item: Json | undefined): string[] {
  if (!isJsonObject(item) || item['type'] !== 'code_interpreter_call') return [];
  const id = item['container_id'];
  return typeof id === 'string' && id !== '' ? [id] : [];
}
