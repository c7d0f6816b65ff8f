import type { ToolDefinition } from './request.ts';

const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Returns a short, stable hash of a string (two 32-bit FNV-1a values in base 36). Must not be used for
 * secrets.
 * @example
 * computeStableHash('search'); // '0zkjvzd0obscg2'
 */
export function computeStableHash(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    a = Math.imul(a ^ unit, 0x01000193) >>> 0;
    b = Math.imul(b ^ (unit + index), 0x01000193) >>> 0;
  }
  return a.toString(36).padStart(7, '0') + b.toString(36).padStart(7, '0');
}

/**
 * Returns a tool name that every provider accepts: a letter or `_`, then `[A-Za-z0-9_-]`, at most 64
 * characters.
 * @example
 * toProviderToolName('search'); // 'search'
 * toProviderToolName('web search'); // 'web_search_037axuj0cd8w2u'
 */
export function toProviderToolName(name: string): string {
  if (SAFE_NAME.test(name)) return name;
  const safe = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 48);
  return `${/^[A-Za-z_]/.test(safe) ? '' : '_'}${safe}_${computeStableHash(name)}`;
}

/**
 * Returns the client's tools by the names that providers use for them.
 * @example
 * const tool = { kind: 'function', name: 'web search', schema: {} };
 * indexToolsByProviderName([tool]).get(toProviderToolName('web search')); // tool
 */
export function indexToolsByProviderName(
  tools: readonly ToolDefinition[],
): ReadonlyMap<string, ToolDefinition> {
  return new Map(tools.map((tool) => [toProviderToolName(tool.name), tool]));
}

/** Prefix of generated call ids. If a provider returned no id, no id is sent back to it. */
const GENERATED_ID_PREFIX = 'floecall_';

/**
 * Generates a call id that is stable for an exchange and an index.
 * @example
 * generateCallId('exc1', 0); // 'floecall_exc1_0'
 */
export function generateCallId(exchange: string, index: number): string {
  return `${GENERATED_ID_PREFIX}${exchange}_${index}`;
}

/**
 * Returns whether `generateCallId` generated a call id.
 * @example
 * isGeneratedCallId('floecall_exc1_0'); // true
 */
export function isGeneratedCallId(id: string): boolean {
  return id.startsWith(GENERATED_ID_PREFIX);
}

/**
 * Returns a function that converts call ids to the form that a provider accepts: word characters, at most
 * `max`. A call and its result get the same id.
 * @example
 * const write = createCallIdFormatter(40);
 * write('call_1'); // 'call_1'
 * write('call 1').startsWith('call_'); // true
 */
export function createCallIdFormatter(max: number, own?: (id: string) => string): (id: string) => string {
  if (own) return own;
  return (id) =>
    id.length <= max && id !== '' && /^[A-Za-z0-9_-]+$/.test(id) ? id : `call_${computeStableHash(id)}`;
}
