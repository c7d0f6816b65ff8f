import { Fault } from '@floe/contract/faults';
import type { BlockKind, EmitResponseEvent } from './response-events.ts';

/** A response may contain any number of unknown parts, and the error names only some of them. */
const MAX_NAMED_PARTS = 5;

/**
 * Returns a function that passes a reader's events to `next`. If content was dropped and the response has no other
 * content, it passes an error instead of the finish. Without the error, the client would receive a complete but
 * empty response. A refusal counts as content, but reasoning does not.
 * @example
 * const sent = [];
 * const emit = createLostContentDetector((event) => sent.push(event.type));
 * emit({ type: 'dropped', field: 'inlineData', isContent: true });
 * emit({ type: 'finish', reason: 'stop', raw: 'STOP' });
 * sent; // ['dropped', 'error']
 */
export function createLostContentDetector(next: EmitResponseEvent): EmitResponseEvent {
  const lost: string[] = [];
  const kinds = new Map<number, BlockKind>();
  let hasContent = false;
  return (event) => {
    if (hasContent) return next(event);
    switch (event.type) {
      case 'open':
        hasContent = event.kind === 'tool';
        kinds.set(event.block, event.kind);
        break;
      case 'delta':
        hasContent = kinds.get(event.block) !== 'reasoning' && event.text.trim() !== '';
        break;
      case 'close':
        kinds.delete(event.block);
        break;
      case 'dropped':
        if (event.isContent && lost.length < MAX_NAMED_PARTS) lost.push(event.field);
        break;
      case 'finish':
        if (lost.length > 0 && event.reason !== 'refusal')
          return next({ type: 'error', fault: createLostResponseFault(lost) });
    }
    next(event);
  };
}

function createLostResponseFault(lost: readonly string[]): Fault {
  const names = lost.map((name) => `\`${name}\``).join(', ');
  return new Fault(
    'unsupported_response',
    `The response contains only ${names}, which Floe cannot translate to the API that you call. Choose a model whose provider supports this API, or request text.`,
  );
}
