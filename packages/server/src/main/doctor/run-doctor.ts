import { resolve } from 'node:path';
import { toSmtpSettings } from '../../alerts/mailer.ts';
import { ConfigError } from '../../config/config-problem.ts';
import { readProcessEnvironment, type ServerEnvironment } from '../../config/environment.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { systemClock } from '../../core/clock.ts';
import { formatCountWithNoun } from '../../core/count-with-noun.ts';
import { readOpenFileLimit } from '../../core/open-file-limit.ts';
import { compileCatalogs } from '../../gateway/compile-catalogs.ts';
import { DEFAULT_ORG_ID } from '../../platform/config/stored-config.ts';
import { deriveStoredSecretsKey } from '../../platform/secrets.ts';
import { EMPTY_PRICE_CATALOG } from '../../providers/price-catalog.ts';
import { createUpstreamTransport } from '../../providers/upstream-transport.ts';
import { type DatabaseWithBeatStore, isPostgresUrl } from '../../store/open-database.ts';
import {
  createMissingSecretKeyError,
  type InstallationSecretKey,
  loadInstallationSecretKey,
} from '../../store/secret-key.ts';
import { parseCommandArguments } from '../command-arguments.ts';
import { compileConfig } from '../compile-config.ts';
import { createOutboundAccess, type OutboundAccess } from '../outbound-access.ts';
import { readServerUrl } from '../server-url-file.ts';
import { checkConfiguration, createConfigErrorFindings } from './check-configuration.ts';
import { checkClock, checkDataDirectory, checkDisk, checkOpenFiles } from './check-machine.ts';
import { checkMailServer, checkProviders, type ProvidersToCheck } from './check-outbound.ts';
import { checkCertificate, checkServer } from './check-server-and-certificate.ts';
import { checkDatabase, checkSharedStore } from './check-stores.ts';
import {
  createFailedFinding,
  createPassedFinding,
  createSkippedFinding,
  DOCTOR_CHECKS,
  type DoctorFinding,
  formatThrownError,
} from './doctor-finding.ts';

const SYNTAX = { usage: 'doctor [--json]', positionals: [0, 0], flags: ['json'] } as const;

/**
 * Runs `floe doctor [--json]`, which checks configuration, data directory, stores, clock, URL, certificate,
 * providers and mail. Changes nothing. Exits with code 1 if a check failed.
 */
export async function runDoctor(args: readonly string[]): Promise<void> {
  const { flags } = parseCommandArguments(args, SYNTAX);
  const findings = await collectFindings();
  const isOk = findings.every(({ status }) => status !== 'error');
  const output = flags.has('json')
    ? JSON.stringify({ ok: isOk, findings }, null, 2)
    : formatFindings(findings);
  process.stdout.write(`${output}\n`);
  if (!isOk) process.exitCode = 1;
}

async function collectFindings(): Promise<DoctorFinding[]> {
  let environment: ServerEnvironment;
  try {
    environment = readProcessEnvironment();
  } catch (error) {
    if (error instanceof ConfigError) return createConfigErrorFindings(error);
    throw error;
  }
  const { findings, loaded } = checkConfiguration(environment);
  const dataDir = resolve(environment.dataDir);
  const machine = [checkDataDirectory(dataDir)];
  if (loaded === null)
    return [
      ...findings,
      ...machine,
      await checkDisk(dataDir, 0),
      ...CHECKS_OF_CONFIGURATION.map((check) =>
        createSkippedFinding(check, 'not checked: the configuration is invalid'),
      ),
    ];
  return [...findings, ...machine, ...(await checkInstallation(environment, loaded, dataDir))];
}

/** The checks that need the configuration. */
const CHECKS_OF_CONFIGURATION = DOCTOR_CHECKS.filter(
  (check) => !['configuration', 'data_directory', 'disk'].includes(check),
);

async function checkInstallation(
  environment: ServerEnvironment,
  loaded: LoadedConfig,
  dataDir: string,
): Promise<DoctorFinding[]> {
  const { storage, server } = loaded.config;
  const { secret, finding } = checkSecretKey(environment, storage.database, dataDir);
  const place = { url: storage.database, dataDir };
  const database = await checkDatabase(place, secret, systemClock);
  try {
    const shared = await checkSharedStore(storage.shared, systemClock);
    const offsets = [
      ['the database', database.clockOffsetMs] as const,
      ['the shared store', shared.clockOffsetMs] as const,
    ];
    return [
      await checkDisk(dataDir, database.bytes),
      checkOpenFiles(server.overload.max_concurrent_requests, readOpenFileLimit()),
      finding,
      ...database.findings,
      ...shared.findings,
      checkClock(
        systemClock.now(),
        new Map(offsets.flatMap(([name, offset]) => (offset === null ? [] : [[name, offset]]))),
      ),
      ...(await checkServer(readServerUrl(dataDir))),
      await checkCertificate(server.base_url, systemClock.now()),
      ...(await checkOutbound(environment, loaded, secret, database.database)),
    ];
  } finally {
    await database.database?.close();
  }
}

interface SecretKeyResult {
  /** The secret key; null if there is none that can be used. */
  readonly secret: InstallationSecretKey | null;
  readonly finding: DoctorFinding;
}

function checkSecretKey(environment: ServerEnvironment, url: string, dataDir: string): SecretKeyResult {
  const { secretKey: given } = environment;
  try {
    if (given === undefined && isPostgresUrl(url)) throw createMissingSecretKeyError();
    const secret = loadInstallationSecretKey({ dataDir, ...(given === undefined ? {} : { given }) });
    if (secret.isGenerated)
      return {
        secret: null,
        finding: createSkippedFinding('secret_key', `${secret.file} will be created at the first start`),
      };
    const source = given === undefined ? secret.file : 'FLOE_SECRET_KEY';
    return { secret, finding: createPassedFinding('secret_key', `${source} is usable`) };
  } catch (error) {
    const remedy =
      'Set FLOE_SECRET_KEY, or restore the secret key of this installation. Without this key, Floe cannot read stored credentials.';
    return { secret: null, finding: createFailedFinding('secret_key', formatThrownError(error), remedy) };
  }
}

async function checkOutbound(
  environment: ServerEnvironment,
  loaded: LoadedConfig,
  secret: InstallationSecretKey | null,
  database: DatabaseWithBeatStore | null,
): Promise<DoctorFinding[]> {
  const outbound = createOutboundAccess(loaded.config, environment.variable);
  const mail = await checkMailServer(toSmtpSettings(loaded.config.smtp), outbound);
  const secretsKey = secret && deriveStoredSecretsKey(secret.key, environment.encryptionKeys);
  const catalogs =
    database && secretsKey
      ? await compileAllProviders(loaded, outbound, { database, secretsKey, environment })
      : compileFileProviders(loaded, environment);
  const transport = createUpstreamTransport(systemClock, outbound.guard);
  try {
    return [...(await checkProviders(catalogs, { transport, clock: systemClock })), mail];
  } finally {
    await transport.close();
  }
}

/** Compiles the providers of floe.yaml, of the environment and of the API, as a running server does. */
async function compileAllProviders(
  loaded: LoadedConfig,
  outbound: OutboundAccess,
  parts: Omit<Parameters<typeof compileConfig>[1], 'prices'>,
): Promise<ProvidersToCheck> {
  const compiled = await compileConfig(loaded, { ...parts, prices: EMPTY_PRICE_CATALOG });
  outbound.configure(loaded.config, compiled.orgCount, compiled.byOrg);
  return { catalogs: compiled.catalogs, unusable: compiled.unusableProviders };
}

/**
 * Compiles the providers of floe.yaml and of the environment. Before the first start, there are no others.
 */
function compileFileProviders({ config }: LoadedConfig, { variable }: ServerEnvironment): ProvidersToCheck {
  const environmentOrg = config.orgs.length === 0 ? DEFAULT_ORG_ID : null;
  return compileCatalogs(config.orgs, environmentOrg, {
    lookupVariable: variable,
    outbound: config.outbound,
  });
}

const LABELS = { ok: 'ok', warning: 'warn', error: 'FAIL', skipped: 'skip' } as const;

function formatFindings(findings: readonly DoctorFinding[]): string {
  const lines = findings.flatMap(({ check, status, message, remedy }) => [
    `${LABELS[status].padEnd(5)}${check.replaceAll('_', ' ').padEnd(16)}${message}`,
    ...(remedy === null ? [] : [`${' '.repeat(21)}→ ${remedy}`]),
  ]);
  const count = (wanted: DoctorFinding['status']) =>
    findings.filter(({ status }) => status === wanted).length;
  return [
    ...lines,
    '',
    `${formatCountWithNoun(count('error'), 'error')}, ${formatCountWithNoun(count('warning'), 'warning')}`,
  ].join('\n');
}
