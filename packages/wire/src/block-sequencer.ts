import type { BlockOpenEvent, EmitResponseEvent, Seal } from './response-events.ts';

interface PendingBlock {
  readonly open: BlockOpenEvent;
  text: string;
  closed: boolean;
  seal?: Seal | undefined;
}

/**
 * Returns a function that passes events to `next` one block at a time. Events of a later block wait
 * until the open block closes. Strict stream parsers do not support interleaved calls, and Messages
 * and Responses number blocks in order.
 * @example
 * const sent = [];
 * const emit = createBlockSequencer((event) => sent.push(`${event.type} ${event.block}`));
 * for (const block of [0, 1]) emit({ type: 'open', block, kind: 'text' });
 * for (const block of [1, 0]) emit({ type: 'close', block });
 * sent; // ['open 0', 'close 0', 'open 1', 'close 1']
 */
export function createBlockSequencer(next: EmitResponseEvent): EmitResponseEvent {
  let open: number | undefined;
  /** In the order in which they opened. */
  const waiting = new Map<number, PendingBlock>();

  const drain = (): void => {
    while (open === undefined) {
      const [first] = waiting.values();
      if (!first) return;
      const { block } = first.open;
      waiting.delete(block);
      next(first.open);
      if (first.text !== '') next({ type: 'delta', block, text: first.text });
      if (first.closed) next({ type: 'close', block, seal: first.seal });
      else open = block;
    }
  };

  return (event) => {
    switch (event.type) {
      case 'open':
        if (open !== undefined) waiting.set(event.block, { open: event, text: '', closed: false });
        else {
          open = event.block;
          next(event);
        }
        return;
      case 'delta': {
        if (event.block === open) return next(event);
        const later = waiting.get(event.block);
        if (later) later.text += event.text;
        return;
      }
      case 'close': {
        if (event.block === open) {
          next(event);
          open = undefined;
          return drain();
        }
        const later = waiting.get(event.block);
        if (later) {
          later.closed = true;
          later.seal = event.seal;
        }
        return;
      }
      default:
        next(event);
    }
  };
}
