import { isObject, type Json } from '@floe/contract/json';
import { isErrorRow, outcomeOf } from '@floe/contract/outcome';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import type { RowValues } from '../spool/row-lines.ts';
import { BUCKETS, bucketOf } from './buckets.ts';
import { FIGURES, type Figure } from './figures.ts';

/** `attempts_json` of a request that reached no upstream. */
export const NO_ATTEMPTS = '[]';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** What charts are grouped and filtered by, in the order pairs are named. */
export const DIMENSIONS = ['provider', 'model', 'key', 'status_class', 'surface', 'outcome'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Counted by the hour and each by itself: neither in minutes nor together with another. */
export const LONE_DIMENSIONS = [
  'model_requested',
  'route_mode',
  'state',
  'error_code',
  'cache',
  'team',
  'owner',
] as const;
export type LoneDimension = (typeof LONE_DIMENSIONS)[number];

/** The facet of two dimensions, the first of `DIMENSIONS` first. */
export function pairFacet(one: Dimension, other: Dimension): { facet: string; first: Dimension } {
  const [first, second] = DIMENSIONS.indexOf(one) < DIMENSIONS.indexOf(other) ? [one, other] : [other, one];
  return { facet: `${first}+${second}`, first };
}

export function metadataFacet(name: string): `metadata.${string}` {
  return `metadata.${name}`;
}

/** One row to be added to a rollup table; `figures` in the order of `FIGURES`, of which pairs take the sums. */
export interface RollupDelta {
  readonly orgId: string;
  readonly facet: string;
  readonly at: number;
  readonly value: string;
  /** '' but for pairs. */
  readonly byValue: string;
  readonly figures: number[];
}

export interface MetadataEntry {
  readonly orgId: string;
  readonly name: string;
  readonly value: string;
  readonly createdAt: number;
  readonly exchangeId: string;
}

export interface Gathered {
  readonly minutes: readonly RollupDelta[];
  readonly hours: readonly RollupDelta[];
  readonly pairs: readonly RollupDelta[];
  readonly metadata: readonly MetadataEntry[];
}

/** Metadata keys an org declared, by its id. */
export type DeclaredKeys = ReadonlyMap<string, readonly string[]>;

/** The stored lists of declared keys, as `orgs.metadata_keys_json` holds them. */
export function declaredKeys(
  orgs: readonly { readonly id: string; readonly metadata_keys_json: string | null }[],
): DeclaredKeys {
  return new Map(orgs.map(({ id, metadata_keys_json }) => [id, namesIn(metadata_keys_json)]));
}

/** Names in a stored list; what is not text was not written by `putOrg`. */
export function namesIn(json: string | null): string[] {
  const list: Json = json === null ? [] : JSON.parse(json);
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

const column = (name: (typeof EXCHANGE_COLUMNS)[number]) => EXCHANGE_COLUMNS.indexOf(name);
const figure = (name: Figure) => FIGURES.indexOf(name);

const ID = column('id');
const ORG = column('org_id');
const CREATED_AT = column('created_at');
const PROVIDER = column('provider');
const MODEL = column('model');
const STATUS = column('status');
const STATE = column('state');
const LATENCY = column('latency_ms');
const FIRST_TOKEN = column('first_token_ms');
const METADATA = column('metadata_json');
const ATTEMPTS = column('attempts_json');
const KEY = column('key_id');
const SURFACE = column('surface');
const LONE = LONE_DIMENSIONS.map(column);
/** What the values of a row come from. */
const KEYED = [PROVIDER, MODEL, KEY, STATUS, SURFACE, STATE, ...LONE];
const SUMMED = (
  [
    'input_tokens',
    'cached_tokens',
    'cache_write_tokens',
    'output_tokens',
    'reasoning_tokens',
    'cost_nano_usd',
    'saved_nano_usd',
  ] as const
).map((name) => ({ from: column(name), to: figure(name) }));
const REQUESTS = figure('requests');
const ERRORS = figure('errors');
const LATENCY_SUM = figure('latency_ms');
const LATENCY_0 = figure(`latency_${BUCKETS[0]}`);
const FIRST_TOKEN_0 = figure(`first_token_${BUCKETS[0]}`);

interface Combination {
  readonly orgId: string;
  readonly minute: number;
  /** In the order of `DIMENSIONS`, then of `LONE_DIMENSIONS`. */
  readonly values: readonly string[];
  readonly figures: number[];
}

/** Adds up what newly inserted exchanges change in the rollups. */
export class Gatherer {
  readonly #declared: DeclaredKeys;
  readonly #combinations = new Map<string, Combination>();
  /** What the last row was counted in: the next one is often alike. */
  #last: { readonly row: RowValues; readonly minute: number; readonly combination: Combination } | null =
    null;
  readonly #minutes = new Deltas();
  readonly #hours = new Deltas();
  readonly #metadata: MetadataEntry[] = [];

  constructor(declared: DeclaredKeys) {
    this.#declared = declared;
  }

  /** `row` has the columns of an exchange in the order of `EXCHANGE_COLUMNS`. */
  add(row: RowValues): void {
    const orgId = String(row[ORG]);
    const createdAt = Number(row[CREATED_AT]);
    const minute = createdAt - (createdAt % MINUTE_MS);
    const last = this.#last;
    const isAlike =
      last !== null && last.minute === minute && last.row[ORG] === row[ORG] && areAlike(last.row, row);
    const combination = isAlike ? last.combination : this.#combinationOf(row, orgId, minute);
    if (!isAlike) this.#last = { row, minute, combination };
    count(combination.figures, row);
    for (const key of this.#declared.get(orgId) ?? []) this.#addMetadata(key, row, orgId, createdAt);
  }

  #combinationOf(row: RowValues, orgId: string, minute: number): Combination {
    const values = valuesOf(row);
    const name = [orgId, minute, ...values].join('\u0000');
    const known = this.#combinations.get(name);
    if (known) return known;
    const combination = { orgId, minute, values, figures: zeroes() };
    this.#combinations.set(name, combination);
    return combination;
  }

  #addMetadata(name: string, row: RowValues, orgId: string, createdAt: number): void {
    const value = metadataValue(row[METADATA], name);
    if (value === null) return;
    const figures = zeroes();
    count(figures, row);
    const facet = metadataFacet(name);
    this.#minutes.add({ orgId, at: createdAt - (createdAt % MINUTE_MS), figures }, facet, value);
    this.#hours.add({ orgId, at: createdAt - (createdAt % HOUR_MS), figures }, facet, value);
    this.#metadata.push({ orgId, name, value, createdAt, exchangeId: String(row[ID]) });
  }

  /** Everything added, each list in one fixed order, so that writers side by side cannot deadlock. */
  result(): Gathered {
    const [minutes, hours, pairs] = [this.#minutes, this.#hours, new Deltas()];
    for (const { orgId, minute, values, figures } of this.#combinations.values()) {
      const ofMinute = { orgId, at: minute, figures };
      const ofHour = { orgId, at: minute - (minute % HOUR_MS), figures };
      minutes.add(ofMinute, 'all', '');
      hours.add(ofHour, 'all', '');
      for (const [at, dimension] of DIMENSIONS.entries()) {
        const value = values[at] ?? '';
        minutes.add(ofMinute, dimension, value);
        hours.add(ofHour, dimension, value);
        for (let after = at + 1; after < DIMENSIONS.length; after++)
          pairs.add(ofHour, `${dimension}+${DIMENSIONS[after]}`, value, values[after] ?? '');
      }
      for (const [at, dimension] of LONE_DIMENSIONS.entries())
        hours.add(ofHour, dimension, values[DIMENSIONS.length + at] ?? '');
    }
    return {
      minutes: minutes.sorted(),
      hours: hours.sorted(),
      pairs: pairs.sorted(),
      metadata: this.#metadata,
    };
  }
}

/** What is added to a piece of time of an org. */
interface Amount {
  readonly orgId: string;
  readonly at: number;
  readonly figures: readonly number[];
}

/** Deltas by the key of their table. */
class Deltas {
  readonly #found = new Map<string, RollupDelta>();

  // Called some twenty times for each combination of a batch: the amount is one object for all of them.
  add({ orgId, at, figures }: Amount, facet: string, value: string, byValue = ''): void {
    const name = `${orgId}\u0000${facet}\u0000${value}\u0000${at}\u0000${byValue}`;
    const known = this.#found.get(name)?.figures;
    if (!known) this.#found.set(name, { orgId, facet, at, value, byValue, figures: [...figures] });
    else for (let i = 0; i < known.length; i++) known[i] = (known[i] ?? 0) + (figures[i] ?? 0);
  }

  sorted(): RollupDelta[] {
    return [...this.#found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, delta]) => delta);
  }
}

/** Whether two rows have one value in every dimension. */
function areAlike(one: RowValues, other: RowValues): boolean {
  for (const at of KEYED) if (one[at] !== other[at]) return false;
  return true;
}

function zeroes(): number[] {
  return new Array<number>(FIGURES.length).fill(0);
}

function count(figures: number[], row: RowValues): void {
  const add = (at: number, more: number) => {
    figures[at] = (figures[at] ?? 0) + more;
  };
  add(REQUESTS, 1);
  for (const { from, to } of SUMMED) add(to, number(row[from]));
  // Durations and errors are those of requests that an upstream was asked for (product page, "Analytics").
  if (row[ATTEMPTS] === NO_ATTEMPTS) return;
  if (isErrorRow(String(row[STATE]), Number(row[STATUS]))) add(ERRORS, 1);
  const latency = number(row[LATENCY]);
  add(LATENCY_SUM, latency);
  add(LATENCY_0 + bucketOf(latency), 1);
  const firstToken = row[FIRST_TOKEN] ?? null;
  if (firstToken !== null) add(FIRST_TOKEN_0 + bucketOf(number(firstToken)), 1);
}

/** In the order of `DIMENSIONS`, then of `LONE_DIMENSIONS`. */
function valuesOf(row: RowValues): string[] {
  const provider = text(row[PROVIDER]);
  return [
    provider,
    servedModel(provider, text(row[MODEL])),
    text(row[KEY]),
    statusClass(row[STATUS]),
    text(row[SURFACE]),
    outcomeOf(String(row[STATE]), Number(row[STATUS])),
    ...LONE.map((at) => text(row[at])),
  ];
}

/** Two providers may serve models of one name, at different prices. */
function servedModel(provider: string, model: string): string {
  return provider === '' || model === '' ? model : `${provider}/${model}`;
}

/** `429` is of class `4xx`. */
function statusClass(status: RowValues[number] | undefined): string {
  return `${Math.floor(Number(status) / 100)}xx`;
}

/** Nothing for what is no number: SQLite's columns take text too, and a sum must not break on it. */
function number(value: RowValues[number] | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function text(value: RowValues[number] | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

/** A member of the exchange's metadata as text; null when it has none that text can stand for. */
function metadataValue(json: RowValues[number] | undefined, name: string): string | null {
  if (typeof json !== 'string') return null;
  const metadata = parsed(json);
  const value = isObject(metadata) && Object.hasOwn(metadata, name) ? metadata[name] : null;
  return value === null || typeof value === 'object' ? null : String(value);
}

function parsed(json: string): Json {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
