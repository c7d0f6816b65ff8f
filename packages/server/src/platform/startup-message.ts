import type { FirstRun } from './bootstrap.ts';

export interface StartupInfo {
  readonly version: string;
  /** Where this machine reaches the main listener. */
  readonly localUrl: string;
  /** The other listeners, and what each offers. */
  readonly listeners: readonly { readonly url: string; readonly surfaces: readonly string[] }[];
  /** What users see: `server.base_url`. */
  readonly url: string;
  readonly dataDir: string;
  readonly configPath: string | null;
  readonly providers: readonly string[];
}

/**
 * What a start prints. The first one shows the key, the sign-in link and a curl line that works as it
 * stands; later ones say where things are, for a key cannot be read back.
 */
export function formatStartupMessage(place: StartupInfo, firstRun: FirstRun | null): string {
  const lines = [
    `floe: listening on ${place.localUrl}`,
    '',
    `  Floe ${place.version}`,
    `  gateway     ${place.url}/gateway/v1`,
    ...place.listeners.map(({ url, surfaces }) => `  listener    ${url} (${surfaces.join(', ')})`),
    `  data        ${place.dataDir}`,
    `  config      ${place.configPath ?? 'none (create floe.yaml, or set FLOE_CONFIG)'}`,
    `  providers   ${place.providers.join(', ') || 'none'}`,
  ];
  if (firstRun)
    lines.push(
      `  key         ${firstRun.key}`,
      `  console     ${place.url}/sign-in#token=${firstRun.signInToken}`,
      '',
      '  The key and the console link are shown only once. Send a first request:',
      '',
      `  curl ${place.url}/gateway/v1/chat/completions -H 'authorization: Bearer ${firstRun.key}' -H 'content-type: application/json' -d '{"model":"sandbox/echo","messages":[{"role":"user","content":"Hello, Floe!"}]}'`,
    );
  return `${lines.join('\n')}\n\n`;
}

/** The same as fields of a log line. The first start of an installation has its key and the link to sign in. */
export function startupFields(
  place: StartupInfo,
  firstRun: FirstRun | null,
): Readonly<Record<string, unknown>> {
  return {
    version: place.version,
    local_url: place.localUrl,
    url: place.url,
    gateway_url: `${place.url}/gateway/v1`,
    listeners: place.listeners.map(({ url, surfaces }) => ({ url, surfaces })),
    data_dir: place.dataDir,
    config: place.configPath,
    providers: place.providers,
    ...(firstRun && { key: firstRun.key, console_url: `${place.url}/sign-in#token=${firstRun.signInToken}` }),
  };
}
