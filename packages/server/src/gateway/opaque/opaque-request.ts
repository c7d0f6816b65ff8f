import { memberEdit, splice } from '@floe/wire/splice';
import type { UpstreamRequest } from '../../providers/transport.ts';
import type { Target } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Base } from './base.ts';
import { requestHeaders } from './headers.ts';
import type { OpaqueAsk } from './opaque-ask.ts';
import type { Replacement } from './spool.ts';

export interface Sending {
  readonly base: Base;
  readonly ask: OpaqueAsk;
  readonly segments: readonly string[];
  readonly query: string;
  readonly platformKey: string;
}

/** The client's request as a target gets it: its bytes, but for the model where the target knows it by another name. */
export function opaqueRequest(x: Exchange, target: Target, sending: Sending): UpstreamRequest {
  const { base, ask, segments, query, platformKey } = sending;
  const { provider, credential, timeouts } = target;
  const { bytes, length } = bodyFor(ask, provider.upstreamModel(target.model));
  const headers = requestHeaders(x.client, platformKey, provider.headersFor(credential));
  if (length !== null) headers.push('content-length', String(length));
  const path = base.pathAt(target, segments);
  return {
    method: x.client.method,
    origin: provider.origin,
    path: withQuery(path, query),
    headers,
    body: bytes,
    connectMs: timeouts.connectMs,
    via: provider.via,
    pool: provider.pool,
    signing: provider.signingFor(credential),
  };
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
      const edit = memberEdit(body.bytes, body.members, 'model', JSON.stringify(upstreamModel));
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
