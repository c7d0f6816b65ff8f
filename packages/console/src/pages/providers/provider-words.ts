import { formatPercent } from '../../format/amounts.ts';
import { pluralize } from '../../format/words.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import type { Credential, CredentialTest, Provider } from './provider-data.ts';

/** What has happened to requests lately. */
export interface ProviderHealth {
  /** Breakers of its targets that keep requests away. */
  readonly openBreakers: number;
  /** Of the last 24 hours. */
  readonly requests: number;
  readonly errors: number;
}

const UNKNOWN: ProviderHealth = { openBreakers: 0, requests: 0, errors: 0 };
/** Fewer requests say nothing about a rate. */
const RATED_FROM = 10;
const DEGRADED_RATE = 0.1;

/**
 * What a provider is right now. It is healthy only where it is enabled and usable, no breaker of it is open, no key was
 * refused, and less than a tenth of its requests failed.
 */
export function providerState(
  provider: Pick<Provider, 'enabled' | 'problem' | 'credentials'>,
  { openBreakers, requests, errors }: ProviderHealth = UNKNOWN,
): { readonly state: DisplayStatus; readonly word: string } {
  if (!provider.enabled) return { state: 'paused', word: 'Off' };
  if (provider.problem !== null) return { state: 'failing', word: 'Not in use' };
  if (openBreakers > 0)
    return { state: 'failing', word: `Failing, ${pluralize(openBreakers, 'open breaker')}` };
  const bad = provider.credentials.filter(({ test }) => test !== null && !test.ok).length;
  if (bad > 0) return { state: 'warning', word: bad === 1 ? '1 key refused' : `${bad} keys refused` };
  if (requests >= RATED_FROM && errors / requests >= DEGRADED_RATE)
    return { state: 'warning', word: `Degraded, ${formatPercent(errors / requests)} errors` };
  return { state: 'healthy', word: 'In use' };
}

/** `2 good`, `1 good, 1 refused`, `not tested` */
export function credentialsText(credentials: readonly Pick<Credential, 'test'>[]): string {
  if (credentials.length === 0) return 'none';
  const good = credentials.filter(({ test }) => test?.ok === true).length;
  const bad = credentials.filter(({ test }) => test?.ok === false).length;
  const rest = credentials.length - good - bad;
  return [good > 0 && `${good} good`, bad > 0 && `${bad} refused`, rest > 0 && `${rest} not tested`]
    .filter((part) => part !== false)
    .join(', ');
}

/** What a test found out: `Works: 41 models, 212 ms`, or the provider's own words. */
export function testText({ ok, models, message, duration_ms }: CredentialTest): string {
  if (!ok) return message;
  return `Works${models === null ? '' : `: ${pluralize(models, 'model')}`}, ${duration_ms} ms`;
}

/** Whether a pattern of an allowlist has a model: `*` stands for any characters. */
export function allows(pattern: string, model: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(model);
}
