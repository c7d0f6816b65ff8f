import { timingSafeEqual } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import type { Metrics } from '../analytics/metrics.ts';
import type { ClientCall } from '../gateway/client-call.ts';
import { sendFaultResponse } from '../gateway/send-error.ts';
import type { Database } from '../store/store-interfaces.ts';
import type { OperationalRoutes } from './router.ts';

/** The dependencies of the operational routes. */
export interface OperationalRoutesDependencies {
  readonly database: Database;
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  /** Returns the bearer token that `/metrics` requires. '' for none. */
  readonly metricsToken: () => string;
  /** Whether the process is shutting down. */
  readonly isLeaving: () => boolean;
}

/**
 * Creates the routes for liveness, readiness and metrics, and the page that is shown if the console
 * has not been built.
 */
export function createOperationalRoutes({
  database,
  metrics,
  metricsToken,
  isLeaving,
}: OperationalRoutesDependencies): OperationalRoutes {
  return {
    health: (client) => sendText(client, 200, 'ok\n'),
    ready(client) {
      if (isLeaving()) return sendText(client, 503, 'shutting down\n');
      // Cached keys are served without the database, so the gateway is ready without it.
      if (!asksForApi(client)) return sendText(client, 200, 'ready\n');
      database.ping().then(
        () => sendText(client, 200, 'ready\n'),
        (error: unknown) => sendText(client, 503, `${describeUnavailability(error)}\n`),
      );
    },
    metrics(client) {
      const token = metricsToken();
      if (token !== '' && !hasBearerToken(client, token)) {
        const fault = new Fault(
          'invalid_api_key',
          'This endpoint requires a token. Send the value of telemetry.metrics_token as a bearer token.',
        );
        return sendFaultResponse(client, fault, 'openai', [
          'content-type',
          'application/json',
          'x-request-id',
          client.id,
        ]);
      }
      if (token !== '') client.markAuthenticated();
      metrics.render().then(
        (body) =>
          client.sendAnswer(200, ['content-type', metrics.contentType, 'x-request-id', client.id], body),
        () => sendText(client, 500, 'could not read the metrics\n'),
      );
    },
    home: (client) => client.sendAnswer(200, [...PAGE_HEADERS, 'x-request-id', client.id], HOME_PAGE),
  };
}

function describeUnavailability(error: unknown): string {
  return error instanceof Fault ? error.message : 'The database does not respond.';
}

function sendText(client: ClientCall, status: number, body: string): void {
  client.sendAnswer(
    status,
    ['content-type', 'text/plain; charset=utf-8', 'cache-control', 'no-store', 'x-request-id', client.id],
    body,
  );
}

/** Whether the request is `/readyz?for=api`. */
function asksForApi({ target }: ClientCall): boolean {
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('for') === 'api';
}

function hasBearerToken(client: ClientCall, token: string): boolean {
  const given = Buffer.from(client.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const PAGE_HEADERS = [
  'content-type',
  'text/html; charset=utf-8',
  'cache-control',
  'no-store',
  'content-security-policy',
  "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy',
  'no-referrer',
] as const;

const HOME_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Floe</title></head>
<body>
<h1>Floe is running</h1>
<p>The base URL of the gateway ends in <code>/gateway/v1</code>. Use the platform key that was printed on the first start.</p>
<p>The console has not been built. Run <code>node scripts/build-console.mjs</code> in the repository (<code>npm start</code> does this automatically) and reload this page. Everything else is available through the API:</p>
<ul>
<li><a href="api/reference">API reference</a>, <a href="api/openapi.json">OpenAPI document</a></li>
<li><a href="healthz">Liveness</a>, <a href="readyz">readiness</a>, <a href="metrics">metrics</a></li>
</ul>
</body>
</html>
`;
