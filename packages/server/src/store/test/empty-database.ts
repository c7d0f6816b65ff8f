import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { DatabaseSchema } from '../schema.ts';
import type { Database } from '../store-interfaces.ts';

/** A database without rows, for tests that do not depend on it. */
export const EMPTY_DATABASE: Pick<Database, 'read' | 'isShared'> = {
  isShared: false,
  read: new Kysely<DatabaseSchema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
};
