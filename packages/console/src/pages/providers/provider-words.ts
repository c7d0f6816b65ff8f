import { counted } from '../../format/words.ts';
import type { State } from '../../ui/state.tsx';
import type { Credential, CredentialTest, Provider } from './provider-data.ts';

/** What a provider is right now: in use, in use with a key that was refused, not in use although it is enabled, off. */
export function providerState(provider: Pick<Provider, 'enabled' | 'problem' | 'credentials'>): {
  readonly state: State;
  readonly word: string;
} {
  if (!provider.enabled) return { state: 'paused', word: 'Off' };
  if (provider.problem !== null) return { state: 'failing', word: 'Not in use' };
  const bad = provider.credentials.filter(({ test }) => test !== null && !test.ok).length;
  if (bad > 0) return { state: 'warning', word: bad === 1 ? '1 key refused' : `${bad} keys refused` };
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
  return `Works${models === null ? '' : `: ${counted(models, 'model')}`}, ${duration_ms} ms`;
}

/** Whether a pattern of an allowlist has a model: `*` stands for any characters. */
export function allows(pattern: string, model: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(model);
}
