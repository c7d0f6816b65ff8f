import { type Edit, memberEdit, readBoolean, spanMembers, splice, withMembers } from '@floe/wire/splice';
import { requestTo } from '../providers/request-to.ts';
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
  const { dialect, forwarded } = surface;
  const model = provider.upstreamModel(target.model);
  const path = provider.pathOf(dialect, model, ask.stream);
  const shape = provider.shapeOf(dialect);
  if (shape) {
    const { changes, dropped } = shapeBody(shape, (member) => ask.members.has(member), clientHeaders);
    // Every value that stays keeps its bytes.
    const body = withMembers(ask.body, ask.members, new Map([...changes, ...provider.body]));
    const request = requestTo(target, path, upstreamHeaders(target, ask.stream), body);
    return { request, usageFrameIsOurs: false, dropped };
  }
  const edits: Edit[] = [memberEdit(ask, 'model', JSON.stringify(model))];
  const asks = dialect === 'chat' && ask.stream && provider.sheet.usage === 'ask';
  const usage = asks ? usageEdit(ask) : null;
  if (usage) edits.push(usage);
  for (const [name, json] of provider.body) edits.push(memberEdit(ask, name, json));
  edits.sort((a, b) => a.start - b.start);
  const headers = upstreamHeaders(target, ask.stream, clientHeaders, forwarded);
  return {
    request: requestTo(target, path, headers, splice(ask.body, edits)),
    usageFrameIsOurs: usage !== null,
    dropped: NOTHING,
  };
}

const NOTHING: readonly string[] = [];

/** Headers of a call, flat: the provider's, and of the client's only those named in `forwarded`. */
export function upstreamHeaders(
  { provider, credential }: Target,
  stream: boolean,
  clientHeaders: ClientHeaders = {},
  forwarded: readonly string[] = NOTHING,
): string[] {
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
  return headers;
}

/** Null when the client asked for usage itself. */
function usageEdit(ask: Ask): Edit | null {
  const { body, members } = ask;
  const options = members.get('stream_options');
  const inner = options && spanMembers(body, options);
  if (!options || !inner) return memberEdit(ask, 'stream_options', '{"include_usage":true}');
  const asked = inner.get('include_usage');
  if (asked && readBoolean(body, asked) === true) return null;
  return memberEdit({ body, members: inner }, 'include_usage', 'true', options);
}
