import { locateFindings } from '@floe/conditions/detect/locate-findings';
import { type JsonScanResult, redactJson, scanJson } from '@floe/conditions/detect/redact';
import type { ScanMeter } from '@floe/conditions/detect/scan-meter';
import type { Json } from '@floe/contract/json';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import type { Usage } from '@floe/wire/usage';
import { evaluatePolicies, type PolicyEvaluation } from './evaluate-policies.ts';
import { listHostedToolNames } from './hosted-tool-calls.ts';
import { type InlineLimits, requireWithinInlineParseLimit } from './inline-limits.ts';
import type { PolicySet } from './policies.ts';
import { type PolicyRequest, PolicyRequestView } from './policy-request-view.ts';
import { PolicyResponseView } from './policy-response-view.ts';
import { RequestEcho, restoreBlankedMembers } from './request-echo.ts';

/**
 * The result of evaluating policies against a body, and the body to send, which is the original or the
 * redacted one.
 */
export interface EvaluatedBody {
  readonly evaluation: PolicyEvaluation;
  readonly body: Buffer;
}

/**
 * Evaluates the request policies and returns the body to send.
 * @param limits the limits of the main thread; null in a worker thread
 * @throws InlineLimitExceededError, ScanLimitExceededError if the evaluation must run in a worker thread
 */
export function evaluateRequestPolicies(
  policySet: PolicySet,
  request: PolicyRequest,
  limits: InlineLimits | null = null,
): EvaluatedBody {
  const subject = new PolicyRequestView(request, policySet, limits);
  const evaluation = evaluatePolicies(policySet, subject, limits?.steps);
  const scanned = { scan: subject.scan, meter: limits?.scanMeter };
  return { evaluation, body: redactBody(request.body, evaluation, policySet, scanned) };
}

/** A complete response, and the request that it answers. */
export interface BufferedPolicyResponse {
  readonly request: PolicyRequest;
  readonly dialect: 'chat' | 'responses' | 'messages';
  /** Well-formed JSON in the client's dialect. */
  readonly body: Buffer;
  /** Used if the body contains no usage. */
  readonly usage: Usage | null;
  /** Id of the exchange. */
  readonly id: string;
}

/**
 * Evaluates the response policies on a complete response and returns the body to send.
 * @param limits the limits of the main thread; null in a worker thread
 * @throws InlineLimitExceededError, ScanLimitExceededError if the evaluation must run in a worker thread
 */
export function evaluateResponsePolicies(
  policySet: PolicySet,
  { request, dialect, body, usage, id }: BufferedPolicyResponse,
  limits: InlineLimits | null = null,
): EvaluatedBody {
  requireWithinInlineParseLimit(body.length, limits);
  const json = body.toString('utf8');
  const parsed: Json = JSON.parse(json);
  const {
    blocks,
    finish,
    usage: reportedUsage,
  } = UPSTREAM_DIALECTS[dialect].readCompleteResponse(parsed, { id, allChoices: true });
  const answer = {
    text: blocks.map(({ text }) => text).join('\n'),
    finish: finish?.raw ?? '',
    tools: [
      ...blocks.flatMap((block) => (block.kind === 'tool' ? [block.name] : [])),
      ...listHostedToolNames(parsed),
    ],
    usage: reportedUsage ?? usage,
  };
  const { detects, cleanTexts } = policySet;
  const meter = limits?.scanMeter;
  const isScanned = detects.size > 0 && dialect === 'responses';
  const own = isScanned ? new RequestEcho(request).blank(body, parsed) : body;
  const text = own === body ? json : own.toString('utf8');
  let scan: JsonScanResult | null = null;
  const find = () => {
    scan = scanJson(text, detects, { cleanTexts, meter });
    return scan.counts;
  };
  const locate = () => locateFindings(text, detects, scan ?? undefined, meter);
  const evaluation = evaluatePolicies(
    policySet,
    new PolicyResponseView(answer, request, policySet, { find, locate, limits }),
    limits?.steps,
  );
  const redacted = redactBody(own, evaluation, policySet, { scan, meter });
  return { evaluation, body: redacted === own ? body : restoreBlankedMembers(redacted, own, body) };
}

interface PreviousScan {
  /** Null if no policy needed it. */
  readonly scan: JsonScanResult | null;
  readonly meter: ScanMeter | undefined;
}

function redactBody(
  body: Buffer,
  { deniedBy, redact }: PolicyEvaluation,
  { cleanTexts, detects }: PolicySet,
  { scan, meter }: PreviousScan,
): Buffer {
  if (deniedBy || redact.size === 0) return body;
  // A redaction of fewer kinds leaves the values of the other kinds.
  if (scan && redact.size === detects.size) return Buffer.from(scan.json);
  return Buffer.from(redactJson(body.toString('utf8'), redact, { cleanTexts, meter }).json);
}
