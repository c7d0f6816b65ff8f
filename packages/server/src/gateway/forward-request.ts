import { type Edit, memberEdit, readBoolean, spanMembers, splice, withMembers } from '@floe/wire/splice';
import type { BodyShape, Dialect } from '../providers/provider.ts';
import type { UpstreamRequest } from '../providers/transport.ts';
import type { Ask } from './ask.ts';
import { shapeBody } from './body-shape.ts';
import type { Target } from './catalog.ts';
import type { Surface } from './surface.ts';

export type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Forwarded {
  readonly request: UpstreamRequest;
  /** We asked for usage the client did not ask for: its extra frame is taken out again. */
  readonly usageFrameIsOurs: boolean;
  /** What the client said that this endpoint has no place for. */
  readonly dropped: readonly string[];
}

/** The client's bytes, but for `model` (and a missing `stream_options.include_usage` where the sheet asks for it). */
export function forwardRequest(
  ask: Ask,
  target: Target,
  surface: Surface,
  clientHeaders: ClientHeaders,
): Forwarded {
  const { provider } = target;
  const shape = provider.shapeOf(surface.dialect);
  if (shape) return forwardShaped(ask, target, surface.dialect, clientHeaders, shape);
  const model = provider.upstreamModel(target.model);
  const edits: Edit[] = [memberEdit(ask.body, ask.members, 'model', JSON.stringify(model))];
  const asks = surface.dialect === 'chat' && ask.stream && provider.sheet.usage === 'ask';
  const usage = asks ? usageEdit(ask) : null;
  if (usage) edits.push(usage);
  for (const [name, json] of provider.body) edits.push(memberEdit(ask.body, ask.members, name, json));
  edits.sort((a, b) => a.start - b.start);
  return {
    request: upstreamRequest(
      target,
      surface.dialect,
      ask.stream,
      splice(ask.body, edits),
      clientHeaders,
      surface.forwarded,
    ),
    usageFrameIsOurs: usage !== null,
    dropped: NOTHING,
  };
}

const NOTHING: readonly string[] = [];

/** Where address and headers of the dialect stand in the body: every value that stays keeps its bytes. */
function forwardShaped(
  ask: Ask,
  target: Target,
  dialect: Dialect,
  clientHeaders: ClientHeaders,
  shape: BodyShape,
): Forwarded {
  const { changes, dropped } = shapeBody(shape, (member) => ask.members.has(member), clientHeaders);
  const body = withMembers(ask.body, ask.members, new Map([...changes, ...target.provider.body]));
  const request = upstreamRequest(target, dialect, ask.stream, body, {}, []);
  return { request, usageFrameIsOurs: false, dropped };
}

/** The call itself: address, credential, and of the client's headers only those named in `forwarded`. */
export function upstreamRequest(
  { provider, credential, model, timeouts }: Target,
  dialect: Dialect,
  stream: boolean,
  body: Buffer,
  clientHeaders: ClientHeaders,
  forwarded: readonly string[],
): UpstreamRequest {
  const headers = [
    ...provider.headersFor(credential),
    'accept',
    stream ? 'text/event-stream' : 'application/json',
  ];
  for (const name of forwarded) {
    const value = clientHeaders[name];
    if (typeof value === 'string') headers.push(name, value);
  }
  for (const [name, value] of Object.entries(provider.sheet.headers ?? {}))
    if (!forwarded.includes(name) || clientHeaders[name] === undefined) headers.push(name, value);
  return {
    method: 'POST',
    origin: provider.origin,
    path: provider.pathOf(dialect, provider.upstreamModel(model), stream),
    headers,
    body,
    connectMs: timeouts.connectMs,
    via: provider.via,
    pool: provider.pool,
    signing: provider.signingFor(credential),
  };
}

/** Null when the client asked for usage itself. */
function usageEdit(ask: Ask): Edit | null {
  const { body, members } = ask;
  const options = members.get('stream_options');
  const inner = options && spanMembers(body, options);
  if (!options || !inner) return memberEdit(body, members, 'stream_options', '{"include_usage":true}');
  const asked = inner.get('include_usage');
  if (asked && readBoolean(body, asked) === true) return null;
  return memberEdit(body, inner, 'include_usage', 'true', options);
}
