import type { JsonObject } from '@floe/contract/json';
import type { BlockOpenEvent } from '../response-events.ts';

/**
 * An output item that is being written. A message can have several parts, of which the last one is
 * open.
 */
export interface OpenOutputItem {
  readonly index: number;
  readonly id: string;
  readonly kind: 'message' | 'reasoning' | 'tool';
  readonly open: BlockOpenEvent;
  readonly parts: JsonObject[];
  partKind: 'text' | 'refusal' | undefined;
  text: string;
}

/** Returns the prefix of the event names for a call's input. */
export function getCallEventPrefix(open: BlockOpenEvent): string {
  return open.freeform ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
}

/** Writes one content part of a message. */
export function writeOutputPart(kind: 'text' | 'refusal', text: string): JsonObject {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** Adds the content so far to the object of an item that was cut off. */
export function writeUnfinishedItem(item: OpenOutputItem, object: JsonObject): JsonObject {
  if (item.kind === 'reasoning') return { ...object, summary: [{ type: 'summary_text', text: item.text }] };
  if (item.partKind === undefined) return object;
  return { ...object, content: [...item.parts, writeOutputPart(item.partKind, item.text)] };
}
