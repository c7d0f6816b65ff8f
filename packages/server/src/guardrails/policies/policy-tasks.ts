import { countFindingsInText, type FindingCounts } from '@floe/conditions/detect/redact';
import type { ScanMeter } from '@floe/conditions/detect/scan-meter';
import { type FindingKind, SensitiveDataScan } from '@floe/conditions/detect/sensitive-data-scan';
import { ReportingCleanTextCache } from './clean-text-cache.ts';
import { selectEarlyStreamPolicies } from './early-stream-policies.ts';
import {
  type BufferedPolicyResponse,
  type EvaluatedBody,
  evaluateRequestPolicies,
  evaluateResponsePolicies,
} from './evaluate-bodies.ts';
import { evaluatePolicies, type PolicyDecision, type PolicyEvaluation } from './evaluate-policies.ts';
import type { InlineLimits } from './inline-limits.ts';
import { compilePolicies, type PolicySet, type PolicySetConfig } from './policies.ts';
import type { PolicyRequest } from './policy-request-view.ts';
import { type PolicyResponse, PolicyResponseView } from './policy-response-view.ts';

/**
 * A value whose `body` has been copied to a worker thread. The worker thread receives a Buffer without its
 * methods.
 */
type Copied<Value extends { readonly body: Buffer }> = Omit<Value, 'body'> & { readonly body: Uint8Array };

/** A streamed response that policies evaluate, with its request. */
export interface StreamedPolicyResponse {
  readonly request: PolicyRequest;
  readonly answer: PolicyResponse;
  /** The texts of the blocks. `answer.text` contains them in lines. */
  readonly blocks: readonly string[];
  /** All strings of the stream, also those that are in no block. Detectors read them. */
  readonly strings: readonly string[];
  /** The kinds that were found so far, if only the early policies are evaluated. Otherwise null. */
  readonly early: readonly FindingKind[] | null;
}

/** A task of a policy thread. */
export type PolicyTask =
  | { readonly name: 'request'; readonly source: PolicySetConfig; readonly request: Copied<PolicyRequest> }
  | {
      readonly name: 'response';
      readonly source: PolicySetConfig;
      readonly response: Copied<Omit<BufferedPolicyResponse, 'request'> & { readonly body: Buffer }> & {
        readonly request: Copied<PolicyRequest>;
      };
    }
  | {
      readonly name: 'stream';
      readonly source: PolicySetConfig;
      readonly response: Omit<StreamedPolicyResponse, 'request' | 'blocks'> & {
        readonly request: Copied<PolicyRequest>;
        /** A number is the index of the same text in `strings`, so that it is copied only once. */
        readonly blocks: readonly (string | number)[];
      };
    }
  | { readonly name: 'kinds'; readonly texts: readonly string[]; readonly kinds: readonly FindingKind[] };

/** The result of a task. Policies are numbered, because compiled policies cannot be copied. */
export interface PolicyTaskResult {
  readonly decisions: readonly (Omit<PolicyDecision, 'policy'> & { readonly policy: number })[];
  readonly deniedBy: number | null;
  readonly redact: readonly FindingKind[];
  /** The redacted body; null if it is unchanged. */
  readonly body: Uint8Array<ArrayBuffer> | null;
  /** Digests of texts without findings. */
  readonly cleanTexts: readonly string[];
  /** For `kinds`: the kinds that occur, in the order of the texts. */
  readonly kinds: readonly FindingKind[];
}

/** Runs a task in a worker thread, with the functions that the main thread uses for small bodies. */
export function runPolicyTask(task: PolicyTask): PolicyTaskResult {
  if (task.name === 'kinds')
    return { ...NOTHING, kinds: detectFindingKinds(task.texts, new Set(task.kinds)) };
  const whole = compileOnce(task.source);
  const set = task.name === 'stream' ? selectStreamPolicies(whole, task.response) : whole;
  if (task.name === 'request') {
    const request = restoreBody(task.request);
    return toResult(set, evaluateRequestPolicies(set, request), request.body);
  }
  const request = restoreBody(task.response.request);
  if (task.name === 'stream') {
    const { strings } = task.response;
    const blocks = task.response.blocks.map((block) =>
      typeof block === 'number' ? (strings[block] ?? '') : block,
    );
    const answer = { ...task.response.answer, text: blocks.join('\n') };
    const evaluation = evaluateStreamPolicies(set, { ...task.response, answer, blocks, request });
    return toResult(set, { evaluation, body: request.body }, request.body);
  }
  const response = restoreBody({ ...task.response, request });
  return toResult(set, evaluateResponsePolicies(set, response), response.body);
}

/**
 * Evaluates the response policies on a complete stream. A stream cannot be redacted.
 * @param limits the limits of the main thread; null in a worker thread
 * @throws InlineLimitExceededError, ScanLimitExceededError if the evaluation must run in a worker thread
 */
export function evaluateStreamPolicies(
  policySet: PolicySet,
  { request, answer, strings, early }: StreamedPolicyResponse,
  limits: InlineLimits | null = null,
): PolicyEvaluation {
  const find = () => {
    if (early) return new Map(early.map((kind) => [kind, 1]));
    return countInTexts(strings, policySet.detects, limits?.scanMeter);
  };
  const subject = new PolicyResponseView(answer, request, policySet, { find, locate: () => null, limits });
  return evaluatePolicies(policySet, subject, limits?.steps);
}

/** @throws Error if the early policies are evaluated on a set that has none */
function selectStreamPolicies(
  whole: ThreadPolicySet,
  { early }: Pick<StreamedPolicyResponse, 'early'>,
): ThreadPolicySet {
  const { cleanTexts } = whole;
  return early === null ? whole : { ...requireSet(selectEarlyStreamPolicies(whole)), cleanTexts };
}

/**
 * Returns the kinds of findings in texts, in the order in which they occur first.
 * @throws ScanLimitExceededError if there is a meter with a limit
 */
export function detectFindingKinds(
  texts: readonly string[],
  wanted: ReadonlySet<FindingKind>,
  meter?: ScanMeter,
): FindingKind[] {
  const kinds = new Set<FindingKind>();
  for (const text of texts)
    for (const { kind, otherKinds = [] } of new SensitiveDataScan(text, wanted, meter).findings)
      for (const each of [kind, ...otherKinds]) kinds.add(each);
  return [...kinds];
}

const NOTHING = { decisions: [], deniedBy: null, redact: [], body: null, cleanTexts: [], kinds: [] };

interface ThreadPolicySet extends PolicySet {
  readonly cleanTexts: ReportingCleanTextCache;
}

/** Policy sets by the id of their source. The least recently used one is first. */
const compiled = new Map<number, ThreadPolicySet>();
const MAX_COMPILED = 100;

function compileOnce({ id, on, configs, orgId }: PolicySetConfig): ThreadPolicySet {
  const known = compiled.get(id);
  compiled.delete(id);
  const set = known ?? {
    ...requireSet(compilePolicies(configs, orgId)?.[on]),
    cleanTexts: new ReportingCleanTextCache(orgId),
  };
  compiled.set(id, set);
  for (const oldest of compiled.keys()) {
    if (compiled.size <= MAX_COMPILED) break;
    compiled.delete(oldest);
  }
  return set;
}

function requireSet(set: PolicySet | null | undefined): PolicySet {
  if (!set) throw new Error('unreachable: a policy set without policies is not evaluated');
  return set;
}

function restoreBody<Value extends { readonly body: Uint8Array }>(
  value: Value,
): Omit<Value, 'body'> & { readonly body: Buffer } {
  const { body } = value;
  return { ...value, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) };
}

function toResult(
  { policies, cleanTexts }: ThreadPolicySet,
  { evaluation, body }: EvaluatedBody,
  given: Buffer,
): PolicyTaskResult {
  const { decisions, deniedBy, redact } = evaluation;
  return {
    decisions: decisions.map((one) => ({ ...one, policy: policies.indexOf(one.policy) })),
    deniedBy: deniedBy && policies.indexOf(deniedBy),
    redact: [...redact],
    body: body === given ? null : new Uint8Array(body),
    cleanTexts: cleanTexts.takeAdded(),
    kinds: [],
  };
}

function countInTexts(
  texts: readonly string[],
  wanted: ReadonlySet<FindingKind>,
  meter: ScanMeter | undefined,
): FindingCounts {
  const found: FindingCounts = new Map();
  for (const text of texts)
    for (const [kind, count] of countFindingsInText(text, wanted, meter))
      found.set(kind, (found.get(kind) ?? 0) + count);
  return found;
}
