import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asObject, asString, isJsonObject } from '../json-narrowing.ts';
import { readTools } from '../read-tools.ts';
import type { ToolDefinition } from '../request.ts';
import { createInvalidFieldFault, type RequestReadContext } from '../request-read-context.ts';

const TOOL_CHANGE_FIELDS = new Set(['type', 'tool']);

/**
 * Returns whether a block of a system message makes a tool available or unavailable.
 * @example
 * isToolChange({ type: 'tool_removal', tool: { type: 'tool_reference', name: 'f' } }); // true
 */
export function isToolChange(block: Json): boolean {
  const type = isJsonObject(block) ? block['type'] : undefined;
  return type === 'tool_addition' || type === 'tool_removal';
}

/**
 * Returns the tools that are available at the end of a conversation. System messages in a conversation in the Messages
 * dialect can add and remove tools. In other dialects, the tools apply to the whole conversation.
 * @example
 * const removal = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'f' } };
 * const tools = [{ kind: 'function', name: 'f', schema: {} }];
 * const draft = new RequestReadContext();
 * applyToolChanges(tools, [{ role: 'system', content: [removal] }], draft, false); // []
 */
export function applyToolChanges(
  tools: readonly ToolDefinition[],
  messages: Json | undefined,
  draft: RequestReadContext,
  dropHosted: boolean,
): readonly ToolDefinition[] {
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const available = new Map(known);
  for (const [index, message] of asArray(messages).entries())
    for (const [position, block] of asArray(asObject(message)?.['content']).entries()) {
      if (!isJsonObject(block) || !isToolChange(block)) continue;
      draft.reportUnknownFields(block, TOOL_CHANGE_FIELDS, 'tool_change.');
      const path = `messages[${index}].content[${position}].tool`;
      for (const tool of readChangedTools(block, path, draft, dropHosted)) {
        if (typeof tool === 'object') known.set(tool.name, tool);
        const found = typeof tool === 'object' ? tool : known.get(tool);
        if (found === undefined) draft.reportDropped('tool_change.tool');
        else if (block['type'] === 'tool_addition') available.set(found.name, found);
        else available.delete(found.name);
      }
    }
  return [...available.values()];
}

/** Returns the name of the tool that a change refers to, or the tools that it defines. A namespace defines several. */
function readChangedTools(
  block: JsonObject,
  path: string,
  draft: RequestReadContext,
  dropHosted: boolean,
): readonly (ToolDefinition | string)[] {
  const { type, name, definition } = asObject(block['tool']) ?? {};
  if (type === 'tool_reference' && typeof name === 'string') return [name];
  if (type === 'tool_definition') {
    if (!isJsonObject(definition))
      throw createInvalidFieldFault(`\`${path}.definition\` must be an object.`, `${path}.definition`);
    return readTools([definition], `${path}.definition`, draft, dropHosted);
  }
  if (dropHosted) draft.reportDropped(`tools.${asString(type)}`);
  else draft.requireFeature('hosted-tool', path);
  return [];
}
