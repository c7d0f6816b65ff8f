// Creates a monitor and reads it with the generated types: `node use-types.ts <base URL> <key>`.
import createClient from 'openapi-fetch';
import type { paths } from './floe.ts';

declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [, , baseUrl = '', key = ''] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const created = await client.POST('/api/monitoring/monitors', {
  body: { id: 'nightly', expected_interval_minutes: 60 },
});
if (created.error) throw new Error(created.error.error.message);
const read = await client.GET('/api/monitoring/monitors/{id}', { params: { path: { id: created.data.id } } });
if (read.error) throw new Error(read.error.error.message);
process.stdout.write(`${read.data.id} ${read.data.status}\n`);
