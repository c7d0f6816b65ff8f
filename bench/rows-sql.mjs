// One SQL connection for the generators of bench/rows.mjs, and the few expressions whose SQL differs between the engines.
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Number of distinct values of `uniform`. */
const RANGE = 32_768;
/** Odd factors, so that two columns of a row do not depend on each other. */
const FACTORS = [
  1_103_515_245, 1_664_525_013, 1_013_904_223, 1_597_334_677, 1_220_703_125, 1_812_433_253, 1_566_083_941,
  1_284_865_837, 1_481_765_933, 1_181_783_497, 1_328_179_867, 1_692_572_869,
];

/** Returns SQL for an even number from 0 to 32,767 that depends on column `n`. Each `column` gives other numbers. */
export const uniform = (column) => `(n * ${FACTORS[column]} % 2147483648 / 65536)`;

/** Returns SQL for the index of one of `count` values; the first is much more frequent than the last. */
export const skewed = (column, count) =>
  `(${uniform(column)} * ${uniform(column)} / ${RANGE} * ${count} / ${RANGE})`;

/** Returns SQL for a number from 0 to `count` - 1. */
export const spread = (column, count) => `(${uniform(column)} * ${count} / ${RANGE})`;

const EXPRESSIONS = {
  sqlite: {
    series: (count) =>
      `(with recursive n(n) as (select 0 union all select n + 1 from n where n < ${count - 1}) select n from n) as n`,
    hex: (value) => `printf('%012x', ${value})`,
    pad: (value) => `printf('%014d', ${value})`,
  },
  postgres: {
    series: (count) => `generate_series(0::bigint, ${count - 1}) as n(n)`,
    hex: (value) => `lpad(to_hex(${value}), 12, '0')`,
    pad: (value) => `lpad((${value})::text, 14, '0')`,
  },
};

/** Opens a connection that loads fast: a crash in between loses the data set, which can be generated again. */
export async function openSql(engine, url) {
  const expressions = EXPRESSIONS[engine];
  if (engine === 'postgres') {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `set synchronous_commit = off; set work_mem = '256MB'; set session_replication_role = replica`,
    );
    return {
      engine,
      ...expressions,
      query: async (sql, parameters) => (await client.query(sql, parameters)).rows,
      client,
      close: () => client.end(),
    };
  }
  const file = new DatabaseSync(url);
  file.exec(
    'pragma synchronous = off; pragma cache_size = -400000; pragma temp_store = memory; pragma foreign_keys = off',
  );
  return {
    engine,
    ...expressions,
    query: async (sql, parameters = []) => file.prepare(sql).all(...parameters),
    close: async () => file.close(),
  };
}
