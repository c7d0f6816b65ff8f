import { Floe } from '@floe/sdk';
import run from './scenarios.cjs';

await run(Floe);
