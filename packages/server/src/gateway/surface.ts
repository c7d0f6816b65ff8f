import type { FaultShape } from '@floe/contract/fault-answer';

/** What a path of the gateway speaks to its client. */
export interface Surface {
  /** Name on the exchange row. */
  readonly name: 'chat' | 'responses' | 'messages';
  readonly routeMode: 'unified' | 'passthrough-a' | 'passthrough-b' | 'ide';
  readonly dialect: 'chat' | 'responses' | 'messages';
  readonly faultShape: FaultShape;
}

export const CHAT: Surface = { name: 'chat', routeMode: 'unified', dialect: 'chat', faultShape: 'openai' };
