import type { AnswerContext } from '@floe/wire/dialect';
import type { Exchange } from '../exchange-record.ts';

/** The ids and times in an answer of this exchange. */
export function createAnswerIds(x: Exchange): Pick<AnswerContext, 'id' | 'requestId' | 'createdS' | 'nowS'> {
  const nowS = () => Math.floor(x.gateway.clock.now() / 1000);
  return { id: x.id.slice(x.id.indexOf('_') + 1), requestId: x.id, createdS: nowS(), nowS };
}

/**
 * What an answer to an IDE is written with: one `created` whoever answers in the end, never reasoning text
 * (IDEs neither show nor return it), refusals and freeform calls in the form it shows.
 */
export function createIdeAnswerOptions(x: Exchange): Partial<AnswerContext> {
  return {
    createdS: Math.floor(x.createdAt / 1000),
    chatReasoning: undefined,
    refusalAsText: true,
    freeformAsFunction: x.caller.catalog.ide.freeformTools !== 'custom',
  };
}
