import type { ResponseWriteContext } from '@floe/wire/dialect';
import type { Exchange } from '../exchange-record.ts';

/** Returns the ids and times that Floe generates for the response of an exchange. */
export function createResponseIdsAndTimes(
  x: Exchange,
): Pick<ResponseWriteContext, 'id' | 'requestId' | 'createdS' | 'nowS'> {
  const nowS = () => Math.floor(x.gateway.clock.now() / 1000);
  return { id: x.id.slice(x.id.indexOf('_') + 1), requestId: x.id, createdS: nowS(), nowS };
}

/**
 * Returns the options for writing a response to an IDE. All targets use one `created` time.
 * Reasoning text is omitted, because IDEs neither display it nor send it back. Refusals and
 * freeform calls are written in the form that the IDE displays.
 */
export function createIdeResponseOptions(x: Exchange): Partial<ResponseWriteContext> {
  return {
    createdS: Math.floor(x.createdAt / 1000),
    chatReasoning: undefined,
    refusalAsText: true,
    freeformAsFunction: x.caller.catalog.ide.freeformTools !== 'custom',
  };
}
