import { JsonMemberNameLookup } from '../json-member-name-lookup.ts';

/** The chunk members that the gateway reads. */
export const CHUNK_MEMBERS = new JsonMemberNameLookup([
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
/** The choice members that the gateway reads. */
export const CHOICE_MEMBERS = new JsonMemberNameLookup([
  'index',
  'delta',
  'message',
  'text',
  'finish_reason',
  'usage',
]);
/** The members of vendor-specific objects that the gateway reads. */
export const VENDOR_MEMBERS = new JsonMemberNameLookup(['usage', 'status_code']);
/** The delta members that the gateway reads. */
export const DELTA_MEMBERS = new JsonMemberNameLookup([
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

/** The members of a message or delta that contain reasoning. */
export const REASONING_MEMBERS: ReadonlySet<string> = new Set([
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
]);
