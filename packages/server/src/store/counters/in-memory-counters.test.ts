import { ManualClock } from '../test/manual-clock.ts';
import { countersSuite } from './counters.suite.ts';
import { InMemoryCounters } from './in-memory-counters.ts';

countersSuite('memory', async () => {
  const clock = new ManualClock();
  return {
    slackMs: 1,
    counters: new InMemoryCounters(clock),
    advance: async (ms) => clock.advance(ms),
  };
});
