import { CounterFamily, GaugeFamily } from '../analytics/metric-families.ts';
import type { PolicyThreads } from '../guardrails/policies/policy-threads.ts';

/**
 * Creates the metrics about policy evaluations in worker threads. `render` returns them in the Prometheus text
 * format.
 */
export function createPolicyThreadMetrics(threads: Pick<PolicyThreads, 'stats'>): { render(): string } {
  const waiting = new GaugeFamily({
    name: 'floe_policy_thread_evaluations',
    help: 'Number of policy evaluations of large bodies that are waiting for a policy thread or running.',
    labels: [],
  });
  const bytes = new GaugeFamily({
    name: 'floe_policy_thread_bytes',
    help: 'Total size in bytes of the bodies of policy evaluations that are waiting for a policy thread or running.',
    labels: [],
  });
  const rejected = new CounterFamily({
    name: 'floe_policy_thread_rejections_total',
    help: 'Number of requests that Floe rejected with status 503 because too many or too large policy evaluations were waiting, or because an evaluation took too much time or memory.',
    labels: [],
  });
  return {
    render() {
      const now = threads.stats();
      for (const family of [waiting, bytes, rejected]) family.clear();
      waiting.add(now.tasks);
      bytes.add(now.bytes);
      rejected.add(now.rejected);
      return waiting.render() + bytes.render() + rejected.render();
    },
  };
}
