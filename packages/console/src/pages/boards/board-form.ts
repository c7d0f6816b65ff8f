import type { Board } from '@floe/contract/api/boards';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';

export interface BoardGroupForm {
  /** Tells groups apart while they are moved and named. */
  readonly key: string;
  readonly name: string;
  readonly monitors: readonly string[];
}

export interface BoardForm {
  readonly slug: string;
  readonly name: string;
  readonly public: boolean;
  /** Empty: the org's. */
  readonly timezone: string;
  readonly groups: readonly BoardGroupForm[];
}

export const NEW_BOARD: BoardForm = {
  slug: 'status',
  name: '',
  public: false,
  timezone: '',
  groups: [{ key: '0', name: 'Scheduled jobs', monitors: [] }],
};

function boardFormOf({ slug, name, public: open, timezone, groups }: Board): BoardForm {
  const keyed = groups.map((group, at) => ({ key: String(at), ...group }));
  return { slug, name, public: open, timezone: timezone ?? '', groups: keyed };
}

/** What the API takes. */
export function boardBody({ slug, name, public: open, timezone, groups }: BoardForm) {
  return {
    slug: slug.trim(),
    // Without a title of its own it is called as its address.
    name: name.trim() || slug.trim(),
    public: open,
    timezone: timezone === '' ? null : timezone,
    groups: groups.map((group) => ({ name: group.name.trim(), monitors: [...group.monitors] })),
  };
}

/** Boards, as their editor and list handle them. */
export const BOARD_RESOURCE: ConsoleResourceKind<Board, BoardForm> = {
  one: 'board',
  path: 'api/monitoring/boards',
  touches: [['boards']],
  needs: 'monitoring',
  formOf: boardFormOf,
  bodyOf: boardBody,
  removal: ({ name, slug }) => ({
    title: `Delete board ${name}?`,
    effect: 'Its address answers 404 within seconds. The monitors on it stay.',
    typed: slug,
  }),
};

/** The same groups with one of them changed. */
export function updateBoardGroup(
  groups: readonly BoardGroupForm[],
  key: string,
  change: Partial<BoardGroupForm>,
): readonly BoardGroupForm[] {
  return groups.map((group) => (group.key === key ? { ...group, ...change } : group));
}
