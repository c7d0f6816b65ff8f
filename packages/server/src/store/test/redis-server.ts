import { after } from 'node:test';
import { getTestRedis, type TestRedis } from '@floe/testkit/redis';

let server: Promise<TestRedis> | null = null;
after(async () => {
  await (await server)?.stop();
});

/**
 * Starts the Redis server that the tests in one file share, and returns its URL. Each test uses its
 * own organization.
 */
export async function startTestRedis(): Promise<string> {
  server ??= getTestRedis();
  return (await server).url;
}
