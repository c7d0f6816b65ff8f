/** Where Floe is and who asks. */
export interface ApiConnection {
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** A mistake of the person at the command line: told in one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What `--help` says about it. */
export const CONNECTION_HELP = `Environment:
  FLOE_API_KEY   a platform key (eis_…); scope "beat" sends beats, "monitoring" also reads monitors
  FLOE_BASE_URL  base URL of Floe; default: http://127.0.0.1:3563`;

/** @throws UsageError when the environment holds no key, or an address that is none. */
export function readApiConnection(env: NodeJS.ProcessEnv = process.env): ApiConnection {
  const apiKey = env['FLOE_API_KEY']?.trim() ?? '';
  const baseUrl = (env['FLOE_BASE_URL']?.trim() || 'http://127.0.0.1:3563').replace(/\/+$/, '');
  if (apiKey === '') throw new UsageError('FLOE_API_KEY is not set. Set it to a platform key (eis_…).');
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError('FLOE_BASE_URL must be an http or https URL. Example: https://floe.example.com');
  return { apiKey, baseUrl };
}
