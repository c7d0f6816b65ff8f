import { memberEdit, splice } from '@floe/wire/splice';
import { requestTo } from '../../providers/request-to.ts';
import type { UpstreamRequest } from '../../providers/transport.ts';
import type { Target } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import { requestHeaders } from './headers.ts';
import type { OpaqueAsk } from './opaque-ask.ts';
import type { Passing } from './passing.ts';
import type { Replacement } from './spool.ts';

export interface Sending {
  readonly passing: Passing;
  readonly ask: OpaqueAsk;
  readonly query: string;
  readonly platformKey: string;
}

/** The client's request as a target gets it: its bytes, but for the model where the target knows it by another name. */
export function opaqueRequest(x: Exchange, target: Target, sending: Sending): UpstreamRequest {
  const { passing, ask, query, platformKey } = sending;
  const { base, segments } = passing;
  const { provider, credential } = target;
  const { bytes, length } = bodyFor(ask, provider.upstreamModel(target.model));
  const headers = requestHeaders(x.client, platformKey, provider.headersFor(credential));
  if (length !== null) headers.push('content-length', String(length));
  const path = base.pathAt(target, segments);
  return { ...requestTo(target, withQuery(path, query), headers, bytes), method: x.client.method };
}

/** A path of the operator's settings may bring a query of its own. */
function withQuery(path: string, query: string): string {
  if (query === '' || query === '?') return path;
  return path.includes('?') ? `${path}&${query.slice(1)}` : path + query;
}

interface Outgoing {
  readonly bytes: UpstreamRequest['body'];
  /** Null for bodies whose length is not known, and where the length is plain. */
  readonly length: number | null;
}

function bodyFor({ body, model }: OpaqueAsk, upstreamModel: string): Outgoing {
  switch (body.kind) {
    case 'none':
      return { bytes: null, length: null };
    case 'upload':
      return { bytes: body.upload, length: body.length };
    case 'json': {
      if (!body.members.has('model') || model === upstreamModel) return { bytes: body.bytes, length: null };
      const scanned = { body: body.bytes, members: body.members };
      const edit = memberEdit(scanned, 'model', JSON.stringify(upstreamModel));
      return { bytes: splice(body.bytes, [edit]), length: null };
    }
    case 'spool': {
      const { field, spool } = body;
      const changed: Replacement | null =
        field && field.value !== upstreamModel
          ? { start: field.start, end: field.end, text: upstreamModel }
          : null;
      return { bytes: spool.read(changed), length: spool.length(changed) };
    }
  }
}
