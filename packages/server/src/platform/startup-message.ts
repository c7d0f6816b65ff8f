import type { FirstStartSecrets } from './bootstrap.ts';

/** The values that the startup message shows. */
export interface StartupMessageValues {
  readonly version: string;
  /** URL of the main listener on this machine. */
  readonly localUrl: string;
  /** The other listeners and their surfaces. */
  readonly listeners: readonly { readonly url: string; readonly surfaces: readonly string[] }[];
  /** URL for users: `server.base_url`. */
  readonly url: string;
  readonly dataDir: string;
  readonly configPath: string | null;
  readonly providers: readonly string[];
}

/**
 * Returns the message that is printed at startup. At the first start, it contains the key, the
 * sign-in link and a working curl command. Later, it contains only addresses, because the key is
 * not stored.
 */
export function formatStartupMessage(info: StartupMessageValues, firstRun: FirstStartSecrets | null): string {
  const lines = [
    `floe: listening on ${info.localUrl}`,
    '',
    `  Floe ${info.version}`,
    `  gateway     ${info.url}/gateway/v1`,
    ...info.listeners.map(({ url, surfaces }) => `  listener    ${url} (${surfaces.join(', ')})`),
    `  data        ${info.dataDir}`,
    `  config      ${info.configPath ?? 'none (create floe.yaml, or set FLOE_CONFIG)'}`,
    `  providers   ${info.providers.join(', ') || 'none'}`,
  ];
  if (firstRun)
    lines.push(
      `  key         ${firstRun.key}`,
      `  console     ${info.url}/sign-in#token=${firstRun.signInToken}`,
      '',
      '  The key and the console link are shown only once. Send a first request:',
      '',
      `  curl ${info.url}/gateway/v1/chat/completions -H 'authorization: Bearer ${firstRun.key}' -H 'content-type: application/json' -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello, Floe!"}]}'`,
    );
  return `${lines.join('\n')}\n\n`;
}

/**
 * Returns the startup message as fields for a log line. At the first start, they include the key
 * and the sign-in link.
 */
export function toStartupLogFields(
  info: StartupMessageValues,
  firstRun: FirstStartSecrets | null,
): Readonly<Record<string, unknown>> {
  return {
    version: info.version,
    local_url: info.localUrl,
    url: info.url,
    gateway_url: `${info.url}/gateway/v1`,
    listeners: info.listeners.map(({ url, surfaces }) => ({ url, surfaces })),
    data_dir: info.dataDir,
    config: info.configPath,
    providers: info.providers,
    ...(firstRun && { key: firstRun.key, console_url: `${info.url}/sign-in#token=${firstRun.signInToken}` }),
  };
}
