import type { Migration } from './migration.ts';

/** Adds the last pause and mute of a monitor in floe.yaml. Null for monitors that are not in the file. */
export const monitorFileStateMigration: Migration = {
  number: 3,
  name: 'monitor-file-state',
  async up(writer) {
    await writer.schema.alterTable('monitors').addColumn('file_state', 'text').execute();
  },
};
