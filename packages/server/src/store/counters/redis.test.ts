import { Redis } from 'ioredis';
import { redisUrl } from '../test/redis-server.ts';
import { countersSuite } from './counters.suite.ts';
import { openRedisCounters } from './redis.ts';

countersSuite('redis', async (t) => {
  const url = await redisUrl();
  let offset = 0;
  const counters = await openRedisCounters({ url, offsetMs: () => offset });
  t.after(async () => {
    await counters.close();
    const admin = new Redis(url);
    await admin.flushall();
    admin.disconnect();
  });
  return {
    counters,
    slackMs: 20_000,
    advance: async (ms) => {
      offset += ms;
    },
  };
});
