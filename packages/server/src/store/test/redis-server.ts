import { after } from 'node:test';
import { type Redis, testRedis } from '@floe/testkit/redis';

let server: Promise<Redis> | null = null;
after(async () => {
  await (await server)?.stop();
});

/** URL of the Redis that the tests of one file share; each test takes an org of its own. */
export async function redisUrl(): Promise<string> {
  server ??= testRedis();
  return (await server).url;
}
