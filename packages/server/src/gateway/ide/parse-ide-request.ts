import { describeBodyShape } from '@floe/wire/ide/body-shape';
import { type NormalizedIdeRequest, normalizeIdeRequest } from '@floe/wire/ide/normalize-request';
import { scanObject } from '@floe/wire/json-edits';
import { type ClientRequest, parseBody, parseClientRequest } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import { withStoredHistory } from './stored-history.ts';

/**
 * Reads what an IDE sent, in whatever mix of dialects, as one Chat request. The rest of the gateway works on
 * the normal form's bytes: equal requests have equal cache keys and estimates, however they were spelled.
 *
 * @throws {Fault} 400s that name the field of the body as it came.
 */
export async function parseIdeRequest(
  x: Exchange,
  deployment: string | null,
  body: Buffer,
): Promise<ClientRequest> {
  // Refuses what two parsers could read differently, before one of them reads it.
  const parsed = parseBody({ body, members: scanObject(body) });
  if (x.caller.catalog.ide.capture)
    x.decisions.push({ step: 'capture', outcome: 'body_shape', because: describeBodyShape(parsed) });
  const whole = await withStoredHistory(x, parsed);
  const normalised = normalizeIdeRequest(deployment === null ? whole : { ...whole, model: deployment });
  return { ...parseClientRequest(x.surface, serializeBody(normalised)), canonical: normalised.request };
}

/** The request with a body that policies wrote: what is sent is read from that body and no other. */
export function replaceRequestBody(prompt: ClientRequest, body: Buffer): ClientRequest {
  const members = scanObject(body);
  if (!prompt.canonical) return { ...prompt, body, members };
  const { request: wire } = normalizeIdeRequest(parseBody({ body, members }));
  return { ...prompt, body, members, canonical: { ...wire, dropped: prompt.canonical.dropped } };
}

function serializeBody({ body }: NormalizedIdeRequest): Buffer {
  return Buffer.from(JSON.stringify(body));
}
