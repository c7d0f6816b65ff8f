import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { BodyName } from './bodies.ts';
import type { RunningCandidate } from './candidate-fleet.ts';
import { FEATURES, type FloeFeature, formatOrgFields } from './features.ts';
import { prepareFloe } from './floe-candidate.ts';
import { measureRequests } from './load/loads.ts';
import { FEATURE_BODIES, FEATURE_CONNECTIONS, featureMetricId } from './metrics.ts';
import { type BenchPlan, measureCpu, shuffled, warmRequests } from './series.ts';

interface RunningFeature {
  readonly feature: FloeFeature;
  readonly member: RunningCandidate;
}

/**
 * CPU per request of Floe with each set of features: one process for each, in turns. They start here and not with the
 * other candidates, whose core they would share.
 */
export async function featureSeries(plan: BenchPlan, reps: readonly number[]): Promise<void> {
  const bodies = FEATURE_BODIES.filter((body) => plan.bodies.includes(body));
  const running: RunningFeature[] = [];
  try {
    for (const feature of FEATURES) running.push(await startFeature(plan, feature));
    for (const { member } of running) {
      await warmRequests(plan, member);
      for (const body of bodies) await measureRequests(member, body, FEATURE_CONNECTIONS, 1, plan.workDir);
    }
    for (const rep of reps) for (const body of bodies) await measureBody(plan, rep, body, running);
  } finally {
    await Promise.all(running.map(({ member }) => member.running.stop()));
  }
}

async function startFeature(plan: BenchPlan, feature: FloeFeature): Promise<RunningFeature> {
  plan.say(`starting floe: ${feature.label}`);
  const workDir = mkdtempSync(join(plan.workDir, 'feature-'));
  const candidate = prepareFloe(workDir, plan.fleet.ports(), { org: formatOrgFields(feature.org) });
  return { feature, member: { candidate, running: await plan.fleet.launch(candidate) } };
}

async function measureBody(
  plan: BenchPlan,
  rep: number,
  body: BodyName,
  running: readonly RunningFeature[],
): Promise<void> {
  for (const { feature, member } of shuffled(running)) {
    plan.say(`rep ${rep}: features: ${body}: ${feature.label}`);
    const load = () => measureRequests(member, body, FEATURE_CONNECTIONS, plan.seconds, plan.workDir);
    const { used, figures } = await measureCpu(member, load);
    plan.samples.add(featureMetricId(feature.id, body), 'floe', used / figures.requests);
  }
}
