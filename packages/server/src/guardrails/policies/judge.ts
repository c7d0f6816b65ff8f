import { Unjudged } from '@floe/conditions/condition';
import type { Found } from '@floe/conditions/detect/json-texts';
import type { FindingKind } from '@floe/conditions/detect/scan';
import { StepMeter } from '@floe/conditions/steps';
import type { Variables } from '@floe/conditions/vocabulary';
import type { Policy, PolicySide } from './policies.ts';

/** What is judged: a request or an answer, read as far as the rules need it. */
export interface Subject {
  /** A value for everything the side needs; or why there is none. */
  variables(): Variables | Unjudged;
  /** What stands in it of all the kinds the side looks for. */
  found(): Found;
}

/** What a rule that applies did, or would have done. */
export interface PolicyDecision {
  readonly policy: Policy;
  readonly outcome: 'denied' | 'flagged' | 'redacted' | 'allowed' | 'unjudged' | `would_${Policy['action']}`;
  /** For people; holds nothing of the request itself. */
  readonly because: string;
}

export interface Judgement {
  /** In the order of the rules; rules that do not apply are left out. */
  readonly decisions: readonly PolicyDecision[];
  readonly deniedBy: Policy | null;
  /** What enforced rules want out of the text. */
  readonly redact: ReadonlySet<FindingKind>;
}

const DONE = { deny: 'denied', flag: 'flagged', redact: 'redacted', allow: 'allowed' } as const;
const NOTHING: ReadonlySet<FindingKind> = new Set();

/**
 * Judges by every rule in its order, each reading the subject as it was sent. The first enforced `allow` that
 * applies ends the judgement, and so does the first `deny`. A condition that cannot be judged makes a `deny`
 * or `redact` apply and an `allow` or `flag` not: a doubt never opens a gate. All conditions together may take
 * `JUDGEMENT_STEPS`; those that come after them cannot be judged.
 */
export function judge({ policies }: PolicySide, subject: Subject): Judgement {
  const decisions: PolicyDecision[] = [];
  const steps = new StepMeter();
  let redact = NOTHING;
  for (const policy of policies) {
    const because = whyApplies(policy, subject, steps);
    if (because === null) continue;
    const { action, enforced } = policy;
    if (because instanceof Unjudged && (action === 'allow' || action === 'flag')) {
      decisions.push({ policy, outcome: 'unjudged', because: `"${policy.name}": ${because.because}` });
      continue;
    }
    const reason = because instanceof Unjudged ? `${because.because}, so it applies` : because;
    const outcome = enforced ? DONE[action] : (`would_${action}` as const);
    decisions.push({ policy, outcome, because: `"${policy.name}": ${reason}` });
    if (!enforced) continue;
    if (action === 'deny') return { decisions, deniedBy: policy, redact };
    if (action === 'allow') break;
    if (action === 'redact') redact = new Set([...redact, ...(policy.detects ?? [])]);
  }
  return { decisions, deniedBy: null, redact };
}

/** Null when the rule does not apply. */
function whyApplies(
  { condition, detects }: Policy,
  subject: Subject,
  steps: StepMeter,
): string | Unjudged | null {
  let because: string | Unjudged = 'its condition is true';
  if (condition) {
    const holds = judgeCondition(condition, subject, steps);
    if (holds === false) return null;
    if (holds instanceof Unjudged) because = holds;
  }
  if (detects === null) return because;
  const seen = [...subject.found()].filter(([kind]) => detects.has(kind));
  if (seen.length === 0) return null;
  const list = `found ${seen.map(([kind, count]) => `${count} ${kind}`).join(', ')}`;
  if (because instanceof Unjudged) return new Unjudged(`${because.because}; ${list}`);
  return condition ? `${because}; ${list}` : list;
}

function judgeCondition(
  condition: NonNullable<Policy['condition']>,
  subject: Subject,
  steps: StepMeter,
): boolean | Unjudged {
  const variables = subject.variables();
  const holds = variables instanceof Unjudged ? variables : condition.judge(variables, steps);
  return holds instanceof Unjudged
    ? new Unjudged(`its condition could not be judged (${shown(holds)})`)
    : holds;
}

/** The library's words about names and types; anything else could repeat what was sent. */
function shown({ because }: Unjudged): string {
  return /^(?:field not found|found no matching overload|longer than|more than)/.test(because)
    ? because.slice(0, 160)
    : 'an operation in it failed';
}

/** Kept for the caller of a denial: the rule's own words, and its name. */
export function denialOf({ name, message }: Policy): string {
  return message === null ? `The policy "${name}" does not allow this.` : `${message} (policy "${name}")`;
}
