import { formatDuration, formatPercent } from '../../format/amounts.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import type { CredentialResource, CredentialTestResult, ProviderResource } from './provider-data.ts';
import { providersText } from './text.ts';

/** The open breakers of a provider, and its requests and errors in the last 24 hours. */
export interface ProviderHealth {
  /** Number of open and half-open breakers of the provider’s targets. */
  readonly openBreakers: number;
  /** Number of requests in the last 24 hours. */
  readonly requests: number;
  readonly errors: number;
}

const UNKNOWN: ProviderHealth = { openBreakers: 0, requests: 0, errors: 0 };
/** Minimum number of requests for a meaningful error rate. */
const MIN_RATED_REQUESTS = 10;
const DEGRADED_RATE = 0.1;

/**
 * Returns the icon and label for the status of a provider. A provider is healthy if it is enabled and usable,
 * has no open breaker and no rejected credential, and less than 10% of its recent requests failed. The share of
 * failed requests is ignored if there were fewer than 10 requests.
 */
export function getProviderStatusDisplay(
  provider: Pick<ProviderResource, 'enabled' | 'problem' | 'credentials'>,
  { openBreakers, requests, errors }: ProviderHealth = UNKNOWN,
): { readonly state: DisplayStatus; readonly word: string } {
  if (!provider.enabled) return { state: 'paused', word: providersText.status.disabled };
  if (provider.problem !== null) return { state: 'failing', word: providersText.status.unusable };
  if (openBreakers > 0)
    return {
      state: 'failing',
      word: providersText.status.openBreakers(
        formatCountWithNoun(openBreakers, providersText.status.openBreaker),
      ),
    };
  const bad = provider.credentials.filter(({ test }) => test !== null && !test.ok).length;
  if (bad > 0)
    return {
      state: 'warning',
      word: providersText.status.rejectedKeys(formatCountWithNoun(bad, providersText.status.key)),
    };
  if (requests >= MIN_RATED_REQUESTS && errors / requests >= DEGRADED_RATE)
    return { state: 'warning', word: providersText.status.degraded(formatPercent(errors / requests)) };
  return { state: 'healthy', word: providersText.status.enabled };
}

/** Summarizes credential tests, as in `2 valid`, `1 valid, 1 rejected` or `1 not tested`. */
export function summarizeCredentialTests(credentials: readonly Pick<CredentialResource, 'test'>[]): string {
  if (credentials.length === 0) return providersText.credentials.none;
  const valid = credentials.filter(({ test }) => test?.ok === true).length;
  const rejected = credentials.filter(({ test }) => test?.ok === false).length;
  const untested = credentials.length - valid - rejected;
  return [
    valid > 0 && providersText.credentials.valid(valid),
    rejected > 0 && providersText.credentials.rejected(rejected),
    untested > 0 && providersText.credentials.untested(untested),
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/**
 * Describes the result of a credential test, as in `Credential is valid (41 models, 212 ms)`, or returns the error
 * message of the provider.
 */
export function describeCredentialTest({ ok, models, message, duration_ms }: CredentialTestResult): string {
  if (!ok) return message;
  const duration = formatDuration(duration_ms);
  if (models === null) return providersText.credentials.works(duration);
  return providersText.credentials.worksWithModels(
    formatCountWithNoun(models, providersText.credentials.model),
    duration,
  );
}
