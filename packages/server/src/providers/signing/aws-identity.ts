import type { Expiring } from './auto-renewed.ts';

/** Long-lived or temporary AWS keys. */
export interface AwsKeys {
  readonly id: string;
  readonly secret: string;
  readonly token?: string | undefined;
}

/** Keys and how long they hold. */
export interface AwsCredentials extends Expiring {
  readonly keys: AwsKeys;
}

/**
 * Where AWS keys come from, in the order of the usual chain: the file's own, a named profile, the environment,
 * a web identity, the default profile, the container, the machine. The first that is there counts; with
 * `role` the keys found assume it.
 */
export interface AwsIdentity {
  readonly type: 'aws';
  readonly service: string;
  readonly region: string;
  readonly keys?: AwsKeys | undefined;
  /** A profile the operator named; the default one is only looked at last. */
  readonly profile?: string | undefined;
  readonly environmentKeys?: AwsKeys | undefined;
  readonly webIdentity?: WebIdentity | undefined;
  readonly defaultProfile: string;
  readonly credentialsFile: string;
  readonly configFile: string;
  readonly container?: ContainerSource | undefined;
  /** Base address of the machine's metadata service; only when the operator asked for it. */
  readonly metadata?: string | undefined;
  readonly role?: { readonly arn: string; readonly externalId?: string | undefined } | undefined;
  readonly sessionName: string;
  /** Base address of the token service. */
  readonly sts: string;
}

export interface WebIdentity {
  readonly tokenFile: string;
  readonly roleArn: string;
}

export interface ContainerSource {
  readonly url: string;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
}

type VariableLookup = (name: string) => string | undefined;

/** What `identity` and `role_arn` of a provider say, with the environment behind them. */
export interface AwsSettings {
  readonly service: string;
  readonly region: string;
  readonly keys?: AwsKeys | undefined;
  readonly profile?: string | undefined;
  readonly metadata: boolean;
  readonly roleArn?: string | undefined;
  readonly externalId?: string | undefined;
}

/** Amazon's fixed addresses for containers and machines. */
const CONTAINER_SERVICE_URL = 'http://169.254.170.2';
const METADATA_SERVICE_URL = 'http://169.254.169.254';

export function resolveAwsIdentity(settings: AwsSettings, variable: VariableLookup): AwsIdentity {
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

/** Regions in China stand under a domain of their own. */
export function getAwsDomain(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
