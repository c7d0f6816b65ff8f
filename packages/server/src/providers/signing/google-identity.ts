/**
 * Where Google access tokens come from: a credentials file (a service account, a user, or a workload identity
 * federation), else the machine's metadata service, which is asked only when the operator said so.
 */
export interface GoogleIdentity {
  readonly type: 'google';
  /** The file the operator or `GOOGLE_APPLICATION_CREDENTIALS` named. */
  readonly file?: string | undefined;
  /** Where the command line tool leaves a user's credentials; looked at when nothing else was named. */
  readonly userFile: string;
  /** Base address of the metadata service. */
  readonly metadata?: string | undefined;
}

export interface GoogleSettings {
  readonly file?: string | undefined;
  readonly metadata: boolean;
}

export function resolveGoogleIdentity(
  settings: GoogleSettings,
  variable: (name: string) => string | undefined,
): GoogleIdentity {
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
