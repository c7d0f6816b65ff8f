import type { Migration } from './migration.ts';

/** What floe.yaml last said of pause and mute of a monitor; null for monitors that are not in the file. */
export const monitorFileStateMigration: Migration = {
  number: 3,
  name: 'monitor-file-state',
  async up(writer) {
    await writer.schema.alterTable('monitors').addColumn('file_state', 'text').execute();
  },
};
