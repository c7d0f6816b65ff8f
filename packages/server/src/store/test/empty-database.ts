import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Database } from '../ports.ts';
import type { Schema } from '../schema.ts';

/** A store without any row, for parts whose reading is not what a test is about. */
export const EMPTY_DATABASE: Pick<Database, 'read' | 'isShared'> = {
  isShared: false,
  read: new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
};
