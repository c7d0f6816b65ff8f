import type { Credential, Provider, Timeouts } from './configured-provider.ts';
import type { UpstreamRequest } from './transport.ts';

/** The target of a request: the provider, the credential to use, and the timeouts. */
export interface RequestDestination {
  readonly provider: Provider;
  readonly credential: Credential;
  readonly timeouts: Pick<Timeouts, 'connectMs'>;
}

/** Builds a POST request to a provider. `headers` is a flat list. */
export function buildUpstreamRequest(
  { provider, credential, timeouts }: RequestDestination,
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
