/** After the last input of the user, requests count as caused by the user for this many milliseconds. */
const ACTIVE_MS = 60_000;

// Opening the page is use as well.
let inputAt = Date.now();
for (const type of ['pointerdown', 'keydown', 'wheel', 'click', 'input'])
  addEventListener(type, () => (inputAt = Date.now()), { capture: true, passive: true });

/** Returns whether the user has recently used this page. Otherwise, its requests are polls or follow events. */
export function isUserActive(): boolean {
  return Date.now() - inputAt < ACTIVE_MS;
}
