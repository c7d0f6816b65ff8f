import type { ResponseWriteContext } from '@floe/wire/dialect';
import type { Exchange } from '../exchange-record.ts';

/** Returns the ids and times in the response of an exchange. */
export function createResponseIds(
  x: Exchange,
): Pick<ResponseWriteContext, 'id' | 'requestId' | 'createdS' | 'nowS'> {
  const nowS = () => Math.floor(x.gateway.clock.now() / 1000);
  return { id: x.id.slice(x.id.indexOf('_') + 1), requestId: x.id, createdS: nowS(), nowS };
}

/**
 * Returns the options for a response to an IDE: one `created` time for all targets, no reasoning text (IDEs
 * neither display nor return it), and refusals and freeform calls in the form that the IDE displays.
 */
export function createIdeResponseOptions(x: Exchange): Partial<ResponseWriteContext> {
  return {
    createdS: Math.floor(x.createdAt / 1000),
    chatReasoning: undefined,
    refusalAsText: true,
    freeformAsFunction: x.caller.catalog.ide.freeformTools !== 'custom',
  };
}
