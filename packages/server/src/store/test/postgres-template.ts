import pg from 'pg';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { openPostgres } from '../postgres/open-postgres.ts';

const NAME = 'floe_template';

/**
 * Creates the database that test files copy, and returns its name.
 * @param server URL with an administrator's login
 */
export async function createTemplateDatabase(server: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`drop database if exists ${NAME}`);
  await client.query(`create database ${NAME}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${NAME}`;
  await (await openPostgres(url.href, { log: silentLog, clock: systemClock })).close();
  return NAME;
}
