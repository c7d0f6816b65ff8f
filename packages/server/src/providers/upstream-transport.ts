import type { Clock } from '../core/clock.ts';
import type { OutboundGuard } from '../core/outbound-guard.ts';
import { SANDBOX_ORIGIN } from './sandbox/sandbox-definition.ts';
import { createSandboxTransport } from './sandbox/sandbox-transport.ts';
import { createSigningTransport } from './signing/signing-transport.ts';
import type { UpstreamTransport } from './transport.ts';
import { createUpstreamHttpTransport } from './upstream-http-transport.ts';

/**
 * Creates the transport for all requests to providers: HTTP, and the sandbox within this process.
 */
export function createUpstreamTransport(clock: Clock, guard?: OutboundGuard): UpstreamTransport {
  const http = createSigningTransport(createUpstreamHttpTransport(guard), clock);
  const sandbox = createSandboxTransport(clock);
  return {
    dispatch: (request, handler) =>
      (request.origin === SANDBOX_ORIGIN ? sandbox : http).dispatch(request, handler),
    async close() {
      await Promise.all([http.close(), sandbox.close()]);
    },
  };
}
