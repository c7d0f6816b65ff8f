import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { asArray } from '@floe/wire/json-narrowing';

/** Matches the text of events and responses that may contain a call of a hosted tool. */
const HOSTED_CALL_PATTERN = /"type"\s*:\s*"(?:\w+_call|server_tool_use|mcp_tool_use)"/;
/** The types of tool calls that the caller runs, not the provider. Response readers return them as tool calls. */
const OWN_CALL_TYPES: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call']);

/** Returns whether `listHostedToolNames` may find a call in a JSON text. */
export function mayContainHostedToolCalls(json: string): boolean {
  return HOSTED_CALL_PATTERN.test(json);
}

/**
 * Returns the names of the tools that the provider ran, in a complete response or an event of Responses or Messages:
 * the type of the tool, such as `web_search`, and the name of a tool of an MCP server.
 */
export function listHostedToolNames(body: Json | undefined): string[] {
  if (!isJsonObject(body)) return [];
  const { output, content, item, content_block: block, response } = body;
  const items = [...asArray(output), ...asArray(content), item, block].filter(isJsonObject);
  return [...items.flatMap(namesOfCall), ...listHostedToolNames(response)];
}

function namesOfCall({ type, name }: JsonObject): string[] {
  const named = typeof name === 'string' ? [name] : [];
  if (type === 'server_tool_use' || type === 'mcp_tool_use') return named;
  if (typeof type !== 'string' || !type.endsWith('_call') || OWN_CALL_TYPES.has(type)) return [];
  return [type.slice(0, -'_call'.length), ...named];
}
