import { resolve } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { loadConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import { createLog } from '../core/log.ts';
import { makeOwnerLink } from '../platform/sign-in/owner-link.ts';
import { backup, restore, type StorePlace } from '../store/backup.ts';
import { importSqlite } from '../store/import.ts';
import { openDatabase } from '../store/open-database.ts';
import { StoreUnusable } from '../store/store-unusable.ts';
import { planUpgrade, upgrade } from '../store/upgrade.ts';
import { rewrap } from './rewrap.ts';

interface Place extends StorePlace {
  /** `server.base_url`. */
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
    usage: 'owner-link [org]',
    async run({ url, dataDir, baseUrl }, args, environment) {
      const [org] = wanted(args, Math.min(1, args.length), []).names;
      const database = await openDatabase(url, { dataDir, ...partsOf(environment) });
      try {
        const token = await database.transaction((writer) => makeOwnerLink(writer, systemClock, org));
        return `${baseUrl}/sign-in#token=${token}\n\nWhoever opens it becomes an owner. It works once, within 24 hours.`;
      } finally {
        await database.close();
      }
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
  const place = { url: config.storage.database, dataDir, baseUrl: config.server.base_url };
  try {
    process.stdout.write(`${await command.run(place, args, environment)}\n`);
  } catch (error) {
    throw error instanceof WrongUsage
      ? new StoreUnusable(`usage: floe ${command.usage}`, { exitCode: 2 })
      : error;
  }
}

class WrongUsage extends Error {}

function wanted(args: readonly string[], count: number, known: readonly string[]) {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const flags = new Set(args.filter((arg) => arg.startsWith('--')));
  if (names.length !== count || [...flags].some((flag) => !known.includes(flag))) throw new WrongUsage();
  return { names, flags };
}
