import {
  applyByteEdits,
  type ByteEdit,
  createJsonMemberEdit,
  editJsonMembers,
  readBooleanAt,
} from '@floe/wire/json-edits';
import { scanUnambiguousObjectAt } from '@floe/wire/nested-members';
import { createUnsupportedFeatureFault } from '@floe/wire/request';
import type { UpstreamRequest } from '../providers/transport.ts';
import { buildUpstreamRequest } from '../providers/upstream-request.ts';
import { appendQuery } from './client-query.ts';
import type { ClientRequest } from './client-request.ts';
import { computeEndpointBodyChanges } from './endpoint-body-changes.ts';
import type { Target } from './org-catalog.ts';
import type { GatewaySurface } from './surface.ts';

/** The client's headers by lowercase name. */
export type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The parts of a client request that are forwarded in addition to its body. */
export interface ForwardedHeadersAndQuery {
  readonly headers: ClientHeaders;
  /** The query including `?`, or an empty string. */
  readonly query: string;
}

/** A request that Floe forwards to the provider in the client's dialect. */
export interface ForwardedRequest {
  readonly request: UpstreamRequest;
  /** Whether to remove the usage frame, because only Floe requested it. */
  readonly dropUsageFrame: boolean;
  /** Members of the client's body that the endpoint does not support. */
  readonly dropped: readonly string[];
}

/**
 * Builds the provider request from the client's bytes. Sets `model` and the members that the provider's settings add.
 * Adds `stream_options.include_usage` if it is missing and the provider requires it. If the provider's endpoint
 * differs from the dialect (`EndpointRequestAdjustments`), also sets and drops the members that the endpoint requires,
 * and does not send the client's query string.
 * @throws Fault `unsupported_parameter` if such an endpoint does not support a hosted tool of the request
 */
export function buildForwardedRequest(
  prompt: ClientRequest,
  target: Target,
  surface: GatewaySurface,
  client: ForwardedHeadersAndQuery,
): ForwardedRequest {
  const { provider } = target;
  const { dialect, forwardedHeaders } = surface;
  const model = provider.upstreamModel(target.model);
  const path = provider.pathOf(dialect, model, prompt.stream);
  const shape = provider.bodyShapeOf(dialect);
  if (shape) {
    for (const param of shape.hostedFeatures)
      if (hasValue(prompt, param)) throw createUnsupportedFeatureFault({ need: 'hosted-tool', param });
    const { changes, dropped } = computeEndpointBodyChanges(
      shape,
      (member) => prompt.members.has(member),
      client.headers,
    );
    // All other values keep their bytes.
    const body = editJsonMembers(prompt.body, prompt.members, new Map([...changes, ...provider.body]));
    const request = buildUpstreamRequest(target, path, buildUpstreamHeaders(target, prompt.stream), body);
    return { request, dropUsageFrame: false, dropped };
  }
  const edits: ByteEdit[] = [];
  if (!setsMember(provider, 'model'))
    edits.push(createJsonMemberEdit(prompt, 'model', JSON.stringify(model)));
  const asks = dialect === 'chat' && prompt.stream && provider.definition.streamUsage === 'ask';
  const usage = asks ? includeUsageEdit(prompt) : null;
  if (usage && !setsMember(provider, 'stream_options')) edits.push(usage);
  for (const [name, json] of provider.body) edits.push(createJsonMemberEdit(prompt, name, json));
  edits.sort((a, b) => a.start - b.start);
  const headers = buildUpstreamHeaders(target, prompt.stream, client.headers, forwardedHeaders);
  return {
    request: buildUpstreamRequest(
      target,
      appendQuery(path, client.query),
      headers,
      applyByteEdits(prompt.body, edits),
    ),
    dropUsageFrame: usage !== null,
    dropped: NOTHING,
  };
}

const NOTHING: readonly string[] = [];

/** Returns whether the settings of a provider set a member of the body. If they do, Floe must not edit the member. */
function setsMember({ body }: Target['provider'], name: string): boolean {
  return body.some(([own]) => own === name);
}

/** Returns whether the client's body has a member that is not empty. */
function hasValue({ body, members }: ClientRequest, name: string): boolean {
  const span = members.get(name);
  return (
    span !== undefined && !/^(null|""|\[\s*\]|\{\s*\})$/.test(body.toString('utf8', span.start, span.end))
  );
}

/**
 * Returns the headers for a request to a provider as a flat list: the provider's own headers, plus
 * the client headers that `forwarded` lists.
 */
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
  for (const [name, value] of Object.entries(provider.definition.headers ?? {}))
    if (!forwarded.includes(name) || clientHeaders[name] === undefined) headers.push(name, value);
  return headers;
}

/** Returns the edit that requests usage; null if the client requests usage itself. */
function includeUsageEdit(prompt: ClientRequest): ByteEdit | null {
  const { body, members } = prompt;
  const options = members.get('stream_options');
  const inner = options && scanUnambiguousObjectAt(body, options);
  if (!options || !inner) return createJsonMemberEdit(prompt, 'stream_options', '{"include_usage":true}');
  const asked = inner.get('include_usage');
  if (asked && readBooleanAt(body, asked) === true) return null;
  return createJsonMemberEdit({ body, members: inner }, 'include_usage', 'true', options);
}
