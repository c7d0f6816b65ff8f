import type { ExpiringValue } from './auto-renewing-value.ts';

/** Long-term or temporary AWS keys. */
export interface AwsKeys {
  readonly id: string;
  readonly secret: string;
  readonly token?: string | undefined;
}

/** AWS keys and when they expire. */
export interface AwsCredentials extends ExpiringValue {
  readonly keys: AwsKeys;
}

/**
 * The sources of AWS keys, in the order of AWS's default chain: configuration, named profile,
 * environment, web identity, default profile, container, instance role. The first available source
 * is used. If `role` is set, the keys are used to assume that role.
 */
export interface AwsCredentialSources {
  readonly type: 'aws';
  readonly service: string;
  readonly region: string;
  readonly keys?: AwsKeys | undefined;
  /** The configured profile. The default profile is not set here, because it comes later in the chain. */
  readonly profile?: string | undefined;
  readonly environmentKeys?: AwsKeys | undefined;
  readonly webIdentity?: AwsWebIdentity | undefined;
  readonly defaultProfile: string;
  readonly credentialsFile: string;
  readonly configFile: string;
  readonly container?: AwsContainerCredentialSource | undefined;
  /** Base URL of the metadata service. Set only if it is configured. */
  readonly metadata?: string | undefined;
  readonly role?: { readonly arn: string; readonly externalId?: string | undefined } | undefined;
  readonly sessionName: string;
  /** Base URL of the token service (STS). */
  readonly sts: string;
}

/** An AWS role that is assumed with a token from a file. */
export interface AwsWebIdentity {
  readonly tokenFile: string;
  readonly roleArn: string;
}

/** A container service that returns AWS keys. */
export interface AwsContainerCredentialSource {
  readonly url: string;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
}

type VariableLookup = (name: string) => string | undefined;

/** The provider settings that determine the sources of AWS keys. */
export interface AwsCredentialSettings {
  readonly service: string;
  readonly region: string;
  readonly keys?: AwsKeys | undefined;
  readonly profile?: string | undefined;
  readonly metadata: boolean;
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
}

/** Fixed base URLs of the AWS services that return keys to containers and to machines. */
const CONTAINER_SERVICE_URL = 'http://169.254.170.2';
const METADATA_SERVICE_URL = 'http://169.254.169.254';

/** Determines the sources of AWS keys from the settings and the environment. */
export function resolveAwsCredentialSources(
  settings: AwsCredentialSettings,
  variable: VariableLookup,
): AwsCredentialSources {
  const set = (name: string) => variable(name) || undefined;
  const home = set('HOME') ?? set('USERPROFILE') ?? '.';
  const [id, secret] = [set('AWS_ACCESS_KEY_ID'), set('AWS_SECRET_ACCESS_KEY')];
  const [tokenFile, roleArn] = [set('AWS_WEB_IDENTITY_TOKEN_FILE'), set('AWS_ROLE_ARN')];
  const relative = set('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const url =
    relative === undefined
      ? set('AWS_CONTAINER_CREDENTIALS_FULL_URI')
      : `${CONTAINER_SERVICE_URL}${relative}`;
  const { service, region, keys, profile, metadata, externalId } = settings;
  return {
    type: 'aws',
    service,
    region,
    keys,
    profile,
    environmentKeys: id && secret ? { id, secret, token: set('AWS_SESSION_TOKEN') } : undefined,
    webIdentity: tokenFile && roleArn ? { tokenFile, roleArn } : undefined,
    defaultProfile: set('AWS_PROFILE') ?? 'default',
    credentialsFile: set('AWS_SHARED_CREDENTIALS_FILE') ?? `${home}/.aws/credentials`,
    configFile: set('AWS_CONFIG_FILE') ?? `${home}/.aws/config`,
    container:
      (url && {
        url,
        token: set('AWS_CONTAINER_AUTHORIZATION_TOKEN'),
        tokenFile: set('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'),
      }) ||
      undefined,
    metadata: metadata ? (set('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? METADATA_SERVICE_URL) : undefined,
    role: settings.roleArn === undefined ? undefined : { arn: settings.roleArn, externalId },
    sessionName: set('AWS_ROLE_SESSION_NAME') ?? 'floe',
    sts: set('AWS_ENDPOINT_URL_STS') ?? `https://sts.${region}.${getAwsDomain(region)}`,
  };
}

/** Returns the AWS domain for a region. Regions in China have a separate domain. */
export function getAwsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
