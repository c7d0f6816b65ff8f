import { NameTable } from '../name-table.ts';

/** Members of chunks, choices, vendors' envelopes and deltas that mean something to the gateway. */
export const CHUNK_MEMBERS = new NameTable([
  'id',
  'model',
  'choices',
  'usage',
  'error',
  'object',
  'message',
  'detail',
  'base_resp',
  'service_tier',
]);
export const CHOICE_MEMBERS = new NameTable(['index', 'delta', 'message', 'finish_reason', 'usage']);
export const VENDOR_MEMBERS = new NameTable(['usage', 'status_code']);
export const DELTA_MEMBERS = new NameTable([
  'content',
  'tool_calls',
  'function_call',
  'refusal',
  'audio',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
]);

/** Members of a message, or of a piece of one, that are reasoning. */
export const REASONING_MEMBERS: ReadonlySet<string> = new Set([
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
]);
