/**
 * The sources of Google access tokens: a credentials file (of a service account, a user, or workload identity
 * federation), or else the metadata service if it is configured.
 */
export interface GoogleTokenSources {
  readonly type: 'google';
  /** The configured file, or the one in `GOOGLE_APPLICATION_CREDENTIALS`. */
  readonly file?: string | undefined;
  /** The file in which the gcloud CLI stores a user's credentials. Used if no other file is set. */
  readonly userFile: string;
  /** Base URL of the metadata service. Undefined if it is not configured. */
  readonly metadata?: string | undefined;
}

/** The provider settings for Google authentication. */
export interface GoogleTokenSettings {
  readonly file?: string | undefined;
  readonly metadata: boolean;
}

/** Determines the sources of Google access tokens from the settings and the environment. */
export function resolveGoogleTokenSources(
  settings: GoogleTokenSettings,
  variable: (name: string) => string | undefined,
): GoogleTokenSources {
  const set = (name: string) => variable(name) || undefined;
  const home = set('HOME') ?? set('USERPROFILE') ?? '.';
  const config = set('CLOUDSDK_CONFIG') ?? `${home}/.config/gcloud`;
  const host = set('GCE_METADATA_HOST') ?? 'metadata.google.internal';
  return {
    type: 'google',
    file: settings.file ?? set('GOOGLE_APPLICATION_CREDENTIALS'),
    userFile: `${config}/application_default_credentials.json`,
    metadata: settings.metadata ? `http://${host}` : undefined,
  };
}
