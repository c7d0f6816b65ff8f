import { resolve } from 'node:path';
import type { ServerEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { FatalError } from '../core/fatal-error.ts';
import { createLog } from '../core/log.ts';
import { grantOperatorRoleFromHost, revokeOperatorRoleFromHost } from '../platform/operators.ts';
import { createOwnerLink } from '../platform/sign-in/owner-link.ts';
import { deriveAuditKey } from '../store/audit-context.ts';
import {
  backupDatabase,
  type DatabaseLocation,
  requireExistingDatabase,
  restoreDatabase,
} from '../store/database-backup.ts';
import { requireCompleteImport } from '../store/import-marker.ts';
import { importSqliteDatabase } from '../store/import-sqlite.ts';
import { isPostgresUrl, openDatabase } from '../store/open-database.ts';
import {
  bindDatabaseToSecretKey,
  createMissingSecretKeyError,
  loadInstallationSecretKey,
} from '../store/secret-key.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { planDatabaseUpgrade, upgradeDatabase } from '../store/upgrade-database.ts';
import {
  type CommandArguments,
  type CommandSyntax,
  createUsageError,
  parseCommandArguments,
} from './command-arguments.ts';
import type { DatabaseCommandResult } from './database-command-result.ts';
import { formatUpgradeReport } from './format-upgrade-report.ts';
import { runMarkKeyLostCommand } from './mark-key-lost-command.ts';
import { rewrapDatabaseSecrets } from './rewrap-database-secrets.ts';
import { readServerUrl } from './server-url-file.ts';

interface CommandContext extends DatabaseLocation {
  /** URL of the running server, or `server.base_url` if none is running. */
  readonly baseUrl: string;
}

interface StoreCommand extends CommandSyntax {
  /** Runs the command. Resolves with the text to print. */
  run(
    place: CommandContext,
    given: CommandArguments,
    environment: ServerEnvironment,
  ): Promise<string | DatabaseCommandResult>;
}

const COMMANDS: Readonly<Record<string, StoreCommand>> = {
  backup: {
    usage: 'backup <file> [--force]',
    positionals: [1, 1],
    flags: ['force'],
    async run(place, { positionals: [file = ''], flags }, environment) {
      await backupDatabase(place, file, { ...databaseOptions(environment), force: flags.has('force') });
      return `Backed up the database to ${file}. Store the secret key (FLOE_SECRET_KEY, or secret.key in the data directory) separately: a restored database requires it.`;
    },
  },
  restore: {
    usage: 'restore <file> [--force]',
    positionals: [1, 1],
    flags: ['force'],
    async run(place, { positionals: [file = ''], flags }, environment) {
      const parts = databaseOptions(environment);
      const options = { ...parts, force: flags.has('force'), nowMs: systemClock.now() };
      const { path, safetyCopy } = await restoreDatabase(place, file, options);
      return `Restored ${path}.${safetyCopy === null ? '' : ` The previous database was moved to ${safetyCopy}.`} Before you start the server, provide the secret key of the backup: set FLOE_SECRET_KEY, or copy secret.key to the data directory.`;
    },
  },
  migrate: {
    usage: 'migrate [--dry-run] [--force]',
    positionals: [0, 0],
    flags: ['dry-run', 'force'],
    async run(place, { flags }, environment) {
      const isDryRun = flags.has('dry-run');
      const force = flags.has('force');
      if (isDryRun && force) throw createUsageError(this);
      const plan = isDryRun
        ? await planDatabaseUpgrade(place)
        : await upgradeDatabase(place, { ...databaseOptions(environment), force });
      return formatUpgradeReport(plan, isDryRun);
    },
  },
  'owner-link': {
    usage: 'owner-link [org] [--operator]',
    positionals: [0, 1],
    flags: ['operator'],
    async run({ url, dataDir, baseUrl }, { positionals: [org], flags }, environment) {
      const token = await writeToStore({ url, dataDir }, environment, (writer) =>
        createOwnerLink(writer, systemClock, org, flags.has('operator')),
      );
      return `${baseUrl}/sign-in#token=${token}\n\nAnyone with this link can become an owner of the organization. If you used --operator, or if there is only one organization, the link also makes this person an operator of the installation. The link works once and expires after 24 hours.`;
    },
  },
  operator: {
    usage: 'operator grant <email> | operator revoke <email>',
    positionals: [2, 2],
    async run(place, { positionals: [action, email = ''] }, environment) {
      if (action !== 'grant' && action !== 'revoke') throw createUsageError(this);
      const change = action === 'grant' ? grantOperatorRoleFromHost : revokeOperatorRoleFromHost;
      await writeToStore(place, environment, (writer) => change(writer, systemClock, email));
      return action === 'grant'
        ? `${email} is an operator of the installation.`
        : `${email} is no longer an operator of the installation.`;
    },
  },
  secrets: {
    usage: 'secrets rewrap | secrets mark-key-lost <key-id> [--dry-run]',
    positionals: [1, 2],
    flags: ['dry-run'],
    async run(place, { positionals: [action, keyId], flags }, environment) {
      if (action === 'rewrap' && keyId === undefined && flags.size === 0)
        return rewrapDatabaseSecrets(place, environment);
      if (action !== 'mark-key-lost' || keyId === undefined) throw createUsageError(this);
      const { encryptionKeys } = environment;
      const request = { keyId, isDryRun: flags.has('dry-run'), encryptionKeys };
      return writeToStore(place, environment, (writer, secretKey) =>
        runMarkKeyLostCommand(writer, { ...request, secretKey }),
      );
    },
  },
  storage: {
    usage: 'storage move sqlite:<file>',
    positionals: [2, 2],
    async run(place, { positionals: [action, from = ''] }, environment) {
      if (action !== 'move') throw createUsageError(this);
      const imported = await importSqliteDatabase(from, place, databaseOptions(environment));
      return imported.map(({ table, rows }) => `${table}: ${rows} copied`).join('\n');
    },
  },
};

/**
 * Runs a transaction on the database with the audit key, as the server does, and notifies running
 * processes.
 */
async function writeToStore<T>(
  { url, dataDir }: DatabaseLocation,
  environment: ServerEnvironment,
  work: (writer: DatabaseWriter, secretKey: Buffer) => Promise<T>,
): Promise<T> {
  const { secretKey } = environment;
  requireExistingDatabase({ url, dataDir });
  if (isPostgresUrl(url) && secretKey === undefined) throw createMissingSecretKeyError();
  const secret = loadInstallationSecretKey({
    dataDir,
    ...(secretKey === undefined ? {} : { given: secretKey }),
  });
  const auditKey = deriveAuditKey(secret.key);
  const database = await openDatabase(url, { dataDir, auditKey, ...databaseOptions(environment) });
  try {
    return await database.transaction(async (writer) => {
      await requireCompleteImport(writer);
      await bindDatabaseToSecretKey(writer, secret);
      const done = await work(writer, secret.key);
      await database.signals.announce(writer);
      return done;
    });
  } finally {
    await database.close();
  }
}

function databaseOptions({ logLevel }: ServerEnvironment) {
  return { log: createLog(logLevel), clock: systemClock };
}

/**
 * Runs a maintenance command and prints its result.
 *
 * @throws FatalError with a message for the operator, also if the command is incomplete
 */
export async function runDatabaseCommand(
  [name = '', ...args]: readonly string[],
  environment: ServerEnvironment,
): Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command)
    throw new FatalError(`Unknown command "${name}". Run "floe help" to list the commands.`, {
      exitCode: 2,
    });
  const given = parseCommandArguments(args, command);
  const dataDir = resolve(environment.dataDir);
  const { config } = loadConfig({ env: environment });
  const place = {
    url: config.storage.database,
    dataDir,
    baseUrl: readServerUrl(dataDir) ?? config.server.base_url,
  };
  const result = await command.run(place, given, environment);
  const { text, problem } = typeof result === 'string' ? { text: result, problem: null } : result;
  process.stdout.write(`${text}\n`);
  if (problem !== null) throw new FatalError(problem);
}
