// Tier: ci. Thousands of rows per person, on SQLite.
import { peopleApiSuite } from './people-api.suite.ts';

peopleApiSuite('SQLite');
