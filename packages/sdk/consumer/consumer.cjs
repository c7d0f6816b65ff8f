const { Floe } = require('@floe/sdk');
const run = require('./scenarios.cjs');

run(Floe);
