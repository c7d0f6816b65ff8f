import { after, before, suite } from 'node:test';
import { controlTests } from './components/controls.suite.ts';
import { fieldTests } from './components/fields.suite.ts';
import { listTests } from './components/lists.suite.ts';
import { overlayTests } from './components/overlays.suite.ts';
import { type MountSpecimen, startWorkbench, type Workbench } from './components/workbench.ts';

/** Each component of `src/ui` that does something, mounted alone: keyboard, roles, names, and every state it can be in. */

let bench: Workbench;

before(async () => {
  bench = await startWorkbench();
});
after(() => bench.close());

const mount: MountSpecimen = (specimen, look) => bench.mount(specimen, look);

suite('controls', () => controlTests(mount));
suite('fields', () => fieldTests(mount));
suite('lists', () => listTests(mount));
suite('overlays', () => overlayTests(mount));
