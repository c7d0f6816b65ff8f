import type { JsonObject } from '@floe/contract/json';
import type { BlockOpenEvent } from '../events.ts';

/** The item being written; a message may hold several parts, of which the last is open. */
export interface OpenOutputItem {
  readonly index: number;
  readonly id: string;
  readonly kind: 'message' | 'reasoning' | 'tool';
  readonly open: BlockOpenEvent;
  readonly parts: JsonObject[];
  partKind: 'text' | 'refusal' | undefined;
  text: string;
}

/** Family of the events about a call's input. */
export function callEventPrefix(open: BlockOpenEvent): string {
  return open.freeform ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
}

/** A content part of a message as it stands. */
export function writeOutputPart(kind: 'text' | 'refusal', text: string): JsonObject {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}
