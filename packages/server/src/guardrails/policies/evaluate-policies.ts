import { EvaluationFailure } from '@floe/conditions/condition';
import type { FindingLocationsByKind } from '@floe/conditions/detect/locate-findings';
import type { FindingCounts } from '@floe/conditions/detect/redact';
import {
  type FindingKind,
  formatFindingCount,
  type SecretDetector,
} from '@floe/conditions/detect/sensitive-data-scan';
import { MAX_EVALUATION_STEPS, StepMeter } from '@floe/conditions/step-meter';
import type { ConditionVariables } from '@floe/conditions/vocabulary';
import { InlineLimitExceededError } from './inline-limits.ts';
import type { CompiledPolicy, PolicySet } from './policies.ts';

/**
 * A request or response that policies evaluate. Its parts are read only when a condition needs
 * them.
 */
export interface PolicyEvaluationInput {
  /**
   * Returns values for all variables that the policies use, or the reason why they are unavailable. Has one
   * entry for each prompt, because a batch contains several.
   */
  variables(): readonly (ConditionVariables | EvaluationFailure)[];
  /** Returns the number of findings for each kind that the policies detect. */
  findings(): FindingCounts;
  /**
   * Returns where the findings are. Called only if there are findings. Null if the text has no paths, as in a
   * stream.
   */
  places(): FindingLocationsByKind | null;
  /** Returns why detectors cannot read all of the text; null if they can. */
  unreadableText(): string | null;
}

/** What a policy that applies does, or what it would do if it were not in monitor mode. */
export interface PolicyDecision {
  readonly policy: CompiledPolicy;
  readonly outcome:
    | 'denied'
    | 'flagged'
    | 'redacted'
    | 'allowed'
    | 'not_evaluated'
    | `would_${CompiledPolicy['action']}`;
  /** Explanation for people. Contains no value from the request. */
  readonly reason: string;
}

/** The result of evaluating a policy set. */
export interface PolicyEvaluation {
  /** In the order of the policies. Policies that do not apply are omitted. */
  readonly decisions: readonly PolicyDecision[];
  readonly deniedBy: CompiledPolicy | null;
  /** The kinds of findings that enforced policies redact. */
  readonly redact: ReadonlySet<FindingKind>;
}

/** The failure of a policy whose detectors cannot read the text. The text cannot be redacted either. */
class UnreadableText extends EvaluationFailure {}

const OUTCOMES = { deny: 'denied', flag: 'flagged', redact: 'redacted', allow: 'allowed' } as const;
const NO_KINDS: ReadonlySet<FindingKind> = new Set();

/**
 * Evaluates policies in order. Each policy evaluates the original text, not the redacted one. The
 * first enforced `allow` or `deny` policy that applies ends the evaluation. If a condition cannot
 * be evaluated, a `deny` or `redact` policy applies and an `allow` or `flag` policy does not, so
 * that an error never permits a request. If detectors cannot read the text, a `redact` policy denies the request.
 * All conditions share a budget of `MAX_EVALUATION_STEPS` for each prompt, up to `MAX_BUDGETED_PROMPTS`. Conditions
 * that exceed it cannot be evaluated.
 * @param inlineSteps a smaller budget for the main thread
 * @throws InlineLimitExceededError if the evaluation needs more than `inlineSteps`
 */
export function evaluatePolicies(
  { policies }: PolicySet,
  subject: PolicyEvaluationInput,
  inlineSteps?: number,
): PolicyEvaluation {
  const decisions: PolicyDecision[] = [];
  let meter: StepMeter | null = null;
  let redact = NO_KINDS;
  for (const policy of policies) {
    // Only conditions need the variables.
    if (policy.condition) meter ??= new StepMeter(inlineSteps ?? computeStepLimit(subject));
    const match = matchPolicy(policy, subject, meter);
    if (meter?.isExceeded && inlineSteps !== undefined)
      throw new InlineLimitExceededError(
        `The conditions need more than ${inlineSteps.toLocaleString('en-US')} steps, the maximum for policy evaluation on the main thread. Evaluate the policies in a worker thread.`,
      );
    if (match === null) continue;
    const { enforced } = policy;
    const isUnredactable = policy.action === 'redact' && match instanceof UnreadableText;
    const action = isUnredactable ? 'deny' : policy.action;
    if (match instanceof EvaluationFailure && (action === 'allow' || action === 'flag')) {
      decisions.push({ policy, outcome: 'not_evaluated', reason: `"${policy.name}": ${match.reason}` });
      continue;
    }
    const reason = match instanceof EvaluationFailure ? `${match.reason}, so the policy applies` : match;
    const outcome = enforced ? OUTCOMES[action] : (`would_${action}` as const);
    decisions.push({ policy, outcome, reason: `"${policy.name}": ${reason}` });
    if (!enforced) continue;
    if (action === 'deny') return { decisions, deniedBy: policy, redact };
    if (action === 'allow') break;
    if (action === 'redact') redact = new Set([...redact, ...(policy.detects ?? [])]);
  }
  return { decisions, deniedBy: null, redact };
}

/** The steps for this number of prompts take about 10 s, a third of the time that a policy thread has. */
const MAX_BUDGETED_PROMPTS = 100;

function computeStepLimit(subject: PolicyEvaluationInput): number {
  return MAX_EVALUATION_STEPS * Math.min(subject.variables().length, MAX_BUDGETED_PROMPTS);
}

/** Returns why the policy applies; null if it does not apply. */
function matchPolicy(
  { condition, detects, action }: CompiledPolicy,
  subject: PolicyEvaluationInput,
  steps: StepMeter | null,
): string | EvaluationFailure | null {
  let reason: string | EvaluationFailure = 'its condition is true';
  if (condition && steps) {
    const holds = evaluateCondition(condition, subject, { steps, isForAll: action === 'allow' });
    if (holds === false) return null;
    if (holds instanceof EvaluationFailure) reason = holds;
  }
  if (detects === null) return reason;
  const seen = [...subject.findings()].filter(([kind]) => detects.has(kind));
  const unreadable = seen.length === 0 || action === 'redact' ? subject.unreadableText() : null;
  if (unreadable !== null) return new UnreadableText(unreadable);
  if (seen.length === 0) return null;
  const list = describeFindings(seen, subject.places());
  if (reason instanceof EvaluationFailure) return new EvaluationFailure(`${reason.reason}; ${list}`);
  return condition ? `${reason}; ${list}` : list;
}

const MAX_NAMED_PATHS = 3;
const DETECTOR_NAMES: Readonly<Record<SecretDetector, string>> = {
  api_key: 'API key',
  jwt: 'JSON Web Token',
  private_key: 'private key',
  url_password: 'password in a URL',
  aws_secret_key: 'AWS secret access key',
};

/** Returns, for example, `found 1 secret (API key) in messages[0].content`. Contains no value. */
function describeFindings(
  seen: readonly (readonly [FindingKind, number])[],
  places: FindingLocationsByKind | null,
): string {
  const parts = seen.map(([kind, count]) => {
    const { detectors = [], paths = [] } = places?.get(kind) ?? {};
    const looks =
      detectors.length === 0 ? '' : ` (${detectors.map((one) => DETECTOR_NAMES[one]).join(', ')})`;
    const more = paths.length > MAX_NAMED_PATHS ? ` and ${paths.length - MAX_NAMED_PATHS} more` : '';
    const at = paths.length === 0 ? '' : ` in ${paths.slice(0, MAX_NAMED_PATHS).join(', ')}${more}`;
    return `${formatFindingCount(kind, count)}${looks}${at}`;
  });
  return `found ${parts.join('; ')}`;
}

/**
 * Evaluates a condition for each prompt. With `isForAll`, the condition must be true for all prompts, so that
 * one prompt of a batch cannot exempt the others. Otherwise, one prompt is sufficient.
 */
function evaluateCondition(
  condition: NonNullable<CompiledPolicy['condition']>,
  subject: PolicyEvaluationInput,
  { steps, isForAll }: { readonly steps: StepMeter; readonly isForAll: boolean },
): boolean | EvaluationFailure {
  let failure: EvaluationFailure | null = null;
  for (const variables of subject.variables()) {
    const holds = variables instanceof EvaluationFailure ? variables : condition.evaluate(variables, steps);
    if (holds instanceof EvaluationFailure) failure ??= holds;
    else if (holds !== isForAll) return holds;
    if (steps.isExceeded) break;
  }
  return failure === null
    ? isForAll
    : new EvaluationFailure(`its condition could not be evaluated (${safeReason(failure)})`);
}

/** Passes on only messages about names and types. Other messages could contain parts of the request. */
function safeReason({ reason }: EvaluationFailure): string {
  return /^(?:field not found|found no matching overload|the text is longer than|the request has more than|an object in the request contains|more than)/.test(
    reason,
  )
    ? reason.slice(0, 160)
    : 'an operation in the condition failed';
}

/**
 * Returns the message for the caller of a denied request. It contains the policy's own message and
 * the policy's name.
 */
export function formatDenialMessage({ name, message }: CompiledPolicy): string {
  return message === null ? `Denied by the policy "${name}".` : `${message} (policy "${name}")`;
}
