import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { openConsolePage } from './console-harness.ts';
import { type PopulatedConsole, startPopulatedConsole } from './populated-console.ts';

/** A populated console for all tests of one file. */
export interface PopulatedPages {
  /** The console. Only tests and hooks may read it. */
  readonly harness: PopulatedConsole;
  /** Opens a page of the organization, such as `/overview`, on a laptop or a phone. */
  open(path: string, phone?: boolean): Promise<Page>;
}

/** Starts a populated console before the tests of a file, and stops it after them. */
export function servePopulatedPages(): PopulatedPages {
  let harness: PopulatedConsole;
  before(async () => {
    harness = await startPopulatedConsole();
  });
  after(() => harness.close());
  return {
    get harness() {
      return harness;
    },
    async open(path, phone = false) {
      const { page } = await openConsolePage(harness, `/o/acme${path}`, { phone });
      return page;
    },
  };
}
