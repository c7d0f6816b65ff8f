import {
  applyByteEdits,
  type ByteEdit,
  editMember,
  readBooleanAt,
  replaceMembers,
  scanMembersAt,
} from '@floe/wire/json-edits';
import type { UpstreamRequest } from '../providers/transport.ts';
import { buildUpstreamRequest } from '../providers/upstream-request.ts';
import { shapeBody } from './body-shape.ts';
import type { Target } from './catalog.ts';
import type { ClientRequest } from './client-request.ts';
import type { GatewaySurface } from './surface.ts';

export type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ForwardedRequest {
  readonly request: UpstreamRequest;
  /** We asked for usage the client did not ask for: its extra frame is taken out again. */
  readonly dropUsageFrame: boolean;
  /** What the client said that this endpoint has no place for. */
  readonly dropped: readonly string[];
}

/** The client's bytes, but for `model` (and a missing `stream_options.include_usage` where the sheet asks for it). */
export function buildForwardedRequest(
  prompt: ClientRequest,
  target: Target,
  surface: GatewaySurface,
  clientHeaders: ClientHeaders,
): ForwardedRequest {
  const { provider } = target;
  const { dialect, forwardedHeaders } = surface;
  const model = provider.upstreamModel(target.model);
  const path = provider.pathOf(dialect, model, prompt.stream);
  const shape = provider.bodyShapeOf(dialect);
  if (shape) {
    const { changes, dropped } = shapeBody(shape, (member) => prompt.members.has(member), clientHeaders);
    // Every value that stays keeps its bytes.
    const body = replaceMembers(prompt.body, prompt.members, new Map([...changes, ...provider.body]));
    const request = buildUpstreamRequest(target, path, buildUpstreamHeaders(target, prompt.stream), body);
    return { request, dropUsageFrame: false, dropped };
  }
  const edits: ByteEdit[] = [editMember(prompt, 'model', JSON.stringify(model))];
  const asks = dialect === 'chat' && prompt.stream && provider.sheet.streamUsage === 'ask';
  const usage = asks ? includeUsageEdit(prompt) : null;
  if (usage) edits.push(usage);
  for (const [name, json] of provider.body) edits.push(editMember(prompt, name, json));
  edits.sort((a, b) => a.start - b.start);
  const headers = buildUpstreamHeaders(target, prompt.stream, clientHeaders, forwardedHeaders);
  return {
    request: buildUpstreamRequest(target, path, headers, applyByteEdits(prompt.body, edits)),
    dropUsageFrame: usage !== null,
    dropped: NOTHING,
  };
}

const NOTHING: readonly string[] = [];

/** Headers of a call, flat: the provider's, and of the client's only those named in `forwarded`. */
export function buildUpstreamHeaders(
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
function includeUsageEdit(prompt: ClientRequest): ByteEdit | null {
  const { body, members } = prompt;
  const options = members.get('stream_options');
  const inner = options && scanMembersAt(body, options);
  if (!options || !inner) return editMember(prompt, 'stream_options', '{"include_usage":true}');
  const asked = inner.get('include_usage');
  if (asked && readBooleanAt(body, asked) === true) return null;
  return editMember({ body, members: inner }, 'include_usage', 'true', options);
}
