import { type Normalised, normalise } from '@floe/wire/ide/normalise';
import { shapeOf } from '@floe/wire/ide/shape';
import { scanObject } from '@floe/wire/splice';
import { type Ask, parseBody, readAsk } from '../ask.ts';
import type { Exchange } from '../exchange-record.ts';
import { withStoredHistory } from './stored-history.ts';

/**
 * Reads what an IDE sent, in whatever mix of dialects, as one Chat request. The rest of the gateway works on
 * the normal form's bytes: equal requests have equal cache keys and estimates, however they were spelled.
 *
 * @throws {Fault} 400s that name the field of the body as it came.
 */
export async function readIdeAsk(x: Exchange, deployment: string | null, body: Buffer): Promise<Ask> {
  // Refuses what two parsers could read differently, before one of them reads it.
  const parsed = parseBody({ body, members: scanObject(body) });
  if (x.caller.catalog.ide.capture)
    x.decisions.push({ step: 'capture', outcome: 'body_shape', because: shapeOf(parsed) });
  const whole = await withStoredHistory(x, parsed);
  const normalised = normalise(deployment === null ? whole : { ...whole, model: deployment });
  return { ...readAsk(x.surface, bytesOf(normalised)), wire: normalised.ask };
}

/** The request with a body that policies wrote: what is sent is read from that body and no other. */
export function withBody(ask: Ask, body: Buffer): Ask {
  const members = scanObject(body);
  if (!ask.wire) return { ...ask, body, members };
  const { ask: wire } = normalise(parseBody({ body, members }));
  return { ...ask, body, members, wire: { ...wire, dropped: ask.wire.dropped } };
}

function bytesOf({ body }: Normalised): Buffer {
  return Buffer.from(JSON.stringify(body));
}
