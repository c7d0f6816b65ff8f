import {
  classifyExchangeOutcome,
  isErrorExchange,
  type RecordedExchangeResult,
} from '@floe/contract/exchange-outcome';
import type { Json } from '@floe/contract/json';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import type { ExchangeRowValues } from '../spool/exchange-row-lines.ts';
import { addStoredSums } from '../stored-sums.ts';
import { resolveCountedModel } from './counted-model.ts';
import { getHistogramBucketIndex, HISTOGRAM_BUCKET_INDEXES } from './histogram-buckets.ts';
import { readMetadataValue } from './read-metadata-value.ts';
import { ROLLUP_FIGURE_COLUMNS, type RollupFigureColumn } from './rollup-figures.ts';

/** The `attempts_json` value of a request without an upstream call. */
export const NO_ATTEMPTS_JSON = '[]';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** The dimensions that are counted alone and in pairs. The name of a pair lists its dimensions in this order. */
export const PAIRED_DIMENSIONS = ['provider', 'model', 'key', 'status_class', 'surface', 'outcome'] as const;
export type PairedDimension = (typeof PAIRED_DIMENSIONS)[number];

/** Dimensions that are counted per hour, but not in combination with another dimension. */
export const UNPAIRED_DIMENSIONS = [
  'model_requested',
  'route_mode',
  'state',
  'error_code',
  'cache',
  'team',
  'owner',
] as const;
export type UnpairedDimension = (typeof UNPAIRED_DIMENSIONS)[number];

/** Returns the facet name of a pair of dimensions, and its first dimension, in the order `PAIRED_DIMENSIONS`. */
export function resolvePairFacet(
  one: PairedDimension,
  other: PairedDimension,
): { facet: string; first: PairedDimension } {
  const [first, second] =
    PAIRED_DIMENSIONS.indexOf(one) < PAIRED_DIMENSIONS.indexOf(other) ? [one, other] : [other, one];
  return { facet: `${first}+${second}`, first };
}

export function formatMetadataFacet(name: string): `metadata.${string}` {
  return `metadata.${name}`;
}

/** An increment for a rollup row, with `figures` in the order of `ROLLUP_FIGURE_COLUMNS`. */
export interface RollupDelta {
  readonly orgId: string;
  readonly facet: string;
  readonly at: number;
  readonly value: string;
  /** Value of the second dimension of a pair; otherwise ''. */
  readonly byValue: string;
  readonly figures: number[];
}

export interface ExchangeMetadataEntry {
  readonly orgId: string;
  readonly name: string;
  readonly value: string;
  readonly createdAt: number;
  readonly exchangeId: string;
}

export interface AccumulatedRollups {
  readonly minutes: readonly RollupDelta[];
  readonly hours: readonly RollupDelta[];
  readonly pairs: readonly RollupDelta[];
  readonly metadata: readonly ExchangeMetadataEntry[];
}

/** The declared metadata keys of each organization, by organization id. */
export type DeclaredMetadataKeysByOrg = ReadonlyMap<string, readonly string[]>;

/** Parses the declared metadata keys in `orgs.metadata_keys_json`. */
export function parseDeclaredMetadataKeys(
  orgs: readonly { readonly id: string; readonly metadata_keys_json: string | null }[],
): DeclaredMetadataKeysByOrg {
  return new Map(orgs.map(({ id, metadata_keys_json }) => [id, parseMetadataKeyNames(metadata_keys_json)]));
}

/** Parses a JSON array of metadata key names. Ignores elements that are not strings. */
export function parseMetadataKeyNames(json: string | null): string[] {
  const list: Json = json === null ? [] : JSON.parse(json);
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}

const columnIndex = (name: (typeof EXCHANGE_COLUMNS)[number]) => EXCHANGE_COLUMNS.indexOf(name);
const figureIndex = (name: RollupFigureColumn) => ROLLUP_FIGURE_COLUMNS.indexOf(name);

const ID = columnIndex('id');
const ORG = columnIndex('org_id');
const CREATED_AT = columnIndex('created_at');
const PROVIDER = columnIndex('provider');
const MODEL = columnIndex('model');
const MODEL_REQUESTED = columnIndex('model_requested');
const STATUS = columnIndex('status');
const STATE = columnIndex('state');
const ERROR_CODE = columnIndex('error_code');
const LATENCY = columnIndex('latency_ms');
const FIRST_TOKEN = columnIndex('first_token_ms');
const METADATA = columnIndex('metadata_json');
const ATTEMPTS = columnIndex('attempts_json');
const KEY = columnIndex('key_id');
const SURFACE = columnIndex('surface');
const UNPAIRED_COLUMNS = UNPAIRED_DIMENSIONS.map(columnIndex);
/** The columns from which the values of the dimensions are derived. */
const KEY_COLUMNS = [PROVIDER, MODEL, KEY, STATUS, SURFACE, STATE, ...UNPAIRED_COLUMNS];
const SUMMED_COLUMNS = (
  [
    'input_tokens',
    'cached_tokens',
    'cache_write_tokens',
    'output_tokens',
    'reasoning_tokens',
    'cost_nano_usd',
    'saved_nano_usd',
  ] as const
).map((name) => ({ from: columnIndex(name), to: figureIndex(name) }));
const REQUESTS = figureIndex('requests');
const ERRORS = figureIndex('errors');
const LATENCY_SUM = figureIndex('latency_ms');
const LATENCY_0 = figureIndex(`latency_${HISTOGRAM_BUCKET_INDEXES[0]}`);
const FIRST_TOKEN_0 = figureIndex(`first_token_${HISTOGRAM_BUCKET_INDEXES[0]}`);

interface Combination {
  readonly orgId: string;
  readonly minute: number;
  /** The values, in the order of `PAIRED_DIMENSIONS` and then `UNPAIRED_DIMENSIONS`. */
  readonly values: readonly string[];
  readonly figures: number[];
}

/** Adds up the increments of rollups for new exchanges. */
export class RollupAccumulator {
  readonly #declared: DeclaredMetadataKeysByOrg;
  readonly #combinations = new Map<string, Combination>();
  /** The values of the last row. The next row often has the same values. */
  #last: { readonly row: ExchangeRowValues; readonly combination: Combination } | null = null;
  readonly #minutes = new DeltaMap();
  readonly #hours = new DeltaMap();
  readonly #metadata: ExchangeMetadataEntry[] = [];

  constructor(declared: DeclaredMetadataKeysByOrg) {
    this.#declared = declared;
  }

  /** @param row columns of an exchange in the order of `EXCHANGE_COLUMNS` */
  add(row: ExchangeRowValues): void {
    const orgId = String(row[ORG]);
    const createdAt = Number(row[CREATED_AT]);
    const minute = createdAt - (createdAt % MINUTE_MS);
    const last = this.#last;
    const isAlike =
      last?.combination.minute === minute && last.row[ORG] === row[ORG] && haveSameValues(last.row, row);
    const combination = isAlike ? last.combination : this.#combinationOf(row, orgId, minute);
    if (!isAlike) this.#last = { row, combination };
    addRowToFigures(combination.figures, row);
    for (const key of this.#declared.get(orgId) ?? []) this.#addMetadata(key, row, orgId, createdAt);
  }

  #combinationOf(row: ExchangeRowValues, orgId: string, minute: number): Combination {
    const values = dimensionValues(row);
    const name = [orgId, minute, ...values].join('\u0000');
    const known = this.#combinations.get(name);
    if (known) return known;
    const combination = { orgId, minute, values, figures: createZeroFigures() };
    this.#combinations.set(name, combination);
    return combination;
  }

  #addMetadata(name: string, row: ExchangeRowValues, orgId: string, createdAt: number): void {
    const value = readMetadataValue(row[METADATA], name);
    if (value === null) return;
    const figures = createZeroFigures();
    addRowToFigures(figures, row);
    const facet = formatMetadataFacet(name);
    this.#minutes.add({ orgId, at: createdAt - (createdAt % MINUTE_MS), figures }, facet, value);
    this.#hours.add({ orgId, at: createdAt - (createdAt % HOUR_MS), figures }, facet, value);
    this.#metadata.push({ orgId, name, value, createdAt, exchangeId: String(row[ID]) });
  }

  /** Returns all increments. Each list has a fixed order, so that concurrent writers do not deadlock. */
  result(): AccumulatedRollups {
    const [minutes, hours, pairs] = [this.#minutes, this.#hours, new DeltaMap()];
    for (const { orgId, minute, values, figures } of this.#combinations.values()) {
      const ofMinute = { orgId, at: minute, figures };
      const ofHour = { orgId, at: minute - (minute % HOUR_MS), figures };
      minutes.add(ofMinute, 'all', '');
      hours.add(ofHour, 'all', '');
      for (const [at, dimension] of PAIRED_DIMENSIONS.entries()) {
        const value = values[at] ?? '';
        minutes.add(ofMinute, dimension, value);
        hours.add(ofHour, dimension, value);
        for (let after = at + 1; after < PAIRED_DIMENSIONS.length; after++)
          pairs.add(ofHour, `${dimension}+${PAIRED_DIMENSIONS[after]}`, value, values[after] ?? '');
      }
      for (const [at, dimension] of UNPAIRED_DIMENSIONS.entries())
        hours.add(ofHour, dimension, values[PAIRED_DIMENSIONS.length + at] ?? '');
    }
    const metadata = this.#metadata;
    return { minutes: minutes.sorted(), hours: hours.sorted(), pairs: pairs.sorted(), metadata };
  }
}

/** The figures that are added to one minute or hour of an organization. */
interface RollupAmount {
  readonly orgId: string;
  readonly at: number;
  readonly figures: readonly number[];
}

/** Increments by the key of their table row. */
class DeltaMap {
  readonly #found = new Map<string, RollupDelta>();

  // Called about twenty times for each combination of values, so the object with the amount is shared.
  add({ orgId, at, figures }: RollupAmount, facet: string, value: string, byValue = ''): void {
    const name = `${orgId}\u0000${facet}\u0000${value}\u0000${at}\u0000${byValue}`;
    const known = this.#found.get(name)?.figures;
    if (!known) this.#found.set(name, { orgId, facet, at, value, byValue, figures: [...figures] });
    else for (let i = 0; i < known.length; i++) known[i] = addStoredSums(known[i] ?? 0, figures[i] ?? 0);
  }

  sorted(): RollupDelta[] {
    return [...this.#found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, delta]) => delta);
  }
}

/** Returns whether two rows have the same value in every dimension. */
function haveSameValues(one: ExchangeRowValues, other: ExchangeRowValues): boolean {
  for (const at of KEY_COLUMNS) if (one[at] !== other[at]) return false;
  return true;
}

function createZeroFigures(): number[] {
  return new Array<number>(ROLLUP_FIGURE_COLUMNS.length).fill(0);
}

function addRowToFigures(figures: number[], row: ExchangeRowValues): void {
  const add = (at: number, more: number) => {
    figures[at] = addStoredSums(figures[at] ?? 0, more);
  };
  add(REQUESTS, 1);
  for (const { from, to } of SUMMED_COLUMNS) add(to, numberValue(row[from]));
  // A request without an upstream call has no provider latency, and its error is not a provider error.
  if (row[ATTEMPTS] === NO_ATTEMPTS_JSON) return;
  if (isErrorExchange(recordedResult(row))) add(ERRORS, 1);
  const latency = numberValue(row[LATENCY]);
  add(LATENCY_SUM, latency);
  add(LATENCY_0 + getHistogramBucketIndex(latency), 1);
  const firstToken = row[FIRST_TOKEN] ?? null;
  if (firstToken !== null) add(FIRST_TOKEN_0 + getHistogramBucketIndex(numberValue(firstToken)), 1);
}

/** Returns the values of a row, in the order of `PAIRED_DIMENSIONS` and then `UNPAIRED_DIMENSIONS`. */
function dimensionValues(row: ExchangeRowValues): string[] {
  const provider = textValue(row[PROVIDER]);
  return [
    provider,
    resolveCountedModel({
      provider,
      model: textValue(row[MODEL]),
      requested: textValue(row[MODEL_REQUESTED]),
      state: textValue(row[STATE]),
    }),
    textValue(row[KEY]),
    statusClass(row[STATUS]),
    textValue(row[SURFACE]),
    classifyExchangeOutcome(recordedResult(row)),
    ...UNPAIRED_COLUMNS.map((at) => textValue(row[at])),
  ];
}

function recordedResult(row: ExchangeRowValues): RecordedExchangeResult {
  return { state: String(row[STATE]), status: Number(row[STATUS]), error_code: textValue(row[ERROR_CODE]) };
}

/** Returns the status class, such as `4xx` for 429. */
function statusClass(status: ExchangeRowValues[number] | undefined): string {
  return `${Math.floor(Number(status) / 100)}xx`;
}

/** Returns a number; 0 for a value that is not a number, because SQLite columns accept text. */
function numberValue(value: ExchangeRowValues[number] | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function textValue(value: ExchangeRowValues[number] | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}
