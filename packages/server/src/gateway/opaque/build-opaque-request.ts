import { applyByteEdits, createJsonMemberEdit } from '@floe/wire/json-edits';
import type { UpstreamRequest } from '../../providers/transport.ts';
import { buildUpstreamRequest } from '../../providers/upstream-request.ts';
import { appendQuery } from '../client-query.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Target } from '../org-catalog.ts';
import type { ByteReplacement } from './buffered-request-body.ts';
import { buildForwardedRequestHeaders } from './forwarded-headers.ts';
import type { OpaqueContext } from './opaque-context.ts';
import type { OpaqueRequest } from './opaque-request.ts';

/** A request that Floe forwards without parsing, and the data that is needed to send it to a target. */
export interface OpaqueSendInput {
  readonly context: OpaqueContext;
  readonly request: OpaqueRequest;
  readonly query: string;
  readonly platformKey: string;
}

/** Headers that request a part of a response. The usage in batch results is counted from their first line. */
const RANGE_HEADERS = ['range', 'if-range'];

/**
 * Builds the request to a target from the client's bytes. Changes only the model name, if the
 * target uses another name for the model.
 */
export function buildOpaqueRequest(x: Exchange, target: Target, sending: OpaqueSendInput): UpstreamRequest {
  const { context, request, query, platformKey } = sending;
  const { base, segments } = context;
  const { provider, credential } = target;
  const { bytes, length } = buildOutgoingBody(request, provider.upstreamModel(target.model));
  const own = provider.headersFor(credential);
  const omitted = context.resource.isBatchResults ? RANGE_HEADERS : [];
  const headers = buildForwardedRequestHeaders(x.client, platformKey, own, omitted);
  if (length !== null) headers.push('content-length', String(length));
  const path = base.targetPath(target, segments);
  return {
    ...buildUpstreamRequest(target, appendQuery(path, query), headers, bytes),
    method: x.client.method,
  };
}

interface OutgoingBody {
  readonly bytes: UpstreamRequest['body'];
  /** Null if the length of the body is unknown or does not change. */
  readonly length: number | null;
}

function buildOutgoingBody({ body, model }: OpaqueRequest, upstreamModel: string): OutgoingBody {
  switch (body.kind) {
    case 'none':
      return { bytes: null, length: null };
    case 'upload':
      return { bytes: body.upload, length: body.length };
    case 'json': {
      if (!body.members.has('model') || model === upstreamModel) return { bytes: body.bytes, length: null };
      const scanned = { body: body.bytes, members: body.members };
      const edit = createJsonMemberEdit(scanned, 'model', JSON.stringify(upstreamModel));
      return { bytes: applyByteEdits(body.bytes, [edit]), length: null };
    }
    case 'spool': {
      const { field, spool } = body;
      const changed: ByteReplacement | null =
        field && field.value !== upstreamModel
          ? { start: field.start, end: field.end, text: upstreamModel }
          : null;
      return { bytes: spool.read(changed), length: spool.lengthWith(changed) };
    }
  }
}
