import { ERROR_OUTCOMES } from '@floe/contract/outcome';
import { type RawBuilder, sql } from 'kysely';
import { outcomeInSql } from '../exchange-filters.ts';
import type { Reader } from '../ports.ts';
import { BUCKETS, upperBound } from './buckets.ts';
import { FIRST_TOKEN_BUCKETS, type Figure, LATENCY_BUCKETS } from './figures.ts';
import { NO_ATTEMPTS } from './gather.ts';
import { minuteSums, type PlacedPiece, partedAtMinutes } from './minute-pieces.ts';
import type { PieceRequest, PieceSums } from './piece.ts';
import { type Facet, isAmong } from './read.ts';

/**
 * Adds up the rows of each piece as the rollups would, per value of `groupBy`. Pieces without a row are left out; what
 * a piece holds may come in two parts.
 */
export async function pieceSums(reader: Reader, request: PieceRequest): Promise<PieceSums[]> {
  const { minutes, rest } = partedAtMinutes(request);
  const ofRows = await rowSums(reader, request, rest);
  return [...ofRows, ...(await minuteSums(reader, request, minutes))];
}

/** Pieces of one statement: planning more of them takes PostgreSQL as long as reading their rows. */
const PIECES_PER_READ = 8;
const READS_AT_ONCE = 4;

/**
 * Each piece is a select of its own, whose bounds PostgreSQL knows when it plans: it looks at one day's partition by its
 * index. Joined with a table of pieces it may walk over every row there is (2 s for two pieces of 5 million rows, 14 s for 31).
 */
async function rowSums(
  reader: Reader,
  request: PieceRequest,
  pieces: readonly PlacedPiece[],
): Promise<PieceSums[]> {
  const some = Array.from({ length: Math.ceil(pieces.length / PIECES_PER_READ) }, (_, at) =>
    pieces.slice(at * PIECES_PER_READ, (at + 1) * PIECES_PER_READ),
  );
  const found: ReadonlyMap<string, unknown>[] = [];
  for (let at = 0; at < some.length; at += READS_AT_ONCE)
    for (const rows of await Promise.all(
      some.slice(at, at + READS_AT_ONCE).map((few) => sumsOfPieces(reader, request, few)),
    ))
      found.push(...rows);
  return together(found, request);
}

async function sumsOfPieces(reader: Reader, request: PieceRequest, pieces: readonly PlacedPiece[]) {
  const [first, ...others] = pieces.map((piece) => sumsOfPiece(reader, request, piece));
  const all = others.reduce((before, each) => before?.unionAll(each), first);
  const rows = (await all?.execute()) ?? [];
  return rows.map((row) => new Map<string, unknown>(Object.entries(row)));
}

function sumsOfPiece(
  reader: Reader,
  { orgId, filter, conditions = [], groupBy, figures }: PieceRequest,
  { at, from, to }: PlacedPiece,
) {
  let rows = reader
    .selectFrom('exchanges')
    .where('org_id', '=', orgId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to);
  for (const condition of conditions) rows = rows.where(condition);
  if (filter) rows = rows.where(isAmong(facetValue(filter.facet), filter.any, filter.none));
  // What has no value of a metadata key is no part of what is counted by it.
  if (filter && isMetadata(filter.facet)) rows = rows.where(sql<boolean>`${facetValue(filter.facet)} <> ''`);
  const groups = [
    ...groupBy.map((facet, place) => ({ name: `value_${place}`, value: facetValue(facet) })),
    ...histogramsIn(figures).map((name) => ({ name, value: bucketColumn(name) })),
  ];
  const summed = figures.filter((name) => !isBucket(name));
  return rows
    .select([
      sql<number>`cast(${at} as integer)`.as('piece'),
      sql<number>`count(*)`.as('counted'),
      ...groups.map(({ name, value }) => value.as(name)),
      ...summed.map((name) => figureOf(name).as(name)),
    ])
    .groupBy(['piece', ...groups.map(({ name }) => sql.ref(name))]);
}

/** One for each piece and values, of rows that are told apart by the buckets they fall into. */
function together(
  rows: readonly ReadonlyMap<string, unknown>[],
  { groupBy, figures }: PieceRequest,
): PieceSums[] {
  const places = new Map<string, number>(figures.map((name, place) => [name, place]));
  const histograms = histogramsIn(figures);
  const found = new Map<string, PieceSums & { readonly sums: number[] }>();
  for (const row of rows) {
    const piece = Number(row.get('piece'));
    const values = groupBy.map((_, at) => String(row.get(`value_${at}`) ?? ''));
    const name = [piece, ...values].join('\u0000');
    const { sums } = found.get(name) ?? { sums: figures.map(() => 0) };
    found.set(name, { piece, values, sums });
    const add = (place: number | undefined, more: unknown) => {
      if (place !== undefined) sums[place] = (sums[place] ?? 0) + Number(more ?? 0);
    };
    for (const figure of figures) if (!isBucket(figure)) add(places.get(figure), row.get(figure));
    for (const histogram of histograms)
      add(places.get(`${histogram}_${Number(row.get(histogram))}`), row.get('counted'));
  }
  return [...found.values()];
}

const HISTOGRAMS = ['latency', 'first_token'] as const;
const BUCKET_NAMES: ReadonlySet<string> = new Set([...LATENCY_BUCKETS, ...FIRST_TOKEN_BUCKETS]);

function isBucket(name: Figure): boolean {
  return BUCKET_NAMES.has(name);
}

function histogramsIn(figures: readonly Figure[]) {
  return HISTOGRAMS.filter((histogram) =>
    figures.some((name) => isBucket(name) && name.startsWith(`${histogram}_`)),
  );
}

/** What a row counts for in a facet, as `Gatherer` has it. */
function facetValue(facet: Facet): RawBuilder<string> {
  if (facet === 'key') return sql`key_id`;
  if (facet === 'outcome') return outcomeInSql;
  if (facet === 'model')
    return sql`case when coalesce(model, '') = '' or coalesce(provider, '') = '' then coalesce(model, '') else provider || '/' || model end`;
  if (facet === 'status_class') return sql`cast(status / 100 as text) || 'xx'`;
  if (!isMetadata(facet)) return sql`coalesce(${sql.ref(facet)}, '')`;
  const path = `$.${JSON.stringify(facet.slice(METADATA.length))}`;
  return sql`coalesce(cast(json_extract(metadata_json, ${path}) as text), '')`;
}

const METADATA = 'metadata.';

function isMetadata(facet: Facet): facet is `metadata.${string}` {
  return facet.startsWith(METADATA);
}

/** What rows add up to, as `Gatherer` counts them one by one. */
function figureOf(name: Figure): RawBuilder<number> {
  return sql<number>`cast(sum(${countedIn(name)}) as double precision)`;
}

function countedIn(name: Figure): RawBuilder<unknown> {
  if (name === 'requests') return sql`1`;
  if (name === 'errors') return sql`case when ${reached} and ${isErrorRowInSql()} then 1 else 0 end`;
  if (name === 'latency_ms') return sql`case when ${reached} then coalesce(latency_ms, 0) else 0 end`;
  return sql`coalesce(${sql.ref(name)}, 0)`;
}

/** An upstream was asked. */
const reached = sql`attempts_json <> ${sql.lit(NO_ATTEMPTS)}`;

function isErrorRowInSql(): RawBuilder<boolean> {
  return sql<boolean>`${outcomeInSql} in (${sql.join(ERROR_OUTCOMES.map((outcome) => sql.lit(outcome)))})`;
}

/** The bucket a row falls into; -1 for a row without an upstream, and without a first token. */
function bucketColumn(histogram: (typeof HISTOGRAMS)[number]): RawBuilder<string> {
  const duration = histogram === 'latency' ? sql`coalesce(latency_ms, 0)` : sql`first_token_ms`;
  const cases = BUCKETS.flatMap((bucket) => {
    const most = upperBound(bucket);
    return most === null ? [] : [sql`when ${duration} <= ${sql.lit(most)} then ${sql.lit(bucket)}`];
  });
  const last = sql.lit(BUCKETS.at(-1) ?? 0);
  return sql`case when ${duration} is null or not (${reached}) then -1 ${sql.join(cases, sql` `)} else ${last} end`;
}
