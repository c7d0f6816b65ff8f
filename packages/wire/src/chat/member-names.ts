import { NameTable } from '../name-table.ts';

/** The members of chunks that the gateway reads. */
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
/** The members of choices that the gateway reads. */
export const CHOICE_MEMBERS = new NameTable(['index', 'delta', 'message', 'finish_reason', 'usage']);
/** The members of vendor objects that the gateway reads. */
export const VENDOR_MEMBERS = new NameTable(['usage', 'status_code']);
/** The members of deltas that the gateway reads. */
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

/** Members of a message or delta that contain reasoning. */
export const REASONING_MEMBERS: ReadonlySet<string> = new Set([
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
]);
