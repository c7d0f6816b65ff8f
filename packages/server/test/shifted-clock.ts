// Loaded by the server before anything else (`node --import`): SIGUSR2 moves its clocks forward by an hour, as if
// nothing had happened for so long.
const HOUR_MS = 3_600_000;
let aheadMs = 0;
const monotonic = performance.now.bind(performance);
const wall = Date.now;
performance.now = () => monotonic() + aheadMs;
Date.now = () => wall() + aheadMs;
process.on('SIGUSR2', () => {
  aheadMs += HOUR_MS;
  process.stdout.write(`shifted by ${aheadMs / HOUR_MS} h\n`);
});
