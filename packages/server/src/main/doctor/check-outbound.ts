import { type SmtpSettings, verifyMailServer } from '../../alerts/mailer.ts';
import type { Clock } from '../../core/clock.ts';
import type { CompiledCatalogs } from '../../gateway/compile-catalogs.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import { testProvider } from '../../providers/test-provider.ts';
import type { UpstreamTransport } from '../../providers/transport.ts';
import type { OutboundAccess } from '../outbound-access.ts';
import {
  createFailedFinding,
  createPassedFinding,
  createSkippedFinding,
  createWarningFinding,
  type DoctorFinding,
  formatThrownError,
} from './doctor-finding.ts';

/** Each organization's providers, and the providers that cannot be used. */
export type ProvidersToCheck = Pick<CompiledCatalogs, 'catalogs' | 'unusable'>;

interface ProviderCheckOptions {
  readonly transport: UpstreamTransport;
  readonly clock: Clock;
}

/** Requests each provider's model list with each of its credentials. These requests are free of charge. */
export async function checkProviders(
  { catalogs, unusable }: ProvidersToCheck,
  options: ProviderCheckOptions,
): Promise<DoctorFinding[]> {
  const remedy = 'Correct the provider settings, or set enabled: false for this provider.';
  const findings = unusable.map(({ id, reason }) =>
    createFailedFinding('providers', `${id} cannot be used: ${reason}`, remedy),
  );
  for (const [orgId, { providers }] of catalogs)
    for (const provider of providers.values())
      findings.push(...(await checkProvider(orgId, provider, options)));
  return findings.length > 0 ? findings : [createSkippedFinding('providers', 'no providers are configured')];
}

async function checkProvider(
  orgId: string,
  provider: Provider,
  options: ProviderCheckOptions,
): Promise<DoctorFinding[]> {
  const id = `${orgId}/${provider.id}`;
  const reason = findReasonNotToTest(provider);
  if (reason !== null) return [createSkippedFinding('providers', `${id}: not tested, because ${reason}`)];
  return Promise.all(
    provider.credentials.map(async (credential) => {
      const { ok, message } = await testProvider(provider, credential, null, options);
      const text = `${id}, credential ${credential.name}: ${message}`;
      if (ok) return createPassedFinding('providers', text);
      return createFailedFinding(
        'providers',
        text,
        'Check the base_url, credential and proxy settings of this provider.',
      );
    }),
  );
}

/** Returns why a provider cannot be tested without cost; null if its model list can be requested. */
function findReasonNotToTest({ usesCallerCredential, credentials, modelLists }: Provider): string | null {
  if (usesCallerCredential) return 'callers send their own credentials';
  if (credentials.length === 0) return 'it has no credential';
  return modelLists.length === 0 ? 'it does not offer a model list' : null;
}

/** Connects to the mail server and signs in. Does not send mail. */
export async function checkMailServer(
  settings: SmtpSettings,
  { guard, via }: OutboundAccess,
): Promise<DoctorFinding> {
  if (settings.url === '') return createSkippedFinding('mail', 'smtp.url is not set: Floe sends no email');
  try {
    await verifyMailServer(settings, guard, via);
    return createPassedFinding('mail', 'the mail server is usable');
  } catch (error) {
    return createWarningFinding(
      'mail',
      formatThrownError(error),
      'Check smtp.url, its user name and password, and smtp.require_tls.',
    );
  }
}
