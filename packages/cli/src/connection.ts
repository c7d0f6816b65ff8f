import { UsageError } from './usage-error.ts';

/** The base URL and the platform key for API requests. */
export interface ApiConnection {
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
}

/** The help text about the environment variables that contain the base URL and the key. */
export const CONNECTION_ENVIRONMENT_HELP = `Environment:
  FLOE_API_KEY   a platform key (eis_…) with the scope that the command needs, such as "beat" to send beats
  FLOE_BASE_URL  base URL of Floe; default: http://127.0.0.1:3563`;

/**
 * The paths that the base URL of an AI client contains, but not that of the command line. A server that is published
 * below a path can have a path that ends in `/gateway`.
 */
const GATEWAY_PATH = /\/gateway\/v1$|(?<=^https?:\/\/[^/]+)\/gateway$/i;

/** The characters of a key that can be sent in a header. */
const KEY_FORMAT = /^[\x21-\x7e]+$/;
/** `fetch` rejects a URL with a user name. A query string or fragment would become part of each path. */
const BASE_URL_FORMAT = /^https?:\/\/[^/\s?#@]+(\/[^\s?#]*)?$/i;

/**
 * Reads the base URL and the key from the environment. The result can be passed to the constructor of `Floe` in
 * the SDK.
 * @throws UsageError if the key is missing, if the key or the URL is not valid, or if the URL is that of the
 * gateway
 */
export function readApiConnection(env: NodeJS.ProcessEnv = process.env): ApiConnection {
  const apiKey = env['FLOE_API_KEY']?.trim() ?? '';
  const baseUrl = (env['FLOE_BASE_URL']?.trim() || 'http://127.0.0.1:3563').replace(/\/+$/, '');
  if (apiKey === '') throw new UsageError('FLOE_API_KEY is not set. Set it to a platform key (eis_…).');
  if (!KEY_FORMAT.test(apiKey))
    throw new UsageError(
      'FLOE_API_KEY contains characters that are not valid in a key, such as spaces, line breaks or accented letters. Set it to a platform key (eis_…).',
    );
  if (!BASE_URL_FORMAT.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError(
      'FLOE_BASE_URL must be an http or https URL without a user name, query string or fragment. Example: https://floe.example.com',
    );
  const gatewayPath = GATEWAY_PATH.exec(baseUrl)?.[0];
  if (gatewayPath !== undefined)
    throw new UsageError(
      `FLOE_BASE_URL must not end in ${gatewayPath}, which is the path of the gateway. Set it to ${baseUrl.slice(0, -gatewayPath.length)}`,
    );
  return { apiKey, baseUrl };
}
