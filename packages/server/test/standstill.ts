/** Returns the longest time since now in which a timer of one millisecond could not run. */
export function watchStandstill(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}
