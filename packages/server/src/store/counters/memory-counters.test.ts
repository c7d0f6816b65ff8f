import { ManualClock } from '../test/manual-clock.ts';
import { countersSuite } from './counters.suite.ts';
import { MemoryCounters } from './memory-counters.ts';

countersSuite('memory', async () => {
  const clock = new ManualClock();
  return {
    slackMs: 1,
    counters: new MemoryCounters(clock),
    advance: async (ms) => clock.advance(ms),
  };
});
