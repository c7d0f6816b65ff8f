import { formatDuration, formatPercent } from '../../format/amounts.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import type {
  CredentialResource,
  CredentialTestResult,
  ProviderResource,
  ProviderTraffic,
} from './provider-data.ts';
import { providersText } from './text.ts';

/** The open breakers of a provider and its traffic. */
export interface ProviderHealth {
  /** Number of open and half-open breakers of the provider’s targets. Null if it is not loaded. */
  readonly openBreakers: number | null;
  /** Requests and errors in the last 24 hours. Null if they are not loaded. */
  readonly traffic: ProviderTraffic | null;
}

/** Minimum number of requests for a meaningful error rate. */
const MIN_RATED_REQUESTS = 10;
const DEGRADED_RATE = 0.1;

/**
 * Returns the icon and label for the status of a provider. A provider is healthy if it is enabled and usable,
 * has no open breaker and no rejected credential, and less than 10% of its recent requests failed. The share of
 * failed requests is ignored if there were fewer than 10 requests. While its breakers or its traffic are not
 * loaded, its status is unknown.
 */
export function getProviderStatusDisplay(
  provider: Pick<ProviderResource, 'enabled' | 'problem' | 'credentials'>,
  { openBreakers, traffic }: ProviderHealth,
): { readonly state: DisplayStatus; readonly word: string } {
  if (!provider.enabled) return { state: 'paused', word: providersText.status.disabled };
  if (provider.problem !== null) return { state: 'failing', word: providersText.status.unusable };
  if (openBreakers !== null && openBreakers > 0)
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
  const rate = traffic && getErrorRate(traffic);
  if (traffic && traffic.requests >= MIN_RATED_REQUESTS && rate !== null && rate >= DEGRADED_RATE)
    return { state: 'warning', word: providersText.status.degraded(formatPercent(rate)) };
  if (openBreakers === null || traffic === null)
    return { state: 'unknown', word: providersText.status.unknown };
  return { state: 'healthy', word: providersText.status.enabled };
}

/** Returns the share of failed requests, or null if there was no request. */
export function getErrorRate({ requests, errors }: ProviderTraffic): number | null {
  return requests > 0 ? errors / requests : null;
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
