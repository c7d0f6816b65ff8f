import { after } from 'node:test';
import { getTestRedis, type TestRedis } from '@floe/testkit/redis';

let server: Promise<TestRedis> | null = null;
after(async () => {
  await (await server)?.stop();
});

/** URL of the Redis server that the tests of one file share. Each test uses an organization of its own. */
export async function startTestRedis(): Promise<string> {
  server ??= getTestRedis();
  return (await server).url;
}
