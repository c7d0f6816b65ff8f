import { firstTables } from './0001-first-tables.ts';
import { rollups } from './0002-rollups.ts';
import { monitoring } from './0003-monitoring.ts';
import { alerts } from './0004-alerts.ts';
import { storedTurns } from './0005-stored-turns.ts';
import { guardrails } from './0006-guardrails.ts';
import { resources } from './0007-resources.ts';
import { boards } from './0008-boards.ts';
import { members } from './0009-members.ts';

import { identities } from './0010-identities.ts';
import { signIn } from './0011-sign-in.ts';
import { configEntries } from './0012-config-entries.ts';
import { live } from './0013-live.ts';
import { relay } from './0014-relay.ts';
import { keptBodies } from './0015-kept-bodies.ts';
import { reasonsAndSavings } from './0016-reasons-and-savings.ts';
import { places } from './0018-places.ts';
import { issuers } from './0020-issuers.ts';
import { kindsOfChanges } from './0021-kinds-of-changes.ts';
import { quarters } from './0022-quarters.ts';
import { backgroundResponses } from './0024-background-responses.ts';
import { operatorsAndGrants } from './0025-operators-and-grants.ts';
import { monitoringGaps } from './0026-monitoring-gaps.ts';
import { clientsAndSessions } from './0027-clients-and-sessions.ts';
import type { Migration } from './migration.ts';

/**
 * In order, forward only. A database takes what comes after the last number it has. A number that is added below the
 * last one of a release has the databases of that release refused (`planMigrations`).
 */
export const MIGRATIONS: readonly Migration[] = [
  firstTables,
  rollups,
  monitoring,
  alerts,
  storedTurns,
  guardrails,
  resources,
  boards,
  members,
  identities,
  signIn,
  configEntries,
  live,
  relay,
  keptBodies,
  reasonsAndSavings,
  places,
  issuers,
  kindsOfChanges,
  quarters,
  backgroundResponses,
  operatorsAndGrants,
  monitoringGaps,
  clientsAndSessions,
];
