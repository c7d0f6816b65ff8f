import { describeBodyShape } from '@floe/wire/ide/body-shape';
import { type NormalizedIdeRequest, normalizeIdeRequest } from '@floe/wire/ide/normalize-request';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import { scanJsonObject } from '@floe/wire/json-edits';
import { type ClientRequest, parseClientRequest, parseUnambiguousRequestBody } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import { insertStoredHistory } from './stored-history.ts';

/**
 * Parses an IDE request, which may mix dialects, as one Chat request. The gateway uses the normalized bytes,
 * so that equal requests have equal fingerprints and estimates regardless of their original form.
 * @throws Fault with status 400 that names the field of the original body
 */
export async function parseIdeRequest(
  x: Exchange,
  deployment: string | null,
  body: Buffer,
): Promise<ClientRequest> {
  // Rejects ambiguous JSON before it is parsed.
  const parsed = parseUnambiguousRequestBody({
    body,
    members: scanJsonObject(body, MAX_REQUEST_JSON_COMPLEXITY),
  });
  if (x.caller.catalog.ide.capture)
    x.decisions.push({ step: 'capture', outcome: 'body_shape', reason: describeBodyShape(parsed) });
  const whole = await insertStoredHistory(x, parsed);
  const normalised = normalizeIdeRequest(deployment === null ? whole : { ...whole, model: deployment });
  return { ...parseClientRequest(x.surface, serializeBody(normalised)), canonical: normalised.request };
}

/** Returns the request with the body that policies changed. All later stages read only this body. */
export function replaceRequestBody(prompt: ClientRequest, body: Buffer): ClientRequest {
  const members = scanJsonObject(body);
  if (!prompt.canonical) return { ...prompt, body, members };
  const { request: wire } = normalizeIdeRequest(parseUnambiguousRequestBody({ body, members }));
  return { ...prompt, body, members, canonical: { ...wire, dropped: prompt.canonical.dropped } };
}

function serializeBody({ body }: NormalizedIdeRequest): Buffer {
  return Buffer.from(JSON.stringify(body));
}
