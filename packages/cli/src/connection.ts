/** The base URL and the platform key for API requests. */
export interface ApiConnection {
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** Thrown if the command line is not valid. The message is printed as one line, and the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The help text about the environment variables that contain the base URL and the key. */
export const CONNECTION_HELP = `Environment:
  FLOE_API_KEY   a platform key (eis_…); scope "beat" sends beats, "monitoring" also reads monitors
  FLOE_BASE_URL  base URL of Floe; default: http://127.0.0.1:3563`;

/**
 * The paths that the base URL of an AI client contains, but not that of the command line. A server that is published
 * below a path can have such a name as a later part of the path.
 */
const GATEWAY_PATH = /(?<=^https?:\/\/[^/]+)\/gateway(\/v1)?$/i;

/**
 * Reads the base URL and the key from the environment.
 * @throws UsageError if the key is missing, or the URL is not valid or that of the gateway
 */
export function readApiConnection(env: NodeJS.ProcessEnv = process.env): ApiConnection {
  const apiKey = env['FLOE_API_KEY']?.trim() ?? '';
  const baseUrl = (env['FLOE_BASE_URL']?.trim() || 'http://127.0.0.1:3563').replace(/\/+$/, '');
  if (apiKey === '') throw new UsageError('FLOE_API_KEY is not set. Set it to a platform key (eis_…).');
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError('FLOE_BASE_URL must be an http or https URL. Example: https://floe.example.com');
  const gatewayPath = GATEWAY_PATH.exec(baseUrl)?.[0];
  if (gatewayPath !== undefined)
    throw new UsageError(
      `FLOE_BASE_URL must not end in ${gatewayPath}, which is the path of the gateway. Set it to ${baseUrl.slice(0, -gatewayPath.length)}`,
    );
  return { apiKey, baseUrl };
}
