import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import type { MutableBilledUnitCounts } from '@floe/wire/billed-unit-counts';
import { parseFinishReason } from '@floe/wire/finish-reason';
import { REPORTED_TOKEN_UNITS, type Usage } from '@floe/wire/usage';
import type { CachedResponse } from '../../store/cache/response-cache.ts';
import type { ClientRequest } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import type { ResponseRecorder } from './response-recorder.ts';

/** The metadata stored with a cached response. */
export interface CachedResponseMetadata {
  readonly streamed: boolean;
  /** For Chat streams: whether the client requested the usage frame. */
  readonly showsUsage: boolean;
  readonly usage: Usage | null;
  readonly finish: string | null;
  readonly dropped: readonly string[];
}

/**
 * Returns the response to cache. Returns null if the response was cut off, or if its finish reason
 * shows that the model stopped early.
 */
export function buildCachedResponse(x: Exchange, recorder: ResponseRecorder): CachedResponse | null {
  const body = recorder.answer;
  const { usage, finishReason } = x.answer;
  if (body === null || body.length === 0 || finishReason === null) return null;
  const { reason } = parseFinishReason(finishReason);
  if (reason === 'other' || reason === 'refusal') return null;
  const head: CachedResponseMetadata = {
    streamed: x.request.prompt?.stream ?? false,
    showsUsage:
      x.request.prompt !== null && isUsageChunkRequested(x.request.prompt.body, x.request.prompt.members),
    usage,
    finish: finishReason,
    dropped: x.answer.dropped,
  };
  return { head: JSON.stringify(head), body };
}

type Members = ClientRequest['members'];

/** Returns whether a Chat client requested a final chunk with the usage (`stream_options.include_usage`). */
export function isUsageChunkRequested(body: Buffer, members: Members): boolean {
  const options = members.get('stream_options');
  if (!options) return false;
  const value: Json = JSON.parse(body.toString('utf8', options.start, options.end));
  return isJsonObject(value) && value.include_usage === true;
}

/**
 * Parses the metadata of a cached response. Returns null if another Floe version wrote it in a
 * different format.
 */
export function parseCachedResponseMetadata({ head }: CachedResponse): CachedResponseMetadata | null {
  let value: Json;
  try {
    value = JSON.parse(head);
  } catch {
    return null;
  }
  if (!isJsonObject(value) || typeof value.streamed !== 'boolean' || !Array.isArray(value.dropped))
    return null;
  return {
    streamed: value.streamed,
    showsUsage: value.showsUsage === true,
    usage:
      isJsonObject(value.usage) && isJsonObject(value.usage.units) ? parseUsage(value.usage.units) : null,
    finish: typeof value.finish === 'string' ? value.finish : null,
    dropped: value.dropped.filter((name) => typeof name === 'string'),
  };
}

function parseUsage(counts: JsonObject): Usage {
  const units: MutableBilledUnitCounts = {};
  for (const unit of REPORTED_TOKEN_UNITS) {
    const count = counts[unit];
    if (typeof count === 'number') units[unit] = count;
  }
  return { units };
}
