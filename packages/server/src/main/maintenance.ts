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
import { rewrap } from './rewrap.ts';
import { runningAddress } from './running-address.ts';

interface Place extends StorePlace {
  /** Where the server is reached: the address of the one that runs, else `server.base_url`. */
  readonly baseUrl: string;
}

type Command = (place: Place, args: readonly string[], environment: Environment) => Promise<string>;

const COMMANDS: Readonly<Record<string, { readonly usage: string; readonly run: Command }>> = {
  backup: {
    usage: 'backup <file>',
    async run(place, args, environment) {
      const [file] = wanted(args, 1, []).names;
      await backup(place, file ?? '', partsOf(environment));
      return `Backed up to ${file}. Keep the secret key (FLOE_SECRET_KEY, or secret.key in the data directory) apart from it: a restored database opens with no other.`;
    },
  },
  restore: {
    usage: 'restore <file> [--force]',
    async run(place, args, environment) {
      const { names, flags } = wanted(args, 1, ['--force']);
      const parts = partsOf(environment);
      const options = { ...parts, force: flags.has('--force'), nowMs: systemClock.now() };
      const { path, safetyCopy } = await restore(place, names[0] ?? '', options);
      return `Restored ${path}.${safetyCopy === null ? '' : ` What stood there is ${safetyCopy}.`}`;
    },
  },
  migrate: {
    usage: 'migrate [--dry-run]',
    async run(place, args, environment) {
      const dry = wanted(args, 0, ['--dry-run']).flags.has('--dry-run');
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
    async run({ url, dataDir, baseUrl }, args, environment) {
      const { names, flags } = optional(args, ['--operator']);
      const [org] = names;
      const token = await changeStore({ url, dataDir }, environment, (writer) =>
        makeOwnerLink(writer, systemClock, org, flags.has('--operator')),
      );
      return `${baseUrl}/sign-in#token=${token}\n\nWhoever opens it becomes an owner. It works once, within 24 hours.`;
    },
  },
  operator: {
    usage: 'operator grant <email> | operator revoke <email>',
    async run(place, args, environment) {
      const [verb, email = ''] = wanted(args, 2, []).names;
      if (verb !== 'grant' && verb !== 'revoke') throw new WrongUsage();
      const change = verb === 'grant' ? grantOperatorRole : revokeOperatorRole;
      await changeStore(place, environment, (writer) => change(writer, systemClock, email));
      return verb === 'grant'
        ? `${email} is an operator of the installation.`
        : `${email} is no operator of the installation any more.`;
    },
  },
  secrets: {
    usage: 'secrets rewrap',
    async run(place, args, environment) {
      if (wanted(args, 1, []).names[0] !== 'rewrap') throw new WrongUsage();
      return rewrap(place, environment);
    },
  },
  import: {
    usage: 'import sqlite:<file>',
    async run(place, args, environment) {
      const [from] = wanted(args, 1, []).names;
      const imported = await importSqlite(from ?? '', place, partsOf(environment));
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
  const dataDir = resolve(environment.dataDir);
  const { config } = loadConfig({ env: environment });
  const place = {
    url: config.storage.database,
    dataDir,
    baseUrl: runningAddress(dataDir) ?? config.server.base_url,
  };
  try {
    process.stdout.write(`${await command.run(place, args, environment)}\n`);
  } catch (error) {
    throw error instanceof WrongUsage
      ? new StoreUnusable(`usage: floe ${command.usage}`, { exitCode: 2 })
      : error;
  }
}

class WrongUsage extends Error {}

function optional(args: readonly string[], known: readonly string[]) {
  const count = args.filter((arg) => !arg.startsWith('--')).length;
  return wanted(args, Math.min(1, count), known);
}

function wanted(args: readonly string[], count: number, known: readonly string[]) {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const flags = new Set(args.filter((arg) => arg.startsWith('--')));
  if (names.length !== count || [...flags].some((flag) => !known.includes(flag))) throw new WrongUsage();
  return { names, flags };
}
