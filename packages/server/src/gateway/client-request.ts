import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject, parseJsonExactlyWithoutScan } from '@floe/contract/json';
import { findDuplicateMemberName, hasDuplicateMembers } from '@floe/wire/duplicate-member-names';
import { MAX_REQUEST_JSON_COMPLEXITY } from '@floe/wire/json-complexity';
import {
  type ByteSpan,
  readBooleanAt,
  readNumberAt,
  readStringAt,
  type ScannedJsonMembers,
  scanJsonObject,
} from '@floe/wire/json-edits';
import { createDuplicateMemberFault, scanUnambiguousObjectAt } from '@floe/wire/nested-members';
import type { CanonicalRequest } from '@floe/wire/request';
import { requireModelId } from './model-id.ts';
import { REFERENCE_NAMES } from './opaque/reference-names.ts';
import type { GatewaySurface } from './surface.ts';

type Members = ReadonlyMap<string, ByteSpan>;

/** The maximum size of a request body that the gateway parses. */
export const MAX_JSON_BODY_BYTES = 32 * 1024 * 1024;

/** The request fields that Floe needs before it decides whether to translate the request. */
export interface ClientRequest {
  readonly body: Buffer;
  /** Byte ranges of the top-level members. */
  readonly members: ScannedJsonMembers;
  readonly model: string;
  readonly stream: boolean;
  /** Number of requested responses (`n` of Chat Completions). */
  readonly choices: number;
  /** The end user in the body. Null if the body contains none. */
  readonly user: string | null;
  /** The canonical request, if `body` was created from it. */
  readonly canonical?: CanonicalRequest;
  /** What was removed from the request, because the target does not accept it. */
  readonly dropped?: readonly string[];
}

/**
 * Reads the fields of `ClientRequest` in one pass over the bytes.
 * @throws Fault with status 400 that names the invalid field, or 413 for too many values
 */
export function parseClientRequest(surface: GatewaySurface, body: Buffer): ClientRequest {
  const members = scanJsonObject(body, MAX_REQUEST_JSON_COMPLEXITY, REFERENCE_NAMES);
  const model = requiredModelId(body, members);
  try {
    return { body, members, model, ...parseOutline(surface, body, members) };
  } catch (error) {
    // The model identifies the rejected request in lists.
    if (error instanceof Fault) throw new Fault(error.code, error.message, { ...error.detail, model });
    throw error;
  }
}

function parseOutline(
  surface: GatewaySurface,
  body: Buffer,
  members: Members,
): Pick<ClientRequest, 'stream' | 'choices' | 'user'> {
  if (surface.dialect === 'chat') rejectResponsesShape(members);
  if (surface.dialect === 'messages') rejectThread(body, members);
  if (surface.dialect !== 'responses') requireMessages(body, members);
  return {
    stream: optionalBoolean(body, members, 'stream'),
    choices: surface.dialect === 'chat' ? optionalCount(body, members, 'n') : 1,
    user: parseUser(surface, body, members),
  };
}

/**
 * Parses the whole body and keeps numbers exactly as they are written. Expects a body that has been scanned,
 * and therefore is valid JSON.
 */
export function parseClientRequestBody({
  body,
  members,
}: Pick<ClientRequest, 'body' | 'members'>): JsonObject {
  const text = body.toString('utf8');
  const parsed: unknown = members.hasInexact ? parseJsonExactlyWithoutScan(text) : JSON.parse(text);
  if (!isJsonObject(parsed)) throw new Error('expected the scanned body to be an object');
  return parsed;
}

/**
 * Parses the whole body of a request that Floe translates. Works like `parseClientRequestBody`, but rejects
 * duplicate members, because the parsed body would contain only the last one.
 * @throws Fault `invalid_request` if a member occurs more than once
 */
export function parseUnambiguousRequestBody(request: Pick<ClientRequest, 'body' | 'members'>): JsonObject {
  const parsed = parseClientRequestBody(request);
  if (hasDuplicateMembers(parsed, request.members.memberCount))
    throw createDuplicateMemberFault(findDuplicateMemberName(request.body) ?? '');
  return parsed;
}

function rejectResponsesShape(members: Members): void {
  if (!members.has('input') || members.has('messages')) return;
  throw new Fault(
    'unsupported_parameter',
    'The request body is in the Responses format: it has "input" instead of "messages". Send the request to /gateway/v1/responses, or set the base URL of an IDE to /gateway/ide-adapter.',
    { param: 'input' },
  );
}

/**
 * With `thread`, the provider adds earlier messages, which Floe does not see. Limits, budgets and policies would apply only
 * to the new messages, and any caller could continue the thread of another one. Anthropic's SDKs send the full conversation
 * instead when an error has these details.
 */
export function rejectThread(body: Buffer, members: Members): void {
  const thread = members.get('thread');
  if (!thread || isNull(body, thread)) return;
  throw new Fault(
    'unsupported_parameter',
    'Floe does not support "thread", because limits, budgets and policies apply to the full conversation. Send all messages without "thread".',
    {
      param: 'thread',
      anthropicDetails: { error_code: 'thread_unsupported_request', unsupported: ['model'] },
    },
  );
}

function requireMessages(body: Buffer, members: Members): void {
  const messages = members.get('messages');
  if (!messages) throw missingParameterFault('messages');
  if (body[messages.start] !== 0x5b) throw wrongTypeFault('messages', 'an array');
}

function parseUser(surface: GatewaySurface, body: Buffer, members: Members): string | null {
  if (surface.dialect !== 'messages') return optionalString(body, members, 'user');
  const metadata = members.get('metadata');
  const inner = metadata && scanUnambiguousObjectAt(body, metadata);
  return inner ? optionalString(body, inner, 'user_id') : null;
}

function missingParameterFault(param: string): Fault {
  return new Fault('missing_required_parameter', `Missing required parameter: "${param}".`, { param });
}

function wrongTypeFault(param: string, wanted: string): Fault {
  return new Fault('invalid_request', `The parameter "${param}" must be ${wanted}.`, { param });
}

function requiredModelId(body: Buffer, members: Members): string {
  const span = members.get('model');
  if (!span) throw missingParameterFault('model');
  return requireModelId(readStringAt(body, span));
}

function optionalString(body: Buffer, members: Members, name: string): string | null {
  const span = members.get(name);
  return (span && readStringAt(body, span)) ?? null;
}

function isNull(body: Buffer, span: ByteSpan): boolean {
  return body[span.start] === 0x6e;
}

function optionalBoolean(body: Buffer, members: Members, name: string): boolean {
  const span = members.get(name);
  if (!span || isNull(body, span)) return false;
  const value = readBooleanAt(body, span);
  if (value === undefined) throw wrongTypeFault(name, 'true or false');
  return value;
}

function optionalCount(body: Buffer, members: Members, name: string): number {
  const span = members.get(name);
  if (!span || isNull(body, span)) return 1;
  const value = readNumberAt(body, span);
  if (value === undefined || !Number.isInteger(value) || value < 1)
    throw wrongTypeFault(name, 'a positive integer');
  return value;
}
