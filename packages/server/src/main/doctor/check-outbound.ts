import { type SmtpSettings, verifyMailServer } from '../../alerts/mailer.ts';
import type { Clock } from '../../core/clock.ts';
import type { CompiledCatalogs } from '../../gateway/compile-catalogs.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import { testProvider } from '../../providers/test-provider.ts';
import type { UpstreamTransport } from '../../providers/transport.ts';
import type { OutboundAccess } from '../outbound-access.ts';
import { type Finding, fail, pass, reasonOf, skip, warn } from './finding.ts';

/** The providers of each organization, and those that cannot be used. */
export type CheckedProviders = Pick<CompiledCatalogs, 'catalogs' | 'unusable'>;

interface ProviderCheckOptions {
  readonly transport: UpstreamTransport;
  readonly clock: Clock;
}

/** Asks each provider for its list of models with each of its credentials. Costs nothing at any provider. */
export async function checkProviders(
  { catalogs, unusable }: CheckedProviders,
  options: ProviderCheckOptions,
): Promise<Finding[]> {
  const remedy = 'Set the missing value, or set enabled: false for this provider.';
  const findings = unusable.map(({ id, reason }) =>
    fail('providers', `${id} cannot be used: ${reason}`, remedy),
  );
  for (const [orgId, { providers }] of catalogs)
    for (const provider of providers.values())
      findings.push(...(await checkProvider(orgId, provider, options)));
  return findings.length > 0 ? findings : [skip('providers', 'no providers are configured')];
}

async function checkProvider(
  orgId: string,
  provider: Provider,
  options: ProviderCheckOptions,
): Promise<Finding[]> {
  const id = `${orgId}/${provider.id}`;
  if (provider.credentials.length === 0)
    return [skip('providers', `${id}: not tested, because callers send their own credentials`)];
  return Promise.all(
    provider.credentials.map(async (credential) => {
      const { ok, asked, message } = await testProvider(provider, credential, null, options);
      const text = `${id}, credential ${credential.name}: ${message}`;
      if (ok) return pass('providers', text);
      if (asked === null) return skip('providers', text);
      return fail('providers', text, 'Check the base_url, credential and proxy settings of this provider.');
    }),
  );
}

/** Connects to the mail server and signs in. Sends no email. */
export async function checkMail(settings: SmtpSettings, { guard, via }: OutboundAccess): Promise<Finding> {
  if (settings.url === '') return skip('mail', 'smtp.url is not set: Floe sends no email');
  try {
    await verifyMailServer(settings, guard, via);
    return pass('mail', 'the mail server accepts the sign-in');
  } catch (error) {
    return warn('mail', reasonOf(error), 'Check smtp.url, its user and password, and smtp.require_tls.');
  }
}
