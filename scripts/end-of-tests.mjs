// Preloaded into every test process: a file whose set-up failed may leave a listener open, and its process must not wait for
// that. node:test's own `forceExit` ends the process before all results have left it.
import { after } from 'node:test';

/** How long results may take to leave, and handles to close, after the last test. */
const PATIENCE_MS = 10_000;

after(() => {
  // With the code of the tests, which is known by then.
  setTimeout(() => process.exit(), PATIENCE_MS).unref();
});
