import type { ToolDefinition } from './request.ts';

const SAFE_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * A short stable name for a text (two 32-bit FNV-1a lanes, base 36): not for secrets.
 *
 * @example
 * stableHash('search'); // '0zkjvzd0obscg2'
 */
export function stableHash(text: string): string {
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
 * A tool name every provider takes: letter or `_` first, then `[A-Za-z0-9_-]`, at most 64.
 *
 * @example
 * toProviderToolName('search'); // 'search'
 * toProviderToolName('web search'); // 'web_search_037axuj0cd8w2u'
 */
export function toProviderToolName(name: string): string {
  if (SAFE_NAME.test(name)) return name;
  const safe = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 48);
  return `${/^[A-Za-z_]/.test(safe) ? '' : '_'}${safe}_${stableHash(name)}`;
}

/**
 * Maps names as a provider answers with them back to the tools as the client declared them.
 *
 * @example
 * const tool = { kind: 'function', name: 'web search', schema: {} };
 * indexToolsByProviderName([tool]).get(toProviderToolName('web search')); // tool
 */
export function indexToolsByProviderName(
  tools: readonly ToolDefinition[],
): ReadonlyMap<string, ToolDefinition> {
  return new Map(tools.map((tool) => [toProviderToolName(tool.name), tool]));
}

/** Made-up call ids: recognisable, so that a provider that gave none gets none back. */
const GENERATED_ID_PREFIX = 'floecall_';

/**
 * @example
 * generateCallId('exc1', 0); // 'floecall_exc1_0'
 */
export function generateCallId(exchange: string, index: number): string {
  return `${GENERATED_ID_PREFIX}${exchange}_${index}`;
}

/**
 * @example
 * isGeneratedCallId('floecall_exc1_0'); // true
 */
export function isGeneratedCallId(id: string): boolean {
  return id.startsWith(GENERATED_ID_PREFIX);
}

/**
 * Call ids in a form the provider takes, the same for call and result: at most `max`, word characters.
 *
 * @example
 * const write = createCallIdFormatter(40);
 * write('call_1'); // 'call_1'
 * write('call 1').startsWith('call_'); // true
 */
export function createCallIdFormatter(max: number, own?: (id: string) => string): (id: string) => string {
  if (own) return own;
  return (id) =>
    id.length <= max && id !== '' && /^[A-Za-z0-9_-]+$/.test(id) ? id : `call_${stableHash(id)}`;
}
