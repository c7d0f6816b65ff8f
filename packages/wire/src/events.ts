import type { Fault } from '@floe/contract/faults';
import type { FinishReason } from './finish.ts';
import type { UpstreamFault } from './upstream-fault.ts';
import type { Usage } from './usage.ts';

export type DialectName = 'chat' | 'responses' | 'messages' | 'gemini' | 'converse' | 'cohere';

/**
 * Opaque proof of reasoning that its maker wants back: a thinking signature, redacted thinking,
 * encrypted reasoning, a thought signature, signed reasoning details. Only the dialect it was made in
 * can read it, and only the vendor and credential (`origin`) that made it accepts it.
 */
export interface Seal {
  readonly dialect: DialectName;
  readonly value: string;
  /** The proof stands for the reasoning itself, whose text the vendor withholds. */
  readonly redacted?: true | undefined;
  readonly origin?: string | undefined;
}

export type BlockKind = 'text' | 'refusal' | 'reasoning' | 'tool';

/**
 * One answer as a sequence: `start`, blocks (each `open`, `delta`…, `close`), the last `usage`, and
 * `finish` or `error` as the very last event. A tool block's deltas are fragments of argument JSON (raw
 * text for a freeform tool). Seals stand on reasoning blocks only; a vendor that seals other parts gets
 * an empty reasoning block in front of them.
 */
export type AnswerEvent =
  | { readonly type: 'start'; readonly id: string; readonly model: string }
  | BlockOpenEvent
  | { readonly type: 'delta'; readonly block: number; readonly text: string }
  | { readonly type: 'close'; readonly block: number; readonly seal?: Seal | undefined }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly raw: string }
  | { readonly type: 'error'; readonly fault: Fault; readonly upstream?: UpstreamFault | undefined }
  | { readonly type: 'dropped'; readonly field: string };

export interface BlockOpenEvent {
  readonly type: 'open';
  readonly block: number;
  readonly kind: BlockKind;
  /** Call id and tool name; always there on a tool block. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The call's input is raw text, not JSON. */
  readonly freeform?: true | undefined;
}

export type EmitAnswerEvent = (event: AnswerEvent) => void;
