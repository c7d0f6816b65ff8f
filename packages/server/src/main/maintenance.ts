import { resolve } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import { createLog } from '../core/log.ts';
import { grantOperatorRole, revokeOperatorRole } from '../platform/operators.ts';
import { makeOwnerLink } from '../platform/sign-in/owner-link.ts';
import { deriveAuditKey } from '../store/audit-context.ts';
import { backup, restore, type StorePlace } from '../store/backup.ts';
import { importSqlite } from '../store/import.ts';
import { isPostgres, openDatabase } from '../store/open-database.ts';
import type { Writer } from '../store/ports.ts';
import { claimDatabase, loadSecretKey, noSharedSecret } from '../store/secret-key.ts';
import { StoreUnusable } from '../store/store-unusable.ts';
import { planUpgrade, upgrade } from '../store/upgrade.ts';
import { type Arguments, type CallForm, readArguments, wrongUsage } from './arguments.ts';
import { rewrap } from './rewrap.ts';
import { runningAddress } from './running-address.ts';

interface Place extends StorePlace {
  /** Where the server is reached: the address of the one that runs, else `server.base_url`. */
  readonly baseUrl: string;
}

interface Command extends CallForm {
  /** Resolves to what is printed. */
  run(place: Place, given: Arguments, environment: Environment): Promise<string>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  backup: {
    usage: 'backup <file>',
    names: [1, 1],
    async run(place, { names: [file = ''] }, environment) {
      await backup(place, file, partsOf(environment));
      return `Backed up to ${file}. Keep the secret key (FLOE_SECRET_KEY, or secret.key in the data directory) apart from it: a restored database opens with no other.`;
    },
  },
  restore: {
    usage: 'restore <file> [--force]',
    names: [1, 1],
    flags: ['force'],
    async run(place, { names: [file = ''], flags }, environment) {
      const parts = partsOf(environment);
      const options = { ...parts, force: flags.has('force'), nowMs: systemClock.now() };
      const { path, safetyCopy } = await restore(place, file, options);
      return `Restored ${path}.${safetyCopy === null ? '' : ` What stood there is ${safetyCopy}.`}`;
    },
  },
  migrate: {
    usage: 'migrate [--dry-run]',
    names: [0, 0],
    flags: ['dry-run'],
    async run(place, { flags }, environment) {
      const dry = flags.has('dry-run');
      const { migrations, copy } = dry
        ? await planUpgrade(place)
        : await upgrade(place, partsOf(environment));
      if (migrations.length === 0) return 'Nothing to migrate.';
      const list = migrations.map(({ number, name }) => `${number} ${name}`).join('\n  ');
      const copied = copy === null ? '' : `${dry ? 'Would copy' : 'Copied'} the database to ${copy} first.\n`;
      return `${copied}${dry ? 'Would apply' : 'Applied'}:\n  ${list}`;
    },
  },
  'owner-link': {
    usage: 'owner-link [org] [--operator]',
    names: [0, 1],
    flags: ['operator'],
    async run({ url, dataDir, baseUrl }, { names: [org], flags }, environment) {
      const token = await changeStore({ url, dataDir }, environment, (writer) =>
        makeOwnerLink(writer, systemClock, org, flags.has('operator')),
      );
      return `${baseUrl}/sign-in#token=${token}\n\nWhoever opens it becomes an owner. It works once, within 24 hours.`;
    },
  },
  operator: {
    usage: 'operator grant <email> | operator revoke <email>',
    names: [2, 2],
    async run(place, { names: [verb, email = ''] }, environment) {
      if (verb !== 'grant' && verb !== 'revoke') throw wrongUsage(this);
      const change = verb === 'grant' ? grantOperatorRole : revokeOperatorRole;
      await changeStore(place, environment, (writer) => change(writer, systemClock, email));
      return verb === 'grant'
        ? `${email} is an operator of the installation.`
        : `${email} is no operator of the installation any more.`;
    },
  },
  secrets: {
    usage: 'secrets rewrap',
    names: [1, 1],
    async run(place, { names: [verb] }, environment) {
      if (verb !== 'rewrap') throw wrongUsage(this);
      return rewrap(place, environment);
    },
  },
  import: {
    usage: 'import sqlite:<file>',
    names: [1, 1],
    async run(place, { names: [from = ''] }, environment) {
      const imported = await importSqlite(from, place, partsOf(environment));
      return imported
        .map(({ table, added, known }) => `${table}: ${added} added, ${known} there already`)
        .join('\n');
    },
  },
};

/** Changes the store as a running server would: with the key of the audit log. */
async function changeStore<T>(
  { url, dataDir }: StorePlace,
  environment: Environment,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  const { secretKey } = environment;
  if (isPostgres(url) && secretKey === undefined) throw noSharedSecret();
  const { key } = loadSecretKey({ dataDir, ...(secretKey === undefined ? {} : { given: secretKey }) });
  const auditKey = deriveAuditKey(key);
  const database = await openDatabase(url, { dataDir, auditKey, ...partsOf(environment) });
  try {
    return await database.transaction(async (writer) => {
      await claimDatabase(writer, key);
      const done = await work(writer);
      await database.signals.announce(writer);
      return done;
    });
  } finally {
    await database.close();
  }
}

function partsOf({ logLevel }: Environment) {
  return { log: createLog(logLevel), clock: systemClock };
}

/**
 * Runs a command of the store and prints what it did.
 *
 * @throws StoreUnusable with one line for the operator.
 */
export async function maintain(
  [name = '', ...args]: readonly string[],
  environment: Environment,
): Promise<void> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new StoreUnusable(`unknown command "${name}"; see floe help`, { exitCode: 2 });
  const given = readArguments(args, command);
  const dataDir = resolve(environment.dataDir);
  const { config } = loadConfig({ env: environment });
  const place = {
    url: config.storage.database,
    dataDir,
    baseUrl: runningAddress(dataDir) ?? config.server.base_url,
  };
  process.stdout.write(`${await command.run(place, given, environment)}\n`);
}
