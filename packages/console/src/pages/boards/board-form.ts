import type { Board } from '@floe/contract/api/boards';

export interface BoardGroup {
  readonly name: string;
  readonly monitors: readonly string[];
}

export interface BoardForm {
  readonly slug: string;
  readonly name: string;
  readonly public: boolean;
  /** Empty: the org's. */
  readonly timezone: string;
  readonly groups: readonly BoardGroup[];
}

export const NEW_BOARD: BoardForm = {
  slug: 'status',
  name: '',
  public: false,
  timezone: '',
  groups: [{ name: 'Scheduled jobs', monitors: [] }],
};

export function boardFormOf({ slug, name, public: open, timezone, groups }: Board): BoardForm {
  return { slug, name, public: open, timezone: timezone ?? '', groups };
}

/** What the API takes. */
export function boardBody({ slug, name, public: open, timezone, groups }: BoardForm) {
  return {
    slug: slug.trim(),
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    public: open,
    timezone: timezone === '' ? null : timezone,
    groups: groups.map((group) => ({ name: group.name.trim(), monitors: [...group.monitors] })),
  };
}

/** The same groups with one of them changed. */
export function withGroup(
  groups: readonly BoardGroup[],
  at: number,
  change: Partial<BoardGroup>,
): readonly BoardGroup[] {
  return groups.map((group, index) => (index === at ? { ...group, ...change } : group));
}
