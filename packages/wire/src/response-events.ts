import type { Fault } from '@floe/contract/faults';
import type { FinishReason } from './finish-reason.ts';
import type { Usage } from './usage.ts';

/** The name of a dialect. */
export type DialectName = 'chat' | 'responses' | 'messages' | 'gemini' | 'converse' | 'cohere';

/**
 * Opaque data that a provider requires in the next request: a thinking signature, redacted
 * thinking, encrypted reasoning, a thought signature, or signed reasoning details. Only a provider of the same
 * dialect can read it. It is accepted only by the vendor and credential that created it (`origin`).
 */
export interface Seal {
  readonly dialect: DialectName;
  readonly value: string;
  /** The seal replaces the reasoning text, which the vendor does not return. */
  readonly redacted?: true | undefined;
  readonly origin?: string | undefined;
}

/** The kind of a response block. */
export type BlockKind = 'text' | 'refusal' | 'reasoning' | 'tool';

/**
 * An event of a response. The order is `start`, the blocks, the last `usage`, and then `finish` or
 * `error`. Each block consists of `open`, any number of `delta` events, and `close`. The deltas of a
 * tool block are fragments of JSON arguments, or raw text if the tool is freeform. Only reasoning
 * blocks have seals. If a provider returns a seal for another block, an empty reasoning block with
 * that seal precedes the other block.
 */
export type ResponseEvent =
  | { readonly type: 'start'; readonly id: string; readonly model: string }
  | BlockOpenEvent
  | { readonly type: 'delta'; readonly block: number; readonly text: string }
  | { readonly type: 'close'; readonly block: number; readonly seal?: Seal | undefined }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly raw: string }
  | { readonly type: 'error'; readonly fault: Fault }
  | DroppedFieldEvent;

/** The event that reports a field of the response that was dropped. */
export interface DroppedFieldEvent {
  readonly type: 'dropped';
  readonly field: string;
  /** Whether the field is a part of the answer, such as an image, and not information about one. */
  readonly isContent?: true | undefined;
}

/** The event that opens a block. */
export interface BlockOpenEvent {
  readonly type: 'open';
  readonly block: number;
  readonly kind: BlockKind;
  /** Call id and tool name. Always present for a tool block. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** Whether the input of the call is raw text rather than JSON. */
  readonly freeform?: true | undefined;
}

/** A callback that a response reader calls with each event of the response, in order. */
export type EmitResponseEvent = (event: ResponseEvent) => void;
