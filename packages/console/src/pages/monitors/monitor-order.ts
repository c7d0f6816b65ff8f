import type { Monitor } from '@floe/contract/api/monitors';

const FIRST = ['failing', 'waiting', 'healthy', 'paused'];

/** Failing first, the longest at the top; then by the nearest deadline; paused last. */
export function byUrgency(monitors: readonly Monitor[]): readonly Monitor[] {
  return [...new Map(monitors.map((monitor) => [monitor.id, monitor])).values()].sort(
    (one, other) =>
      FIRST.indexOf(one.status) - FIRST.indexOf(other.status) ||
      keyOf(one).localeCompare(keyOf(other), 'en') ||
      one.name.localeCompare(other.name, 'en'),
  );
}

/** ISO moments of one zone: their order is that of their letters. */
function keyOf({ status, failing_since, deadline_at }: Monitor): string {
  return (status === 'failing' ? failing_since : deadline_at) ?? '9';
}
