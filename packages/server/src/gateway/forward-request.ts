import { type Edit, memberEdit, readBoolean, spanMembers, splice } from '@floe/wire/splice';
import type { UpstreamRequest } from '../providers/transport.ts';
import type { Ask } from './ask.ts';
import type { Target } from './catalog.ts';

/** Client headers an upstream of the same dialect may see; everything else stays here. */
const FORWARDED = ['openai-beta'] as const;

export interface Forwarded {
  readonly request: UpstreamRequest;
  /** We asked for usage the client did not ask for: its extra frame is taken out again. */
  readonly usageFrameIsOurs: boolean;
}

/** The client's bytes, but for `model` (and a missing `stream_options.include_usage` where the sheet asks for it). */
export function forwardRequest(
  ask: Ask,
  target: Target,
  path: string,
  clientHeaders: Readonly<Record<string, string | string[] | undefined>>,
): Forwarded {
  const { provider, credential, model } = target;
  const edits: Edit[] = [memberEdit(ask.body, ask.members, 'model', JSON.stringify(model))];
  const usage = ask.stream && provider.sheet.usage === 'ask' ? usageEdit(ask) : null;
  if (usage) edits.push(usage);
  for (const [name, json] of provider.body) edits.push(memberEdit(ask.body, ask.members, name, json));
  edits.sort((a, b) => a.start - b.start);
  const headers = [
    ...provider.headersFor(credential),
    'accept',
    ask.stream ? 'text/event-stream' : 'application/json',
  ];
  for (const name of FORWARDED) {
    const value = clientHeaders[name];
    if (typeof value === 'string') headers.push(name, value);
  }
  return {
    request: {
      method: 'POST',
      origin: provider.origin,
      path,
      headers,
      body: splice(ask.body, edits),
      connectMs: provider.timeouts.connectMs,
    },
    usageFrameIsOurs: usage !== null,
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
