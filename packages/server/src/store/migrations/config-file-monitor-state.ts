import type { Migration } from './migration.ts';

/**
 * The migration that adds columns for the last pause and mute of a monitor that floe.yaml defines.
 * The values are null for other monitors.
 */
export const configFileMonitorStateMigration: Migration = {
  number: 3,
  name: 'monitor-file-state',
  compatibleFrom: 1,
  async up(writer) {
    await writer.schema.alterTable('monitors').addColumn('file_state', 'text').execute();
  },
};
