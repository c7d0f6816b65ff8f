import { EvaluationFailure } from '@floe/conditions/condition';
import type { FindingPlaces } from '@floe/conditions/detect/locate';
import type { FindingCounts } from '@floe/conditions/detect/redact';
import type { FindingKind, SecretDetector } from '@floe/conditions/detect/scan';
import { StepMeter } from '@floe/conditions/step-meter';
import type { ConditionVariables } from '@floe/conditions/vocabulary';
import type { CompiledPolicy, PolicySet } from './policies.ts';

/** What is judged: a request or an answer, read as far as the rules need it. */
export interface PolicySubject {
  /** A value for everything the side needs; or why there is none. */
  variables(): ConditionVariables | EvaluationFailure;
  /** What stands in it of all the kinds the side looks for. */
  findings(): FindingCounts;
  /** Where they are; asked when a rule found something. Null where the text has no paths, as in a stream. */
  places(): FindingPlaces | null;
}

/** What a rule that applies did, or would have done. */
export interface PolicyDecision {
  readonly policy: CompiledPolicy;
  readonly outcome:
    | 'denied'
    | 'flagged'
    | 'redacted'
    | 'allowed'
    | 'not_evaluated'
    | `would_${CompiledPolicy['action']}`;
  /** For people; holds nothing of the request itself. */
  readonly because: string;
}

export interface PolicyEvaluation {
  /** In the order of the rules; rules that do not apply are left out. */
  readonly decisions: readonly PolicyDecision[];
  readonly deniedBy: CompiledPolicy | null;
  /** What enforced rules want out of the text. */
  readonly redact: ReadonlySet<FindingKind>;
}

const OUTCOMES = { deny: 'denied', flag: 'flagged', redact: 'redacted', allow: 'allowed' } as const;
const NO_KINDS: ReadonlySet<FindingKind> = new Set();

/**
 * Judges by every rule in its order, each reading the subject as it was sent. The first enforced `allow` that
 * applies ends the judgement, and so does the first `deny`. A condition that cannot be judged makes a `deny`
 * or `redact` apply and an `allow` or `flag` not: a doubt never opens a gate. All conditions together may take
 * `MAX_EVALUATION_STEPS`; those that come after them cannot be judged.
 */
export function evaluatePolicies({ policies }: PolicySet, subject: PolicySubject): PolicyEvaluation {
  const decisions: PolicyDecision[] = [];
  const steps = new StepMeter();
  let redact = NO_KINDS;
  for (const policy of policies) {
    const because = matchPolicy(policy, subject, steps);
    if (because === null) continue;
    const { action, enforced } = policy;
    if (because instanceof EvaluationFailure && (action === 'allow' || action === 'flag')) {
      decisions.push({ policy, outcome: 'not_evaluated', because: `"${policy.name}": ${because.reason}` });
      continue;
    }
    const reason = because instanceof EvaluationFailure ? `${because.reason}, so it applies` : because;
    const outcome = enforced ? OUTCOMES[action] : (`would_${action}` as const);
    decisions.push({ policy, outcome, because: `"${policy.name}": ${reason}` });
    if (!enforced) continue;
    if (action === 'deny') return { decisions, deniedBy: policy, redact };
    if (action === 'allow') break;
    if (action === 'redact') redact = new Set([...redact, ...(policy.detects ?? [])]);
  }
  return { decisions, deniedBy: null, redact };
}

/** Null when the rule does not apply. */
function matchPolicy(
  { condition, detects }: CompiledPolicy,
  subject: PolicySubject,
  steps: StepMeter,
): string | EvaluationFailure | null {
  let because: string | EvaluationFailure = 'its condition is true';
  if (condition) {
    const holds = evaluateCondition(condition, subject, steps);
    if (holds === false) return null;
    if (holds instanceof EvaluationFailure) because = holds;
  }
  if (detects === null) return because;
  const seen = [...subject.findings()].filter(([kind]) => detects.has(kind));
  if (seen.length === 0) return null;
  const list = describeFindings(seen, subject.places());
  if (because instanceof EvaluationFailure) return new EvaluationFailure(`${because.reason}; ${list}`);
  return condition ? `${because}; ${list}` : list;
}

const MAX_NAMED_PATHS = 3;
const DETECTOR_NAMES: Readonly<Record<SecretDetector, string>> = {
  api_key: 'API key',
  jwt: 'JSON Web Token',
  private_key: 'private key',
  url_password: 'password in a URL',
  aws_secret_key: 'AWS secret access key',
};

/** `found 1 secret (API key) in messages[0].content`: never a value. */
function describeFindings(
  seen: readonly (readonly [FindingKind, number])[],
  places: FindingPlaces | null,
): string {
  const parts = seen.map(([kind, count]) => {
    const { detectors = [], paths = [] } = places?.get(kind) ?? {};
    const looks =
      detectors.length === 0 ? '' : ` (${detectors.map((one) => DETECTOR_NAMES[one]).join(', ')})`;
    const more = paths.length > MAX_NAMED_PATHS ? ` and ${paths.length - MAX_NAMED_PATHS} more` : '';
    const at = paths.length === 0 ? '' : ` in ${paths.slice(0, MAX_NAMED_PATHS).join(', ')}${more}`;
    return `${count} ${kind}${looks}${at}`;
  });
  return `found ${parts.join('; ')}`;
}

function evaluateCondition(
  condition: NonNullable<CompiledPolicy['condition']>,
  subject: PolicySubject,
  steps: StepMeter,
): boolean | EvaluationFailure {
  const variables = subject.variables();
  const holds = variables instanceof EvaluationFailure ? variables : condition.evaluate(variables, steps);
  return holds instanceof EvaluationFailure
    ? new EvaluationFailure(`its condition could not be evaluated (${safeReason(holds)})`)
    : holds;
}

/** The library's words about names and types; anything else could repeat what was sent. */
function safeReason({ reason }: EvaluationFailure): string {
  return /^(?:field not found|found no matching overload|the text is longer than|the request has more than|more than)/.test(
    reason,
  )
    ? reason.slice(0, 160)
    : 'an operation in it failed';
}

/** Kept for the caller of a denial: the rule's own words, and its name. */
export function denialMessage({ name, message }: CompiledPolicy): string {
  return message === null ? `The policy "${name}" does not allow this.` : `${message} (policy "${name}")`;
}
