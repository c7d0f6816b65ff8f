import type { Provider, ProviderCredential, UpstreamTimeouts } from './configured-provider.ts';
import type { UpstreamRequest } from './transport.ts';

/** Where a request is sent: the provider, the credential to use, and the timeouts. */
export interface UpstreamDestination {
  readonly provider: Provider;
  readonly credential: ProviderCredential;
  readonly timeouts: Pick<UpstreamTimeouts, 'connectMs'>;
}

/** Builds a POST request to a provider. `headers` is a flat list. */
export function buildUpstreamRequest(
  { provider, credential, timeouts }: UpstreamDestination,
  path: string,
  headers: readonly string[],
  body: UpstreamRequest['body'],
): UpstreamRequest {
  return {
    method: 'POST',
    origin: provider.origin,
    path,
    headers,
    body,
    connectMs: timeouts.connectMs,
    via: provider.via,
    orgId: provider.orgId,
    signing: provider.signingFor(credential),
  };
}
