import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { readFinish } from '@floe/wire/finish';
import type { UnitDraft } from '@floe/wire/units';
import { REPORTED_UNITS, type Usage } from '@floe/wire/usage';
import type { KeptAnswer } from '../../store/cache/answer-cache.ts';
import type { Ask } from '../ask.ts';
import type { Exchange } from '../exchange-record.ts';
import type { Tape } from './tape.ts';

/** What is known of a kept answer beside its bytes. */
export interface KeptHead {
  readonly streamed: boolean;
  /** Chat streams: whether the client had asked for the frame with the usage. */
  readonly showsUsage: boolean;
  readonly usage: Usage | null;
  readonly finish: string | null;
  readonly dropped: readonly string[];
}

/** An answer that may be told again; null unless it is whole and ended by the model itself. */
export function keptFrom(x: Exchange, tape: Tape): KeptAnswer | null {
  const body = tape.answer;
  const { usage, finish } = x.answer;
  if (body === null || body.length === 0 || finish === null) return null;
  const { reason } = readFinish(finish);
  if (reason === 'other' || reason === 'refusal') return null;
  const head: KeptHead = {
    streamed: x.request.ask?.stream ?? false,
    showsUsage: x.request.ask !== null && asksForUsage(x.request.ask.body, x.request.ask.members),
    usage,
    finish,
    dropped: x.answer.dropped,
  };
  return { head: JSON.stringify(head), body };
}

type Members = Ask['members'];

/** Whether a Chat client asked for the usage frame of its stream. */
export function asksForUsage(body: Buffer, members: Members): boolean {
  const options = members.get('stream_options');
  if (!options) return false;
  const value: Json = JSON.parse(body.toString('utf8', options.start, options.end));
  return isObject(value) && value.include_usage === true;
}

/** Null when another version of the program kept it in another form. */
export function headOf({ head }: KeptAnswer): KeptHead | null {
  let value: Json;
  try {
    value = JSON.parse(head);
  } catch {
    return null;
  }
  if (!isObject(value) || typeof value.streamed !== 'boolean' || !Array.isArray(value.dropped)) return null;
  return {
    streamed: value.streamed,
    showsUsage: value.showsUsage === true,
    usage: isObject(value.usage) && isObject(value.usage.units) ? usageOf(value.usage.units) : null,
    finish: typeof value.finish === 'string' ? value.finish : null,
    dropped: value.dropped.filter((name) => typeof name === 'string'),
  };
}

function usageOf(counts: JsonObject): Usage {
  const units: UnitDraft = {};
  for (const unit of REPORTED_UNITS) {
    const count = counts[unit];
    if (typeof count === 'number') units[unit] = count;
  }
  return { units };
}
