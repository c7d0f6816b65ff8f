// Tier: ci. Thousands of rows per person, on PostgreSQL.
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { peopleApiSuite } from './people-api.suite.ts';

peopleApiSuite('PostgreSQL', (t) => createTestDatabase(t));
