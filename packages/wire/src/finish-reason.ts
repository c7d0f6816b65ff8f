/**
 * Why a response ended. The values are the same for all providers. With `other`, the response can be
 * incomplete: the provider paused, or it sent a value that Floe does not know.
 */
export type FinishReason = 'stop' | 'length' | 'tool' | 'refusal' | 'other';

/** The finish reason and the provider's original value. */
export interface ResponseFinish {
  readonly reason: FinishReason;
  readonly raw: string;
}

/** All known spellings in lower case. Providers also differ in case. */
const ALIASES: ReadonlyMap<string, FinishReason> = new Map([
  ...spellingsOf('stop', ['stop', 'end_turn', 'stop_sequence', 'complete', 'completed', 'eos', 'eos_token']),
  ...spellingsOf('length', [
    'length',
    'max_tokens',
    'max_output_tokens',
    'model_length',
    'model_context_window_exceeded',
  ]),
  ...spellingsOf('tool', ['tool_calls', 'function_call', 'tool_use', 'tool_call']),
  ...spellingsOf('refusal', [
    'content_filter',
    'content_filtered',
    'refusal',
    'guardrail_intervened',
    'sensitive',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'image_safety',
    'model_armor',
    'language',
    'image_prohibited_content',
    'image_recitation',
  ]),
]);

/** Values with which providers state that there is no finish reason yet. */
const NO_FINISH_REASONS = new Set(['', 'null', 'FINISH_REASON_UNSPECIFIED']);

/**
 * Returns the provider's finish reason from a member of a response. Returns undefined if the value is not a string, or
 * is one that providers send until the response is complete: an empty string, `null` or `FINISH_REASON_UNSPECIFIED`.
 * @example
 * readRawFinishReason('stop'); // 'stop'
 * readRawFinishReason('null'); // undefined
 * readRawFinishReason('FINISH_REASON_UNSPECIFIED'); // undefined
 */
export function readRawFinishReason(value: unknown): string | undefined {
  return typeof value === 'string' && !NO_FINISH_REASONS.has(value) ? value : undefined;
}

/**
 * Converts a provider's finish reason to Floe's. Pauses and unknown values become `other`.
 * @example
 * parseFinishReason('max_tokens'); // { reason: 'length', raw: 'max_tokens' }
 */
export function parseFinishReason(raw: string): ResponseFinish {
  return { reason: ALIASES.get(raw.toLowerCase()) ?? 'other', raw };
}

/**
 * Returns whether the response is complete, with or without tool calls.
 * @example
 * isCompleteFinish('length'); // false
 */
export function isCompleteFinish(reason: FinishReason): boolean {
  return reason === 'stop' || reason === 'tool';
}

/** The reason with the higher number counts, so that an incomplete response never looks complete. */
const PRECEDENCE: Readonly<Record<FinishReason, number>> = {
  stop: 0,
  tool: 0,
  length: 1,
  other: 2,
  refusal: 3,
};

/**
 * Returns the finish reason of a response with several. A reason for an incomplete response counts, wherever it is, and
 * a refusal counts most. Of two equal reasons, the earlier one counts.
 * @param raw The provider's value, or undefined if it sent none.
 * @example
 * mergeFinishReason(parseFinishReason('length'), 'stop'); // { reason: 'length', raw: 'length' }
 * mergeFinishReason(parseFinishReason('stop'), 'length'); // { reason: 'length', raw: 'length' }
 */
export function mergeFinishReason(
  earlier: ResponseFinish | undefined,
  raw: string | undefined,
): ResponseFinish | undefined {
  if (raw === undefined) return earlier;
  const later = parseFinishReason(raw);
  return earlier && PRECEDENCE[earlier.reason] >= PRECEDENCE[later.reason] ? earlier : later;
}

/**
 * Returns whether the provider is still generating the response. Only Responses clients can wait for such a response.
 * @example
 * isGenerationInProgress({ reason: 'other', raw: 'in_progress' }); // true
 */
export function isGenerationInProgress({ raw }: ResponseFinish): boolean {
  return raw === 'queued' || raw === 'in_progress';
}

function spellingsOf(reason: FinishReason, names: readonly string[]): [string, FinishReason][] {
  return names.map((name) => [name, reason]);
}
