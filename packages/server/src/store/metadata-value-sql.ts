import { type RawBuilder, sql } from 'kysely';
import { getDatabaseEngine } from './database-engine.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/**
 * Returns the SQL expression for the metadata value of an exchange with this name, as `readMetadataValue` returns it.
 * Numbers keep the text of the stored JSON, which `JSON.stringify` has written.
 */
export function buildMetadataValueSql(reader: DatabaseReader, name: string): RawBuilder<string | null> {
  if (getDatabaseEngine(reader) === 'postgres') {
    const key = sql`cast(${name} as text)`;
    return sql`case when json_typeof(metadata_json::json -> ${key}) not in ('object', 'array')
      then metadata_json::json ->> ${key} end`;
  }
  // The path is `$."name"`, quoted as JSON. SQLite rejects JSON with more than 1,000 levels.
  const path = `$.${JSON.stringify(name)}`;
  return sql`case when json_valid(metadata_json) then case json_type(metadata_json, ${path})
    when 'text' then json_extract(metadata_json, ${path})
    when 'null' then null when 'object' then null when 'array' then null
    else metadata_json -> ${path} end end`;
}
